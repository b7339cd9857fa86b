import { expect, test } from "vitest";
import { averageAtLeast, percentileAtLeast, waitsOf } from "./omitted-times.ts";

function waits(requests: number, waitSeconds: number, isLate = false, share = 1) {
  return waitsOf([{ from: 1, until: 9, requests, waitSeconds, isLate }], share);
}

// 2,000 requests that are due at any time of 60 s: the slowest 1,000 wait for more than 30 s, 200 for more than 54 s.
test("what is due in a stall waits for the rest of it", () => {
  expect(percentileAtLeast(95, waits(2000, 60), 18_000)).toBeCloseTo(30, 9);
  expect(percentileAtLeast(99, waits(2000, 60), 18_000)).toBeCloseTo(54, 9);
  expect(percentileAtLeast(50, waits(2000, 60), 18_000)).toBe(0);
});

test("requests that were sent late are among those recorded", () => {
  const late = waits(2000, 60, true);
  expect(percentileAtLeast(95, late, 20_000)).toBeCloseTo(30, 9);
});

// 60 s to 50 s for 1,000 requests, 20 s to 10 s for 1,000: 1,250 wait for more than 17.5 s.
test("no request may have waited for a range of times", () => {
  const waiting = [50, 10].map((least) => {
    return { requests: 1000, unsent: 1000, least, most: least + 10 };
  });
  expect(percentileAtLeast(37.5, waiting, 0)).toBeCloseTo(17.5, 9);
  expect(percentileAtLeast(75, waiting, 0)).toBeCloseTo(55, 9);
});

test("stalls of different lengths add up", () => {
  // Above 10 s: 500 of the first, 1,000 * 5/6 of the second are not.
  const waiting = [...waits(1000, 20), ...waits(1000, 5)];
  expect(percentileAtLeast(75, waiting, 0)).toBeCloseTo(10, 9);
  // Above 2 s: 900 of the first, 600 of the second.
  expect(percentileAtLeast(25, waiting, 0)).toBeCloseTo(2, 9);
});

test("an endpoint has its share of them", () => {
  expect(percentileAtLeast(95, waits(2000, 60, false, 0.25), 4500)).toBeCloseTo(30, 9);
});

test("on average they wait for half of it", () => {
  expect(averageAtLeast(waits(100, 10), { requests: 300, seconds: 1 })).toBeCloseTo(2, 9);
  expect(averageAtLeast(waits(100, 10, true), { requests: 500, seconds: 1 })).toBeCloseTo(2, 9);
});
