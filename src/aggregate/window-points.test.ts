import { expect, test } from "vitest";
import { bucketOf } from "../model/histogram.ts";
import type { SampleWindow } from "../model/sample-batch.ts";
import { pointsOfWindows } from "./window-points.ts";

const WINDOW: SampleWindow = {
  label: 0,
  second: 100,
  windowSeconds: 10,
  requests: 4,
  elapsedMicros: 42,
  receivedBytes: 7,
  failedRequests: 1,
  failedElapsedMicros: 12,
  failedReceivedBytes: 2,
  minMicros: 1,
  maxMicros: 30,
  latencies: [],
};

test("a window is a point of its length; without more the average stands for every request", () => {
  const points = pointsOfWindows([WINDOW]);
  expect([...(points.windowSeconds ?? [])]).toEqual([10]);
  expect([points.minMicros[0], points.maxMicros[0]]).toEqual([1, 30]);
  expect([...points.bucket]).toEqual([bucketOf(11)]);
  expect([...points.bucketCount]).toEqual([4]);
});

test("unknown extremes are the average", () => {
  const points = pointsOfWindows([{ ...WINDOW, minMicros: undefined, maxMicros: undefined }]);
  expect([points.minMicros[0], points.maxMicros[0]]).toEqual([11, 11]);
});

test("a known distribution is kept, in the order of buckets", () => {
  const latencies = [
    { elapsedMicros: 30, requests: 1 },
    { elapsedMicros: 3, requests: 2 },
    { elapsedMicros: 30, requests: 1 },
  ];
  const points = pointsOfWindows([{ ...WINDOW, latencies }]);
  expect([...points.bucket]).toEqual([3, 30]);
  expect([...points.bucketCount]).toEqual([2, 2]);
});

test("windows of one endpoint and second merge, and the longer one counts", () => {
  const points = pointsOfWindows([WINDOW, { ...WINDOW, windowSeconds: 5 }]);
  expect([...(points.windowSeconds ?? [])]).toEqual([10]);
  expect([...points.requests]).toEqual([8]);
});

test("windows of one second are ordinary points", () => {
  expect(pointsOfWindows([{ ...WINDOW, windowSeconds: 1 }]).windowSeconds).toBeUndefined();
});
