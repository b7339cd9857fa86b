import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import type { Outcome } from "../model/outcomes.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import type { PointBatch } from "../store/store.ts";
import { summarise } from "./open-summary.ts";
import { openPercentiles, readDistribution } from "./read-percentiles.ts";
import { readHeatmap } from "./read-heatmap.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

/** In each of ten seconds ten passed requests of 6 to 60 ms; in one of them 900 quick 503s, too. */
function burst() {
  const seconds = Array.from({ length: 10 }, (_, at) => 100 + at);
  const passed = seconds.flatMap((second) =>
    Array.from({ length: 10 }, (_, at) => sample("a", second, (at + 1) * 6000)),
  );
  const quick = Array.from({ length: 900 }, () => ({ ...sample("a", 105, 2000), failed: true }));
  return batchOf([...passed, ...quick]);
}

async function storeWith(batch: PointBatch) {
  const store = await memoryStoreWith(batch);
  return store.points;
}

const QUERY = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };

async function overall(batch: PointBatch, outcome?: Outcome) {
  const query = { ...QUERY, apdexMicros: undefined, outcome };
  return summarise(await storeWith(batch), query);
}

test("a burst of quick 503s lowers p95 of all requests, and not of passed ones", async () => {
  // Of 1,000 requests the 950th is the 50th of the passed: ten of each, so 30 ms.
  expect((await overall(burst())).overall).toMatchObject({ count: 1000, p95: 0.03 });
  // Of the 100 passed the 95th has 60 ms.
  const passed = await overall(burst(), "passed");
  expect(passed.overall).toMatchObject({ count: 100, errCount: 0, p50: 0.03, p95: 0.06 });
  expect(passed.overall).toMatchObject({
    minLoadTime: 0.006,
    maxLoadTime: 0.06,
    avgLoadTime: 0.033,
  });
  expect(passed.endpoints).toMatchObject([{ label: "a", count: 100, p95: 0.06 }]);
  const failed = await overall(burst(), "failed");
  expect(failed.overall).toMatchObject({ count: 900, errCount: 900, p95: 0.002, from: 105 });
});

// Of 100 passed requests 30 take at most 20 ms, and all at most 80 ms: (30 + 100) / 2 satisfied ones.
test.each([
  [undefined, 65 / 1000],
  ["passed", 65 / 100],
  ["failed", 0],
] as const)("in an Apdex failed requests are frustrated (%s)", async (outcome, apdex) => {
  const query = { ...QUERY, apdexMicros: 20_000, outcome };
  const found = await summarise(await storeWith(burst()), query);
  expect([found.overall.apdex, ...found.endpoints.map((each) => each.apdex)]).toEqual([
    apdex,
    apdex,
  ]);
  const sorted = { limit: 1, sort: "count", order: "descending" } as const;
  const ranked = await summarise(await storeWith(burst()), { ...query, rows: sorted });
  expect(ranked.endpoints[0]?.apdex).toBe(apdex);
});

test("percentiles over time, distribution and heatmap count the asked outcome alone", async () => {
  const points = await storeWith(burst());
  const query = { ...QUERY, resolutionSeconds: 1, outcome: "passed" } as const;
  const answer = await openPercentiles(points, { ...query, quantiles: [0.5], isMerged: true });
  for await (const { quantileMicros, sums } of answer.series()) {
    expect([...(quantileMicros[0] ?? [])]).toEqual(Array.from({ length: 10 }, () => 30_000));
    expect([...sums.requests]).toEqual(Array.from({ length: 10 }, () => 10));
  }
  answer.release();
  const { micros, requests } = await readDistribution(points, query);
  expect([micros.length, micros[0], requests[0]]).toEqual([10, 6000, 10]);
  const { cells } = await readHeatmap(points, { ...query, outcome: "failed" });
  expect(cells.map((column) => column.map((cell) => cell.requests))).toEqual([[900]]);
});

test("what was stored without telling them apart has averages only, and says so", async () => {
  const { points, ...batch } = burst();
  const { outcomes: _, ...rest } = points;
  const old = { ...batch, points: rest };
  const { overall: figures, quality } = await overall(old, "passed");
  expect(figures).toMatchObject({ count: 100, avgLoadTime: 0.033, percentileOrigin: "unknown" });
  expect([figures.p50, figures.p95, figures.minLoadTime]).toEqual([null, null, null]);
  expect(quality.map(({ code }) => code)).toContain("no-distribution");
  const query = { ...QUERY, outcome: "passed", quantiles: [0.95], isMerged: true } as const;
  const answer = await openPercentiles(await storeWith(old), { ...query, resolutionSeconds: 1 });
  for await (const { quantileMicros } of answer.series()) {
    // Only the second with both is unknown.
    expect([...(quantileMicros[0] ?? [])].map(Number.isNaN)).toEqual(
      Array.from({ length: 10 }, (_each, at) => at === 5),
    );
  }
  answer.release();
});
