import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsOf, samplesArbitrary } from "../../test/support/plain-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { downsample } from "./downsample.ts";

const MINUTES = { windowSeconds: 60, firstSecond: 1, lastSecond: 2_000_000_000 };

/** One passed request at each of these seconds. */
function requestsAt(...seconds: readonly number[]): DataPoints {
  return pointsOf(
    seconds.map((second) => ({
      endpoint: 0,
      second,
      elapsedMicros: 1000 * second,
      receivedBytes: 1,
      failed: false,
    })),
  );
}

/** Start, length, requests and sum of response times of each point. */
function windowsIn({ second, windowSeconds, requests, elapsedMicros }: DataPoints) {
  return [...second].map((start, point) => [
    start,
    windowSeconds?.[point] ?? 1,
    requests[point],
    elapsedMicros[point],
  ]);
}

test("seconds of a minute become one point; the first and last minute are as long as the load test", () => {
  const points = requestsAt(0, 119, 125, 179, 180, 181, 240);
  const within = { windowSeconds: 60, firstSecond: 119, lastSecond: 250 };
  expect(windowsIn(downsample(points, within))).toEqual([
    [0, 1, 1, 0],
    [119, 1, 1, 119_000],
    [120, 60, 2, 304_000],
    [180, 60, 2, 361_000],
    [240, 11, 1, 240_000],
  ]);
});

test("a point that reaches into the next minute keeps its length", () => {
  const points = { ...requestsAt(170, 200), windowSeconds: Uint16Array.of(30, 1) };
  expect(windowsIn(downsample(points, { ...MINUTES, firstSecond: 100 }))).toEqual([
    [120, 80, 1, 170_000],
    [180, 60, 1, 200_000],
  ]);
});

test("points outside of the load test's seconds stay", () => {
  const within = { windowSeconds: 60, firstSecond: 125, lastSecond: 130 };
  expect(windowsIn(downsample(requestsAt(121, 127, 150), within))).toEqual([
    [121, 10, 1, 121_000],
    [125, 26, 2, 277_000],
  ]);
});

test("downsampled points are those of samples at the start of each minute", () => {
  fc.assert(
    fc.property(samplesArbitrary, (samples) => {
      const { windowSeconds: _, ...points } = downsample(pointsOf(samples), MINUTES);
      const atStart = samples.map((sample) => ({ ...sample, second: startOf(sample.second) }));
      expect(points).toEqual(pointsOf(atStart));
    }),
  );
});

test("downsampling again changes nothing", () => {
  fc.assert(
    fc.property(samplesArbitrary, (samples) => {
      const once = downsample(pointsOf(samples), MINUTES);
      expect(downsample(once, MINUTES)).toEqual(once);
    }),
  );
});

function startOf(second: number): number {
  return second === 0 ? 0 : Math.max(1, Math.floor(second / 60) * 60);
}
