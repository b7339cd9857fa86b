import { expect, test } from "vitest";
import { tagsOf } from "./tags-of.ts";

const LOAD_TESTS = [{ tags: ["eu", "main"] }, { tags: ["eu"] }, { tags: ["edge"] }];

test("tags are counted, the most frequent first, equal ones by name", () => {
  expect(tagsOf(LOAD_TESTS, undefined)).toEqual([
    ["eu", 2],
    ["edge", 1],
    ["main", 1],
  ]);
});

test("the chosen tag comes first, also where no load test has it", () => {
  expect(tagsOf(LOAD_TESTS, "gone")[0]).toEqual(["gone", 0]);
  expect(tagsOf(LOAD_TESTS, "main")[0]).toEqual(["main", 1]);
});
