import { expect, test } from "vitest";
import { findBursts } from "./read-burst.ts";

const BEGIN = 500;

/** 1,000 s with ten requests each, of which `usual` fail, and those failures from second 500 on. */
function burstsOf(failures: readonly number[], usual = 0) {
  const second = Uint32Array.from({ length: 1000 }, (_, index) => index + 1);
  const requests = new Float64Array(1000).fill(10);
  const failedRequests = new Float64Array(1000).fill(usual);
  for (const [index, count] of failures.entries()) failedRequests[BEGIN - 1 + index] = count;
  return findBursts({ second, requests, failedRequests });
}

const each = (seconds: number, count: number): number[] =>
  Array.from({ length: seconds }, () => count);

test.each([
  ["ten failures more than elsewhere", burstsOf(each(5, 2)), burstsOf([...each(4, 2), 1])],
  ["three times the share elsewhere", burstsOf(each(100, 3), 1), burstsOf(each(100, 2), 1)],
  ["more than chance explains", burstsOf(each(10, 10), 1), burstsOf(each(2, 4), 1)],
])("a burst has %s", (_, isWith, isWithout) => {
  expect([isWith, isWithout].map((found) => found.length)).toEqual([1, 0]);
});

test("a burst ends where failures are as rare as before", () => {
  const [burst] = burstsOf([...each(20, 6), 0, ...each(10, 6)]);
  expect(burst).toEqual({ from: BEGIN, until: BEGIN + 30, errCount: 180, requests: 310 });
});

const quiet = (seconds: number) => [...each(5, 10), ...each(seconds, 0), ...each(5, 10)];

test("bursts less than ten seconds apart are one", () => {
  expect(burstsOf(quiet(9))).toMatchObject([{ from: BEGIN, until: BEGIN + 18 }]);
  expect(burstsOf(quiet(60))).toMatchObject([
    { from: BEGIN, until: BEGIN + 4 },
    { from: BEGIN + 65, until: BEGIN + 69 },
  ]);
});

test("what fails throughout is no burst", () => {
  expect(burstsOf([], 10)).toEqual([]);
  expect(burstsOf([], 3)).toEqual([]);
});
