import { expect, test } from "vitest";
import { emptyLines, emptyLinesEnd } from "./line-reader.ts";

test.each([
  ["\n\n\na\n", 3, 3],
  ["\r\n\r\na", 4, 2],
  ["\r\n\r\n\n", 4, 2],
  ["\n\r\n", 1, 1],
  ["\r\n\r", 2, 1],
  ["\r", 0, 0],
  ["\ra\n", 0, 0],
  ["a\n", 0, 0],
  ["", 0, 0],
])("the empty lines at the start of %j end at %d and number %d", (text, end, lines) => {
  const bytes = Buffer.from(`x${text}\n\n`);
  const at = emptyLinesEnd(bytes, 1, 1 + text.length);
  expect([at - 1, emptyLines(bytes, 1, at)]).toEqual([end, lines]);
});
