import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsArbitrary } from "../../test/support/any-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { joinSeries, joinSums, partOfRange, withinRange } from "./join-series.ts";

/** Returns a point as an object that does not depend on its position. */
function pointAt(points: Omit<DataPoints, "endpoint">, index: number): object {
  const buckets = (column: Uint16Array | Float64Array) => [
    ...column.subarray(points.bucketsFrom[index], points.bucketsFrom[index + 1]),
  ];
  return {
    second: points.second[index],
    requests: points.requests[index],
    elapsedMicros: points.elapsedMicros[index],
    receivedBytes: points.receivedBytes[index],
    failedRequests: points.failedRequests[index],
    failedElapsedMicros: points.failedElapsedMicros[index],
    failedReceivedBytes: points.failedReceivedBytes[index],
    windowSeconds: points.windowSeconds?.[index] ?? 1,
    untimedRequests: points.untimedRequests?.[index] ?? 0,
    untimedFailedRequests: points.untimedFailedRequests?.[index] ?? 0,
    minMicros: points.minMicros[index],
    maxMicros: points.maxMicros[index],
    bucket: buckets(points.bucket),
    bucketCount: buckets(points.bucketCount),
  };
}

const ranges = fc.array(
  fc
    .tuple(pointsArbitrary, fc.boolean(), fc.nat(), fc.nat())
    .map(([points, isWindowed, one, other]) => {
      const windowSeconds = Uint16Array.from(points.second, (second) => 1 + (second % 7));
      const size = points.second.length + 1;
      const [from, until] = [one % size, other % size].toSorted((left, right) => left - right);
      const columns = isWindowed ? { ...points, windowSeconds } : points;
      return { columns, from: from ?? 0, until: until ?? 0 };
    }),
  { maxLength: 4 },
);

test("ranges are joined point by point, with and without windows", () => {
  fc.assert(
    fc.property(ranges, (parts) => {
      const joined = joinSeries(parts);
      const expected = parts.flatMap(({ columns, from, until }) =>
        Array.from({ length: until - from }, (_, index) => pointAt(columns, from + index)),
      );
      expect([...joined.second.keys()].map((index) => pointAt(joined, index))).toEqual(expected);
      expect(joined).toMatchObject(joinSums(parts.map(partOfRange)));
    }),
    { numRuns: 50 },
  );
});

test.each([
  [{ from: 0, until: 100 }, 1, 4],
  [{ from: 12, until: 14 }, 2, 3],
  [{ from: 11, until: 12 }, 2, 2],
  [{ from: 20, until: 30 }, 4, 4],
])("seconds 10, 13 and 14 of an endpoint are cut to the range %j", (range, from, until) => {
  const second = Uint32Array.of(99, 10, 13, 14, 12);
  const columns = { second, ...sums(new Float64Array(second.length)) };
  expect(withinRange({ columns, from: 1, until: 4 }, range)).toEqual({ columns, from, until });
});

function sums(column: Float64Array) {
  return {
    requests: column,
    elapsedMicros: column,
    receivedBytes: column,
    failedRequests: column,
    failedElapsedMicros: column,
    failedReceivedBytes: column,
  };
}
