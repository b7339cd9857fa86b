/** Compares percentiles of many distributions with exact ones, and of one in all its partitions. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { batchOf, collect, type LabelledSample } from "../../test/support/batches.ts";
import { exactPercentile } from "../../test/support/exact-percentile.ts";
import type { Points } from "../store/store.ts";
import { ALL_ENDPOINTS } from "./endpoint-selection.ts";
import { readHeatmap } from "../query/read-heatmap.ts";
import { openPercentiles } from "../query/read-percentiles.ts";
import { summarise } from "../query/open-summary.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

const LARGEST = Number.MAX_SAFE_INTEGER;
/** Begins a window of 60 s. */
const START = 1_700_000_040;
const PERCENTS = [0, 0.1, 1, 5, 25, 50, 75, 90, 95, 99, 99.9, 100];

const random = seededRandom(5);

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function drawn(count: number, draw: () => number): number[] {
  return Array.from({ length: count }, () => Math.min(LARGEST, Math.round(draw())));
}

const DISTRIBUTIONS: Readonly<Record<string, readonly number[]>> = {
  "log-normal": drawn(5000, () => 50_000 * Math.exp(1.5 * normal())),
  Pareto: drawn(5000, () => 1000 * (1 - random()) ** (-1 / 1.1)),
  "two-humped": drawn(5000, () => (random() < 0.9 ? 2000 : 900_000) * Math.exp(0.05 * normal())),
  "two values": drawn(1000, () => (random() < 0.5 ? 0 : 1000)),
  "one value": drawn(1000, () => 123_457),
  zeros: drawn(100, () => 0),
  "whole milliseconds": drawn(2000, () => 1000 * Math.floor(4 * random())),
  "one request": [777_777],
  "two requests": [1, 60_000_000],
  "three requests": [129, 128, 127],
  "a microsecond to 12 days": drawn(5000, () => 2 ** (40 * random())),
  "the largest there is": [LARGEST, 0, 0],
  "edges of buckets": Array.from({ length: 38 }, (_, power) =>
    [127, 128, 129].map((x) => x * 2 ** power),
  ).flat(),
};

/** Where a request is kept: who sent it in which batch, in which second, of which endpoint. */
interface Place {
  readonly source: number;
  readonly batch: number;
  readonly second: number;
  readonly endpoint: number;
}

async function pointsOf(values: readonly number[], placeOf: (index: number) => Place) {
  const { points } = await memoryStoreWith();
  const placed = values.map((elapsedMicros, index) => ({ elapsedMicros, place: placeOf(index) }));
  const batches = Map.groupBy(placed, ({ place }) => `${place.source} ${place.batch}`);
  for (const batch of batches.values()) {
    const samples = batch.map(({ elapsedMicros, place }): LabelledSample => ({
      label: `endpoint ${place.endpoint}`,
      second: START + place.second,
      elapsedMicros,
      receivedBytes: 1,
      failed: elapsedMicros % 2 === 1,
    }));
    const { source, batch: sequence } = (batch[0] as { place: Place }).place;
    await points.append(batchOf(samples, { sourceId: `source ${source}`, sequence }));
  }
  return points;
}

const QUERY = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };

async function mergedPercentiles(points: Points) {
  const answer = await openPercentiles(points, {
    ...QUERY,
    resolutionSeconds: 60,
    quantiles: PERCENTS.map((percent) => percent / 100),
    isMerged: true,
  });
  const [series] = await collect(answer.series());
  answer.release();
  return series;
}

test.each(Object.entries(DISTRIBUTIONS))(
  "percentiles of %s lie within 0.1 %% of the exact ones, in order and within the extremes",
  async (_, values) => {
    const points = await pointsOf(values, (index) => ({
      source: 0,
      batch: 0,
      second: index % 60,
      endpoint: index % 3,
    }));
    const series = await mergedPercentiles(points);
    const got = (series?.quantileMicros ?? []).map(([value = Number.NaN]) => value);
    for (const [index, percent] of PERCENTS.entries()) {
      const exact = exactPercentile(values, percent);
      expect(Math.abs((got[index] ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.001);
    }
    expect([got[0], got.at(-1)]).toEqual([Math.min(...values), Math.max(...values)]);
    expect(got).toEqual(got.toSorted((left, right) => left - right));
    const { overall } = await summarise(points, { ...QUERY, apdexMicros: undefined });
    const { minLoadTime, p50, p90, p95, p99, maxLoadTime } = overall;
    expect([minLoadTime, p50, p90, p95, p99, maxLoadTime]).toEqual(
      [0, 50, 90, 95, 99, 100].map((percent) => (got[PERCENTS.indexOf(percent)] ?? 0) / 1e6),
    );
  },
);

test("percentiles of whole milliseconds are exact where a bucket holds only one", async () => {
  // Below 999.5 ms a bucket is at most a millisecond wide, and ends between two.
  const millis = fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constant([5, 5, 7]), millis), async (values) => {
      const micros = values.map((value) => value * 1000);
      const points = await pointsOf(micros, (index) => ({
        source: index % 2,
        batch: 0,
        second: index % 5,
        endpoint: index % 3,
      }));
      const exact = PERCENTS.map((percent) => exactPercentile(micros, percent));
      const series = await mergedPercentiles(points);
      expect(series?.quantileMicros.map(([value]) => value)).toEqual(exact);
      const { overall } = await summarise(points, { ...QUERY, apdexMicros: undefined });
      expect([overall.p50, overall.p90, overall.p95, overall.p99]).toEqual(
        [50, 90, 95, 99].map((percent) => (exact[PERCENTS.indexOf(percent)] ?? 0) / 1e6),
      );
    }),
  );
});

test("times are not taken for whole milliseconds because their sum and extremes are", async () => {
  // No whole millisecond is in the buckets of the inner two, which were once reported as 42 ms.
  const micros = [10_000, 42_495, 42_505, 100_000];
  const points = await pointsOf(micros, () => ({ source: 0, batch: 0, second: 0, endpoint: 0 }));
  const series = await mergedPercentiles(points);
  const p50 = series?.quantileMicros[PERCENTS.indexOf(50)]?.[0] ?? Number.NaN;
  expect(Math.abs(p50 - 42_495)).toBeLessThanOrEqual(42);
  const { overall } = await summarise(points, { ...QUERY, apdexMicros: undefined });
  expect(overall.p50).toBe(p50 / 1e6);
});

test.each([0.5, 0.05, 0.005])(
  "an Apdex at the threshold of quantile %d counts passed requests of up to 0.2 %% more, no others",
  async (q) => {
    for (const values of Object.values(DISTRIBUTIONS)) {
      const apdexMicros = Math.max(1, exactPercentile(values, q * 100));
      if (apdexMicros > 2 ** 40) continue;
      const points = await pointsOf(values, () => ({
        source: 0,
        batch: 0,
        second: 0,
        endpoint: 0,
      }));
      const { overall } = await summarise(points, { ...QUERY, apdexMicros });
      // Odd ones fail.
      const passed = values.filter((value) => value % 2 === 0);
      const exactly = (threshold: number) =>
        passed.reduce(
          (sum, value) => sum + (value <= threshold ? 1 : 0) + (value <= 4 * threshold ? 1 : 0),
          0,
        ) /
        (2 * values.length);
      expect(overall.apdex).toBeGreaterThanOrEqual(exactly(apdexMicros) - 1e-6);
      expect(overall.apdex).toBeLessThanOrEqual(exactly(apdexMicros * 1.002) + 1e-6);
    }
  },
);

test("sources, batches, seconds, endpoints and their order make no difference to a merge", async () => {
  const place = fc.record({
    source: fc.nat(3),
    batch: fc.nat(2),
    second: fc.nat(59),
    endpoint: fc.nat(4),
  });
  const value = fc.constantFrom(
    ...Object.values(DISTRIBUTIONS)
      .flatMap((all) => all.slice(0, 40))
      .filter((each) => each < LARGEST),
  );
  const placedValues = fc.array(fc.tuple(value, place, place, fc.nat()), {
    minLength: 1,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(placedValues, async (given) => {
      const shuffled = given.toSorted(([, , , left], [, , , right]) => left - right);
      const points = [
        await pointsOf(valuesOf(given), (index) => given[index]?.[1] as Place),
        await pointsOf(valuesOf(shuffled), (index) => shuffled[index]?.[2] as Place),
      ] as const;
      const [one, other] = await Promise.all(points.map(mergedAnswers));
      expect(other).toEqual(one);
    }),
    { numRuns: 100 },
  );
});

function valuesOf(given: readonly (readonly [value: number, ...unknown[]])[]): number[] {
  return given.map(([value]) => value);
}

/** Everything that does not depend on the second of a request, as bytes for the network. */
async function mergedAnswers(points: Points): Promise<string[]> {
  const { overall } = await summarise(points, { ...QUERY, apdexMicros: 1000 });
  const {
    from: _,
    until: __,
    range: ___,
    reqPerSec: ____,
    receivedBytesPerSec: _____,
    ...figures
  } = overall;
  const { second, cells } = await readHeatmap(points, { ...QUERY, resolutionSeconds: 60 });
  const series = await mergedPercentiles(points);
  return [figures, second, cells, series].map((each) => JSON.stringify(each));
}

test("a summary leaves a sum of bytes unknown that a number does not hold exactly", async () => {
  const sample = { second: START, elapsedMicros: 1, receivedBytes: LARGEST, failed: false };
  const { points } = await memoryStoreWith(
    batchOf([
      { ...sample, label: "a" },
      { ...sample, label: "b" },
    ]),
  );
  const { overall, endpoints } = await summarise(points, { ...QUERY, apdexMicros: undefined });
  expect(overall).toMatchObject({ count: 2, receivedBytes: null, downloadSize: LARGEST });
  expect(endpoints.map(({ receivedBytes }) => receivedBytes)).toEqual([LARGEST, LARGEST]);
});
