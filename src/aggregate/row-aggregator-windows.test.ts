import { expect, test } from "vitest";
import { extremesState } from "../model/histogram.ts";
import type { SampleWindow } from "../model/sample-batch.ts";
import { pointsOfWindows } from "./row-aggregator.ts";

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

test("a window becomes a point of its length; an average is not a distribution", () => {
  const points = pointsOfWindows([WINDOW]);
  expect([...(points.windowSeconds ?? [])]).toEqual([10]);
  expect([points.minMicros[0], points.maxMicros[0]]).toEqual([1, 30]);
  expect([...points.bucket]).toEqual([]);
  expect([...points.bucketsFrom]).toEqual([0, 0]);
});

test("extremes that a source does not record are unknown", () => {
  const points = pointsOfWindows([{ ...WINDOW, minMicros: undefined, maxMicros: undefined }]);
  expect(extremesState(points, 0)).toBe("unknown");
});

test("a window without response times has only request counts", () => {
  const points = pointsOfWindows([
    {
      ...WINDOW,
      failedRequests: 4,
      elapsedMicros: 0,
      failedElapsedMicros: 0,
      untimedRequests: 4,
      untimedFailedRequests: 4,
      minMicros: undefined,
      maxMicros: undefined,
    },
  ]);
  expect(points).toMatchObject({
    requests: Float64Array.of(4),
    untimedRequests: Float64Array.of(4),
    untimedFailedRequests: Float64Array.of(4),
  });
  expect(extremesState(points, 0)).toBe("none");
});

test("each window keeps its own values, and the points are sorted", () => {
  const first = {
    ...WINDOW,
    label: 1,
    second: 200,
    windowSeconds: 1,
    latencies: [
      { elapsedMicros: 5, requests: 3 },
      { elapsedMicros: 30, requests: 1 },
    ],
  };
  const second = {
    label: 0,
    second: 300,
    windowSeconds: 60,
    requests: 2,
    elapsedMicros: 50,
    receivedBytes: 9,
    failedRequests: 2,
    failedElapsedMicros: 50,
    failedReceivedBytes: 8,
    minMicros: 20,
    maxMicros: 30,
    latencies: [],
  };
  expect(pointsOfWindows([first, second])).toEqual({
    endpoint: Uint32Array.of(0, 1),
    second: Uint32Array.of(300, 200),
    requests: Float64Array.of(2, 4),
    elapsedMicros: Float64Array.of(50, 42),
    receivedBytes: Float64Array.of(9, 7),
    failedRequests: Float64Array.of(2, 1),
    failedElapsedMicros: Float64Array.of(50, 12),
    failedReceivedBytes: Float64Array.of(8, 2),
    minMicros: Float64Array.of(20, 1),
    maxMicros: Float64Array.of(30, 30),
    bucketsFrom: Uint32Array.of(0, 0, 2),
    bucket: Uint16Array.of(5, 30),
    bucketCount: Float64Array.of(3, 1),
    windowSeconds: Uint16Array.of(60, 1),
  });
});

test("a known distribution is kept, sorted by bucket", () => {
  const latencies = [
    { elapsedMicros: 30, requests: 1 },
    { elapsedMicros: 3, requests: 2 },
    { elapsedMicros: 30, requests: 1 },
  ];
  const points = pointsOfWindows([{ ...WINDOW, latencies }]);
  expect([...points.bucket]).toEqual([3, 30]);
  expect([...points.bucketCount]).toEqual([2, 2]);
});

test("windows of one endpoint and second merge, and the longer length wins", () => {
  const points = pointsOfWindows([WINDOW, { ...WINDOW, windowSeconds: 5 }]);
  expect([...(points.windowSeconds ?? [])]).toEqual([10]);
  expect([...points.requests]).toEqual([8]);
});

test("windows of one second are ordinary points", () => {
  const points = pointsOfWindows([{ ...WINDOW, windowSeconds: 1 }]);
  expect(points).not.toHaveProperty("windowSeconds");
  expect([...points.requests]).toEqual([4]);
});
