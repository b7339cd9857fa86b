import * as fc from "fast-check";
import { expect, test } from "vitest";
import { densePoints } from "../../test/support/dense-points.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import { Totals, withoutSeconds } from "./totals.ts";

function figuresOf(points: Parameters<DistributionSum["add"]>[0]) {
  const sum = new DistributionSum();
  sum.add(points);
  const { requests, failedRequests, elapsedMicros, undatedRequests, from, until } = sum;
  const counts = { requests, failedRequests, elapsedMicros, undatedRequests, from, until };
  return { ...counts, quantiles: sum.quantiles([0, 0.25, 0.5, 0.9, 1]), values: sum.valueCounts() };
}

test("points of an endpoint add up to what their seconds do, across many of them", () => {
  const seconds = fc.array(fc.constantFrom(0, 1, 32_768, 32_769, 1_790_000_000), { minLength: 1 });
  const property = fc.property(seconds, (firstSeconds) => {
    const parts = firstSeconds.map((firstSecond, seed) =>
      densePoints({ endpoints: 1, seconds: 3, requestsPerPoint: 4, firstSecond }, seed),
    );
    const wanted = new DistributionSum();
    for (const part of parts) wanted.add(part);
    const totals = new Totals();
    for (const part of parts) {
      totals.add(part);
      for (const _ of totals.tidy());
    }
    const [added, another] = [...totals.all()];
    expect(another).toBeUndefined();
    expect(added === undefined ? 0 : figuresOf(added)).toEqual(
      parts.length === 0 ? 0 : figuresOf(withoutSeconds(parts)),
    );
    expect(added === undefined ? 0n : figuresOf(added).requests).toBe(wanted.requests);
    expect(added === undefined ? 0 : figuresOf(added).until).toBe(wanted.until);
    expect(added === undefined ? 0 : figuresOf(added).from).toBe(wanted.from);
    expect(added === undefined ? [] : figuresOf(added).quantiles).toEqual(
      wanted.quantiles([0, 0.25, 0.5, 0.9, 1]),
    );
  });
  fc.assert(property, { numRuns: 50 });
});

test("seconds whose sums are too large together stay apart", () => {
  const points = densePoints({ endpoints: 1, seconds: 2, requestsPerPoint: 1, firstSecond: 9 }, 1);
  const large = { ...points, receivedBytes: Float64Array.of(2 ** 53 - 1, 2) };
  expect(withoutSeconds([large]).second).toEqual(Uint32Array.of(9, 10));
});
