import { expect, test } from "vitest";
import { entityTag, matchesTag } from "./send-response.ts";

test("a tag depends on each part, on the part boundaries and on the coding", () => {
  const tags = [
    entityTag(["a", "b"], "identity"),
    entityTag(["ab"], "identity"),
    entityTag(["a", "c"], "identity"),
    entityTag(["a", "b"], "gzip"),
    entityTag(["a", "b"], "br"),
  ];
  expect(new Set(tags).size).toBe(tags.length);
  expect(entityTag(["a", "b"], "gzip")).toBe(tags[3]);
  expect(tags.every((tag) => /^"[\w-]+"$/.test(tag))).toBe(true);
});

test.each([
  [undefined, false],
  ["", false],
  ['"x"', true],
  ['W/"x"', true],
  ['"y"', false],
  ['"y", "x"', true],
  ['W/"y" ,W/"x"', true],
  ["*", true],
  [" * ", true],
  ['"x', false],
  ["x", false],
  ['"y*"', false],
  ['"x-gzip"', false],
])("If-None-Match %j names the tag: %s", (header, expected) => {
  expect(matchesTag(header, '"x"')).toBe(expected);
});
