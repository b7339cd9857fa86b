import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsArbitrary } from "../../../test/support/any-points.ts";
import { densePoints } from "../../../test/support/dense-points.ts";
import { pointsOf, samplesArbitrary } from "../../../test/support/plain-points.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { type EndpointRuns, endpointRuns } from "../endpoint-runs.ts";
import { packBlock } from "./block-kernel.ts";
import { encodeBlock, encodeOddBlock } from "./block.ts";

const shape = { endpoints: 3, seconds: 200, requestsPerPoint: 14, firstSecond: 1_790_000_000 };

test("any points have the same bytes as in TypeScript", () => {
  fc.assert(fc.property(pointsArbitrary, haveTheSameBytes), { numRuns: 300 });
});

test("measured points have the same bytes as in TypeScript, in any runs", () => {
  fc.assert(
    fc.property(samplesArbitrary, fc.array(fc.boolean()), (samples, isKept) => {
      const points = pointsOf(samples);
      const all = endpointRuns(points.endpoint);
      const ofKept = (column: Uint32Array) => column.filter((_, run) => isKept[run] !== false);
      const [endpoint, from, until] = [all.endpoint, all.from, all.until].map(ofKept);
      const runs = { endpoint, from, until } as EndpointRuns;
      expect(packBlock(points, runs) === undefined).toBe(runs.endpoint.length === 0);
      expect(encodeBlock(points, runs)).toEqual(encodeOddBlock(points, runs));
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["dense", shape],
  ["with one request a point", { ...shape, requestsPerPoint: 0 }],
  ["with 1,000 requests a point", { ...shape, endpoints: 1, seconds: 30, requestsPerPoint: 1000 }],
  ["of 500 endpoints in one second", { ...shape, endpoints: 500, seconds: 1 }],
  ["of as many points as fit", { ...shape, endpoints: 16, seconds: 1024, requestsPerPoint: 3 }],
])("a block %s is encoded in WebAssembly", (_, about) => {
  const points = densePoints(about);
  expect(packBlock(points, endpointRuns(points.endpoint))).toBeDefined();
  haveTheSameBytes(points);
});

test.each<[string, Partial<DataPoints>]>([
  ["optional columns", { untimedRequests: new Float64Array(4).fill(1) }],
  ["an unknown extreme", { minMicros: Float64Array.of(1, 1, 1, -Infinity) }],
  ["a fraction", { elapsedMicros: Float64Array.of(1, 1, 1, 1.5) }],
  ["a negative number", { receivedBytes: Float64Array.of(1, 1, 1, -1) }],
  ["no number", { requests: Float64Array.of(1, 1, 1, NaN) }],
  ["a number over 2^53 - 1", { failedRequests: Float64Array.of(0, 0, 0, 2 ** 53) }],
  ["seconds out of order", { second: Uint32Array.of(1, 2, 4, 4) }],
  ["a bucket out of order", { bucket: Uint16Array.of(1, 1, 2, 1) }],
  ["no such bucket", { bucket: Uint16Array.of(1, 1, 1, 23_678) }],
  ["an empty bucket", { bucketCount: Float64Array.of(1, 1, 1, 0) }],
  ["sums of failed requests without one", { failedElapsedMicros: Float64Array.of(0, 0, 0, 1) }],
])("points with %s are left to TypeScript", (_, odd) => {
  const points = { ...few(), ...odd };
  expect(packBlock(points, endpointRuns(new Uint32Array(4)))).toBeUndefined();
});

test("points over the limit are left to TypeScript", () => {
  const points = densePoints({ ...shape, endpoints: 1, seconds: 16_449, requestsPerPoint: 0 });
  expect(packBlock(points, endpointRuns(points.endpoint))).toBeUndefined();
  haveTheSameBytes(points);
});

function haveTheSameBytes(points: DataPoints): void {
  const runs = endpointRuns(points.endpoint);
  expect(encodeBlock(points)).toEqual(encodeOddBlock(points, runs));
}

/** Four seconds, the last with two requests in two buckets. */
function few(): DataPoints {
  const zeros = new Float64Array(4);
  return {
    endpoint: new Uint32Array(4),
    second: Uint32Array.of(1, 2, 3, 4),
    requests: Float64Array.of(1, 1, 0, 2),
    elapsedMicros: Float64Array.of(1, 1, 0, 3),
    receivedBytes: zeros,
    failedRequests: zeros,
    failedElapsedMicros: zeros,
    failedReceivedBytes: zeros,
    minMicros: Float64Array.of(1, 1, 1, 1),
    maxMicros: Float64Array.of(1, 1, 2, 2),
    bucketsFrom: Uint32Array.of(0, 1, 2, 2, 4),
    bucket: Uint16Array.of(1, 1, 1, 2),
    bucketCount: Float64Array.of(1, 1, 1, 1),
  };
}
