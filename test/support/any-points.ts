/** Data points of any shape that the types allow, consistent or not. Codecs must preserve them. */

import * as fc from "fast-check";
import type { DataPoints } from "../../src/model/data-points.ts";
import { bucketOf } from "../../src/model/buckets/bucket-layout.ts";
import { BOUNDS } from "../../src/model/histogram.ts";

const integer = fc.oneof(
  { weight: 4, arbitrary: fc.nat(300) },
  { weight: 2, arbitrary: fc.nat(5000).map((ms) => ms * 1000) },
  { weight: 1, arbitrary: fc.maxSafeNat() },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER) },
);

const bucket = fc.record({
  number: fc.nat(23_677),
  count: fc.oneof(
    fc.integer({ min: 1, max: 5 }),
    integer.map((value) => Math.max(1, value)),
  ),
});

const point = fc.record({
  endpoint: fc.oneof(fc.nat(20), fc.integer({ min: 0, max: 2 ** 21 - 1 })),
  second: fc.oneof(
    fc.nat(300),
    fc.integer({ min: 1.79e9, max: 1.79e9 + 200 }),
    fc.constant(2 ** 32 - 1),
  ),
  requests: fc.oneof(
    fc.constant(1),
    integer.map((value) => Math.max(1, value)),
  ),
  elapsedMicros: integer,
  receivedBytes: integer,
  failed: fc.option(
    fc.record({
      requests: integer.filter((value) => value < Number.MAX_SAFE_INTEGER),
      elapsedMicros: integer,
      receivedBytes: integer,
    }),
  ),
  minMicros: integer,
  maxMicros: integer,
  buckets: fc.uniqueArray(bucket, { maxLength: 6, selector: ({ number }) => number }),
  extremes: fc.constantFrom("known", "known", "known", "none", "unknown"),
  untimed: fc.option(fc.tuple(integer, integer)),
  /** Makes it a point of one request, whose distribution follows from its sum. */
  single: fc.boolean(),
});

type AnyPoint = typeof point extends fc.Arbitrary<infer Value> ? Value : never;

export const pointsArbitrary: fc.Arbitrary<DataPoints> = fc
  .uniqueArray(point, {
    maxLength: 300,
    size: "max",
    selector: ({ endpoint, second }) => `${endpoint} ${second}`,
  })
  .chain((points) =>
    fc.constantFrom("measured", "some absent").map((kind) =>
      columnsOf(
        points
          .map((each) => (kind === "measured" ? measured(each) : each))
          .map((each) => (each.single ? asSingle(each) : each))
          .toSorted((left, right) => left.endpoint - right.endpoint || left.second - right.second),
      ),
    ),
  );

/** Most sources record the response time of every request. */
function measured(any: AnyPoint): AnyPoint {
  return { ...any, extremes: "known", untimed: null };
}

function asSingle(any: AnyPoint): AnyPoint {
  const value = any.elapsedMicros;
  const buckets = [{ number: bucketOf(value), count: 1 }];
  return { ...measured(any), requests: 1, minMicros: value, maxMicros: value, buckets };
}

function columnsOf(points: readonly AnyPoint[]): DataPoints {
  const buckets = points.map((each) =>
    each.buckets.toSorted((left, right) => left.number - right.number),
  );
  let entries = 0;
  return {
    endpoint: Uint32Array.from(points, (each) => each.endpoint),
    second: Uint32Array.from(points, (each) => each.second),
    requests: Float64Array.from(points, (each) => each.requests),
    elapsedMicros: Float64Array.from(points, (each) => each.elapsedMicros),
    receivedBytes: Float64Array.from(points, (each) => each.receivedBytes),
    failedRequests: Float64Array.from(points, (each) => (each.failed?.requests ?? -1) + 1),
    failedElapsedMicros: Float64Array.from(points, (each) => each.failed?.elapsedMicros ?? 0),
    failedReceivedBytes: Float64Array.from(points, (each) => each.failed?.receivedBytes ?? 0),
    ...untimedOf(points),
    minMicros: Float64Array.from(points, (each) => boundsOf(each).min),
    maxMicros: Float64Array.from(points, (each) => boundsOf(each).max),
    bucketsFrom: Uint32Array.from([0, ...buckets.map((own) => (entries += own.length))]),
    bucket: Uint16Array.from(buckets.flat(), ({ number }) => number),
    bucketCount: Float64Array.from(buckets.flat(), ({ count }) => count),
  };
}

function boundsOf({ extremes, minMicros, maxMicros }: AnyPoint) {
  if (extremes === "none") return BOUNDS.none;
  return extremes === "unknown" ? BOUNDS.unknown : { min: minMicros, max: maxMicros };
}

/** The optional columns, omitted where every point has 0. */
function untimedOf(points: readonly AnyPoint[]) {
  const column = (at: 0 | 1) => Float64Array.from(points, ({ untimed }) => untimed?.[at] ?? 0);
  const [all, failed] = [column(0), column(1)];
  return {
    ...(all.some((count) => count > 0) && { untimedRequests: all }),
    ...(failed.some((count) => count > 0) && { untimedFailedRequests: failed }),
  };
}
