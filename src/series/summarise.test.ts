import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, collect, type LabelledSample, sample } from "../../test/support/batches.ts";
import { exactPercentile } from "../../test/support/exact-percentile.ts";
import { ALL_ENDPOINTS } from "./endpoint-selection.ts";
import { openPercentiles, type PercentilesQuery } from "../query/read-percentiles.ts";
import { type SummaryQuery, summarise } from "../query/open-summary.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

async function pointsWith(...sources: readonly (readonly LabelledSample[])[]) {
  const store = await memoryStoreWith();
  for (const [index, samples] of sources.entries()) {
    await store.points.append(batchOf(samples, { sourceId: `source ${index}` }));
  }
  return store.points;
}

const SUMMARY: SummaryQuery = {
  loadTestId: "run",
  selection: ALL_ENDPOINTS,
  range: undefined,
  apdexMicros: undefined,
};

/** Skewed, two-humped, all alike, and anything. */
const elapsed = fc.oneof(
  fc.integer({ min: 0, max: 12 }).map((power) => 3 ** power),
  fc.constantFrom(20_000, 20_001, 900_000),
  fc.constant(5_000),
  fc.nat(2 ** 31 - 1),
);
const samples = fc.array(
  fc.record({
    label: fc.constantFrom("a", "b"),
    second: fc.oneof(fc.constant(0), fc.integer({ min: 10, max: 14 })),
    elapsedMicros: elapsed,
    receivedBytes: fc.nat(100),
    failed: fc.boolean(),
  }),
  { minLength: 1, maxLength: 200 },
);

test("percentiles lie within 1 % of the exact ones, overall and by endpoint", async () => {
  await fc.assert(
    fc.asyncProperty(samples, samples, async (left, right) => {
      const all = [...left, ...right];
      const { overall, endpoints } = await summarise(await pointsWith(left, right), SUMMARY);
      const groups = [
        { figures: overall, own: all },
        ...endpoints.map((figures) => ({
          figures,
          own: all.filter(({ label }) => label === figures.label),
        })),
      ];
      for (const { figures, own } of groups) {
        const times = own.map(({ elapsedMicros }) => elapsedMicros / 1e6);
        const { minLoadTime, maxLoadTime } = figures;
        expect(minLoadTime).toBe(Math.min(...times));
        expect(maxLoadTime).toBe(Math.max(...times));
        const { p50, p90, p95, p99, p999 } = figures;
        const ascending = [minLoadTime, p50, p90, p95, p99, p999, maxLoadTime].map(Number);
        for (const [index, percent] of [50, 90, 95, 99, 99.9].entries()) {
          const exact = exactPercentile(times, percent);
          const got = ascending[index + 1] ?? Number.NaN;
          expect(Math.abs(got - exact)).toBeLessThanOrEqual(exact * 0.01);
        }
        expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 100 },
  );
});

test("the figures of a small load test are those worked out by hand", async () => {
  const points = await pointsWith([
    { label: "a", second: 100, elapsedMicros: 100_000, receivedBytes: 1024, failed: false },
    { label: "a", second: 103, elapsedMicros: 300_000, receivedBytes: 3072, failed: true },
    { label: "b", second: 101, elapsedMicros: 1_000_000, receivedBytes: 0, failed: false },
    { label: "b", second: 0, elapsedMicros: 5_000_000, receivedBytes: 0, failed: false },
  ]);
  const { overall, endpoints } = await summarise(points, { ...SUMMARY, apdexMicros: 250_000 });
  expect(endpoints.map(({ label }) => label)).toEqual(["a", "b"]);
  expect(endpoints[0]).toEqual({
    label: "a",
    hash: "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8",
    count: 2,
    errCount: 1,
    untimedCount: 0,
    errRate: 0.5,
    avgLoadTime: 0.2,
    errAvgLoadTime: 0.3,
    minLoadTime: 0.1,
    maxLoadTime: 0.3,
    p50: 0.1,
    p90: 0.3,
    p95: 0.3,
    p99: 0.3,
    p999: 0.3,
    percentileOrigin: "computed",
    receivedBytes: 4096,
    downloadSize: 2048,
    errDownloadSize: 3072,
    reqPerSec: 0.5,
    receivedBytesPerSec: 1024,
    from: 100,
    until: 103,
    range: 4,
    // The failed one is frustrated.
    apdex: 0.5,
  });
  // 0.1 s satisfies, 0.3 s and 1 s are tolerated, 5 s is neither. The second of one request is not known.
  const counts = { count: 4, errRate: 0.25, range: 4, reqPerSec: 0.75 };
  expect(overall).toMatchObject({ ...counts, apdex: 0.375 });
});

test("a range leaves out what is not in it, unknown instants too; nothing has no times", async () => {
  const points = await pointsWith([sample("a", 0), sample("a", 10), sample("a", 11)]);
  const ranged = await summarise(points, { ...SUMMARY, range: { from: 0, until: 11 } });
  expect(ranged.overall).toMatchObject({ count: 1, from: 10, until: 10, range: 1 });
  const empty = await summarise(points, { ...SUMMARY, range: { from: 50, until: 60 } });
  expect(empty.endpoints).toEqual([]);
  expect(empty.overall).toEqual({
    count: 0,
    errCount: 0,
    untimedCount: 0,
    errRate: 0,
    avgLoadTime: null,
    errAvgLoadTime: null,
    minLoadTime: null,
    maxLoadTime: null,
    p50: null,
    p90: null,
    p95: null,
    p99: null,
    p999: null,
    percentileOrigin: "unknown",
    receivedBytes: 0,
    downloadSize: 0,
    errDownloadSize: 0,
    reqPerSec: 0,
    receivedBytesPerSec: 0,
    range: 0,
  });
});

test("rates are of the requests whose second is known, as is the time by which they are divided", async () => {
  // 10 of 100 have a time, one a second.
  const dated = Array.from({ length: 10 }, (_, at) => sample("a", 100 + at));
  const undated = Array.from({ length: 90 }, () => sample("a", 0));
  const points = await pointsWith([...dated, ...undated], [sample("b", 100), sample("b", 101)]);
  const { overall, endpoints } = await summarise(points, SUMMARY);
  const perSecond = dated.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0) / 10;
  expect(overall).toMatchObject({ count: 102, range: 10, reqPerSec: 1.2 });
  expect(endpoints[0]).toMatchObject({ count: 100, range: 10, reqPerSec: 1 });
  expect(endpoints[0]?.receivedBytesPerSec).toBeCloseTo(perSecond, 6);
  for (const sort of ["reqPerSec", "receivedBytesPerSec"] as const) {
    const rows = { limit: 2, sort, order: "descending" } as const;
    const sorted = await summarise(points, { ...SUMMARY, rows });
    const values = sorted.endpoints.map((each) => each[sort] ?? 0);
    expect(values).toEqual(values.toSorted((left, right) => right - left));
  }
});

async function percentiles(points: Awaited<ReturnType<typeof pointsWith>>, query: object) {
  const whole: PercentilesQuery = {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
    range: undefined,
    resolutionSeconds: 1,
    quantiles: [0, 0.5, 0.95, 1],
    isMerged: false,
    ...query,
  };
  const answer = await openPercentiles(points, whole);
  const series = await collect(answer.series());
  answer.release();
  return series;
}

test("percentiles over time lie within 1 % of the exact ones, at any resolution and merged", async () => {
  await fc.assert(
    fc.asyncProperty(
      samples,
      fc.constantFrom(1, 2, 3, 60),
      fc.boolean(),
      async (given, resolutionSeconds, isMerged) => {
        const points = await pointsWith(given);
        for (const series of await percentiles(points, { resolutionSeconds, isMerged })) {
          const own = given.filter(
            ({ label, second }) => second > 0 && (isMerged || label === series.endpoint?.label),
          );
          const windows = Map.groupBy(own, ({ second }) =>
            Math.max(1, Math.floor(second / resolutionSeconds) * resolutionSeconds),
          );
          const seconds = [...windows.keys()].toSorted((left, right) => left - right);
          expect([...series.second]).toEqual(seconds);
          for (const [index, percent] of [0, 50, 95, 100].entries()) {
            for (const [point, second] of seconds.entries()) {
              const times = (windows.get(second) ?? []).map(({ elapsedMicros }) => elapsedMicros);
              const exact = exactPercentile(times, percent);
              const got = series.quantileMicros[index]?.[point] ?? Number.NaN;
              expect(Math.abs(got - exact)).toBeLessThanOrEqual(exact * 0.01);
            }
          }
        }
      },
    ),
    { numRuns: 100 },
  );
});
