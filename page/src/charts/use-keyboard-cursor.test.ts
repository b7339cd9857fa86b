import { expect, test } from "vitest";
import { nextIndex } from "./use-keyboard-cursor.ts";

test.each([
  ["ArrowRight", undefined, 0],
  ["ArrowLeft", undefined, 19],
  ["ArrowRight", 5, 6],
  ["ArrowLeft", 5, 4],
  ["ArrowLeft", 0, 0],
  ["ArrowRight", 19, 19],
  ["PageUp", 5, 15],
  ["PageDown", 5, 0],
  ["Home", 5, 0],
  ["End", 5, 19],
  ["h", 5, undefined],
])("of 20 windows, %s leads from %s to %s", (key, index, next) => {
  expect(nextIndex(key, index, 20)).toBe(next);
});

test("without windows, keys do nothing", () => {
  expect(nextIndex("ArrowRight", undefined, 0)).toBeUndefined();
});
