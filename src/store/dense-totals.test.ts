import * as fc from "fast-check";
import { expect, test } from "vitest";
import { densePoints } from "../../test/support/dense-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import { DenseTotals } from "./dense-totals.ts";
import { inOrder } from "./numbered-points.ts";
import { rangesByEndpoint, viewPoints } from "./series.ts";

/** What a summary says of each endpoint, added up point by point. */
function figuresOf(parts: Iterable<DataPoints>) {
  const sums = new Map<number, DistributionSum>();
  for (const points of parts) {
    for (const [number, { from, until }] of rangesByEndpoint(points.endpoint)) {
      const sum = sums.get(number) ?? new DistributionSum();
      sum.add(viewPoints(points, from, until));
      sums.set(number, sum);
    }
  }
  const ascending = [...sums].toSorted(([left], [right]) => left - right);
  return ascending.map(([number, sum]) => {
    const { requests, failedRequests, elapsedMicros, failedElapsedMicros } = sum;
    const { receivedBytes, failedReceivedBytes, timedRequests, timedFailedRequests } = sum;
    const { undatedRequests, undatedReceivedBytes, from, until } = sum;
    const counts = { requests, failedRequests, elapsedMicros, failedElapsedMicros };
    const sizes = { receivedBytes, failedReceivedBytes, undatedRequests, undatedReceivedBytes };
    const times = { timedRequests, timedFailedRequests, from, until };
    const quantiles = sum.quantiles([0, 0.25, 0.5, 0.9, 1]);
    return { number, ...counts, ...sizes, ...times, quantiles, values: sum.valueCounts() };
  });
}

const batches = fc.array(
  fc.record({
    firstSecond: fc.constantFrom(0, 1, 32_767, 65_536, 1_790_000_000),
    firstEndpoint: fc.constantFrom(0, 3, 60, 1000),
    seed: fc.nat(),
    windowSeconds: fc.constantFrom(undefined, 1, 60),
    untimed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

test("points add up to what their seconds do, however far apart", () => {
  const property = fc.property(batches, (plans) => {
    const totals = new DenseTotals(2 ** 20);
    const parts: DataPoints[] = [];
    for (const { firstSecond, firstEndpoint, seed, windowSeconds, untimed } of plans) {
      const shape = { endpoints: 5, seconds: 3, requestsPerPoint: 4, firstSecond };
      const dense = densePoints(shape, seed);
      const part = {
        ...dense,
        endpoint: dense.endpoint.map((number) => firstEndpoint + number),
        ...(windowSeconds && { windowSeconds: new Uint16Array(15).fill(windowSeconds) }),
        ...(untimed && { untimedRequests: new Float64Array(15).fill(2) }),
      };
      parts.push(part);
      totals.add([inOrder(part)]);
    }
    expect(totals.isUsable).toBe(true);
    expect(figuresOf(totals.all())).toEqual(figuresOf(parts));
  });
  fc.assert(property, { numRuns: 100 });
});

test("sums beyond 2^53 - 1, counts beyond 2^32 - 1 and windows of more than 18 hours are of no use", () => {
  const points = densePoints({ endpoints: 1, seconds: 2, requestsPerPoint: 1, firstSecond: 9 }, 1);
  const isUsable = (changed: Partial<DataPoints>): boolean => {
    const totals = new DenseTotals(2 ** 20);
    totals.add([inOrder({ ...points, ...changed })]);
    return totals.isUsable;
  };
  expect(isUsable({})).toBe(true);
  expect(isUsable({ receivedBytes: Float64Array.of(2 ** 53 - 1, 0) })).toBe(true);
  expect(isUsable({ receivedBytes: Float64Array.of(2 ** 53 - 1, 1) })).toBe(false);
  const most = points.bucketCount.map(() => 2 ** 32);
  expect(isUsable({ bucketCount: most })).toBe(false);
  expect(isUsable({ windowSeconds: Uint16Array.of(1, 65_535) })).toBe(false);
});

/** Whether points 2^15 seconds apart are of use in 1 MB. */
function isSpreadUsable(endpoints: number, seconds: number): boolean {
  const shape = { endpoints, seconds, requestsPerPoint: 1, firstSecond: 1 };
  const points = densePoints(shape, 1);
  const totals = new DenseTotals(2 ** 20);
  totals.add([inOrder({ ...points, second: points.second.map((second) => second * 32_768) })]);
  return totals.isUsable;
}

test("more than 1 MB, when that is allowed, and more than 64 times of nine hours are of no use", () => {
  expect(isSpreadUsable(1, 64)).toBe(true);
  expect(isSpreadUsable(1, 65)).toBe(false);
  // Of 500 bytes and more each.
  expect(isSpreadUsable(1000, 1)).toBe(true);
  expect(isSpreadUsable(2100, 1)).toBe(false);
});
