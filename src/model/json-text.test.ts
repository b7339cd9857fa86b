import { expect, test } from "vitest";
import { jsonText } from "./json-text.ts";

function nested(levels: number): unknown {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

test.each([
  ["a text", '"a text"'],
  [1.5, "1.5"],
  [null, "null"],
  [undefined, "nothing"],
  [{ a: [1, { b: [] }] }, '{"a":[1,{"b":[]}]}'],
  [nested(64), "[".repeat(64) + "]".repeat(64)],
  [nested(65), "[[…]]"],
  [{ a: nested(500_000) }, "{{…}}"],
])("the text of a value", (value, text) => {
  expect(jsonText(value)).toBe(text);
});
