import * as fc from "fast-check";
import { expect, test } from "vitest";
import { testMergeLaws } from "../../test/support/merge-laws.ts";
import { pointsOf, type PlainSample, samplesArbitrary } from "../../test/support/plain-points.ts";
import type { DataPoints } from "./data-points.ts";
import { BOUNDS } from "./histogram.ts";
import { UserError } from "./errors.ts";
import { mergeOutcomeSeries, mergePoints, mergeSeries, mergeSums } from "./merge-points.ts";

testMergeLaws({ rows: samplesArbitrary, tableOf: pointsOf, merge: mergePoints });

test("parts of many endpoints, each in other seconds, merge as all samples at once", () => {
  const sample = fc.record({
    endpoint: fc.integer({ min: 7, max: 40 }),
    second: fc.integer({ min: 1.7e9, max: 1.7e9 + 90 }),
    elapsedMicros: fc.integer({ min: 0, max: 300 }),
    receivedBytes: fc.constant(1),
    failed: fc.boolean(),
  });
  const part = fc.array(sample, { minLength: 20, maxLength: 80 });
  fc.assert(
    fc.property(fc.tuple(part, part, part), (split: PlainSample[][]) => {
      const merged = mergePoints(split.map((samples) => pointsOf(samples)));
      expect(merged).toEqual(pointsOf(split.flat()));
    }),
    { numRuns: 30 },
  );
});

test("no parts merge to no points", () => {
  expect(mergePoints([]).second).toHaveLength(0);
});

test("a sum beyond 2^53 - 1 is refused, and 2^53 - 1 itself is exact", () => {
  const large = pointOf(Number.MAX_SAFE_INTEGER - 1);
  const one = pointOf(1);
  expect(mergePoints([large, one]).elapsedMicros[0]).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => mergePoints([large, one, one])).toThrow("2^53 - 1");
});

const ONE_ENDPOINT = samplesArbitrary.map((samples) =>
  samples.map((sample) => ({ ...sample, endpoint: 0 })),
);

test("the series of one endpoint merge as its points do, sums alone or with distributions", () => {
  fc.assert(
    fc.property(fc.array(ONE_ENDPOINT, { maxLength: 4 }), (split) => {
      const { endpoint: _, outcomes, ...series } = pointsOf(split.flat());
      const cuts = split.map((samples) => {
        const { endpoint: __, ...part } = pointsOf(samples);
        return part;
      });
      const columns = cuts.map(({ outcomes: ___, ...part }) => part);
      const known = outcomes === undefined ? {} : { outcomes };
      expect(mergeOutcomeSeries(cuts)).toEqual({ ...series, ...known });
      expect(mergeSeries(columns)).toEqual(series);
      expect(series).toMatchObject(mergeSums(columns));
      expect(mergeSums(columns).requests).toEqual(series.requests);
    }),
  );
});

test("a single part keeps all its points and is sorted", () => {
  const [late, early] = [pointOf(1), pointOf(2)];
  const swapped = {
    ...mergePoints([late, { ...early, second: Uint32Array.of(9) }]),
    second: Uint32Array.of(9, 7),
  };
  expect([...mergeSums([swapped]).second]).toEqual([7, 9]);
  expect([...mergeSums([swapped]).elapsedMicros]).toEqual([2, 1]);
  expect([...mergeSeries([swapped]).maxMicros]).toEqual([2, 1]);
  expect([...mergePoints([swapped]).bucket]).toEqual([2, 1]);
});

test("seconds far apart and close together are sorted alike", () => {
  const seconds = [4_000_000_000, 5, 1_700_000_000, 6, 1_700_000_001, 7];
  const columns = seconds.map((second) => ({ ...pointOf(second), second: Uint32Array.of(second) }));
  const wanted = seconds.toSorted((left, right) => left - right);
  for (const count of [2, 4, 6]) {
    const some = seconds.slice(0, count);
    expect([...mergeSums(columns.slice(0, count)).second]).toEqual(
      wanted.filter((second) => some.includes(second)),
    );
  }
  expect([...mergeSums([...columns, ...columns]).elapsedMicros]).toEqual(
    wanted.map((second) => 2 * second),
  );
});

test("the longest of overlapping windows counts, and a part without windows has seconds", () => {
  const one = pointOf(1);
  const windowed = (windowSeconds: number, second: number) => ({
    ...one,
    second: Uint32Array.of(second),
    windowSeconds: Uint16Array.of(windowSeconds),
  });
  const merged = mergePoints([windowed(10, 7), one, windowed(60, 7), windowed(1, 8)]);
  expect([...(merged.windowSeconds ?? [])]).toEqual([60, 1]);
  expect([...merged.requests]).toEqual([3, 1]);
});

test("merging drops windows of one second", () => {
  const windowed = { ...pointOf(1), windowSeconds: Uint16Array.of(1) };
  expect(mergePoints([windowed])).not.toHaveProperty("windowSeconds");
  expect(mergeSums([windowed, pointOf(2)])).not.toHaveProperty("windowSeconds");
  const long = { ...pointOf(1), windowSeconds: Uint16Array.of(2) };
  expect([...(mergePoints([long]).windowSeconds ?? [])]).toEqual([2]);
});

test("requests without a response time add up; a part without the column has none", () => {
  const untimed = { ...pointOf(1), untimedRequests: Float64Array.of(1) };
  const failed = { ...untimed, untimedFailedRequests: Float64Array.of(1) };
  const merged = mergePoints([untimed, pointOf(1), failed]);
  expect([...merged.requests]).toEqual([3]);
  expect([...(merged.untimedRequests ?? [])]).toEqual([2]);
  expect([...(merged.untimedFailedRequests ?? [])]).toEqual([1]);
});

test("extremes stay known beside requests without a time, but not beside unknown extremes", () => {
  expect(beside(bounded(BOUNDS.none))).toEqual([7, 7]);
  expect(beside(bounded(BOUNDS.unknown))).toEqual([BOUNDS.unknown.min, BOUNDS.unknown.max]);
});

test("the error about a sum that is too large names it", () => {
  const large = pointOf(Number.MAX_SAFE_INTEGER);
  expect(() => mergePoints([large, pointOf(7)])).toThrow(
    new UserError("sum-too-large", "9007199254740991 + 7 exceeds 2^53 - 1"),
  );
});

function bounded({ min, max }: { readonly min: number; readonly max: number }): DataPoints {
  return { ...pointOf(1), minMicros: Float64Array.of(min), maxMicros: Float64Array.of(max) };
}

/** Minimum and maximum of 7 µs merged with another point. */
function beside(other: DataPoints): readonly (number | undefined)[] {
  const { minMicros, maxMicros } = mergePoints([pointOf(7), other]);
  return [minMicros[0], maxMicros[0]];
}

function pointOf(elapsedMicros: number): DataPoints {
  return pointsOf([{ endpoint: 0, second: 7, elapsedMicros, receivedBytes: 0, failed: false }]);
}
