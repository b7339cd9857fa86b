import { expect, test } from "vitest";
import { averageAtLeast, percentileAtLeast } from "./omitted-times.ts";

function stall(requests: number, waitSeconds: number, isLate = false) {
  return { from: 1, until: 9, requests, waitSeconds, isLate };
}

// 2,000 requests that are due at any time of 60 s: the slowest 1,000 wait for more than 30 s, 200 for more than 54 s.
test("what is due in a stall waits for the rest of it", () => {
  const measured = { count: 18_000, share: 1 };
  expect(percentileAtLeast(95, [stall(2000, 60)], measured)).toBeCloseTo(30, 9);
  expect(percentileAtLeast(99, [stall(2000, 60)], measured)).toBeCloseTo(54, 9);
  expect(percentileAtLeast(50, [stall(2000, 60)], measured)).toBe(0);
});

test("requests that were sent late are among those recorded", () => {
  const late = [stall(2000, 60, true)];
  expect(percentileAtLeast(95, late, { count: 20_000, share: 1 })).toBeCloseTo(30, 9);
});

test("stalls of different lengths add up", () => {
  // Above 10 s: 500 of the first, 1,000 * 5/6 of the second are not.
  const stalls = [stall(1000, 20), stall(1000, 5)];
  expect(percentileAtLeast(75, stalls, { count: 0, share: 1 })).toBeCloseTo(10, 9);
  // Above 2 s: 900 of the first, 600 of the second.
  expect(percentileAtLeast(25, stalls, { count: 0, share: 1 })).toBeCloseTo(2, 9);
});

test("an endpoint has its share of them", () => {
  const measured = { count: 4500, share: 0.25 };
  expect(percentileAtLeast(95, [stall(2000, 60)], measured)).toBeCloseTo(30, 9);
});

test("on average they wait for half of it", () => {
  expect(averageAtLeast(1, [stall(100, 10)], { count: 300, share: 1 })).toBeCloseTo(2, 9);
  expect(averageAtLeast(1, [stall(100, 10, true)], { count: 500, share: 1 })).toBeCloseTo(2, 9);
});
