/**
 * A load test with a large index (`EndpointIndex.isLarge`) is read in other steps: every operation must
 * answer the same as from the memory store, whose index is a list.
 */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareLabels } from "../../src/model/label.ts";
import type { StoredRole } from "../../src/model/role.ts";
import { type EndpointSelection, hashOfLabel } from "../../src/series/endpoint-selection.ts";
import { SORT_COLUMNS } from "../../src/query/sort-columns.ts";
import { openPercentiles, readDistribution } from "../../src/query/read-percentiles.ts";
import { readFailures } from "../../src/query/read-failures.ts";
import { readFindings } from "../../src/analysis/findings/read-findings.ts";
import { readHeatmap } from "../../src/query/read-heatmap.ts";
import { openMetrics } from "../../src/query/read-metrics.ts";
import { summarise, type SummaryQuery } from "../../src/query/open-summary.ts";
import { openMemoryStore } from "../support/memory-store/memory-store.ts";
import { sliceSums } from "../../src/store/series.ts";
import type { PointBatch, Store } from "../../src/store/store.ts";
import { batchOf, collect, type LabelledSample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { failureTable } from "../support/plain-details.ts";
import { openStoreIn, temporaryDirectory } from "../support/store-directory.ts";
import { randomCases } from "../support/random-cases.ts";

const LABELS = ["/a", "/b", "/B", "/商品/1", "/商品/2", "ü", "\u{1f600} x", "/a/b", "", "z\0z"];
const NO_REVISION = { revision: "" };

const anySample: fc.Arbitrary<LabelledSample> = fc.record({
  label: fc.constantFrom(...LABELS),
  second: fc.oneof(fc.constant(0), fc.integer({ min: 100, max: 140 })),
  elapsedMicros: fc.integer({ min: 0, max: 5_000_000 }),
  receivedBytes: fc.integer({ min: 0, max: 100_000 }),
  failed: fc.boolean(),
});

const anyBatches = fc.array(
  fc.record({
    samples: fc.array(anySample, { minLength: 1, maxLength: 60 }),
    areTransactions: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

const anySelection: fc.Arbitrary<EndpointSelection> = fc.oneof(
  fc
    .constantFrom("", "/", "a", "商品", "nothing", "\0")
    .map((filter) => ({ by: "filter" as const, filter })),
  fc
    .uniqueArray(fc.constantFrom(...LABELS, "unknown"), { minLength: 1 })
    .map((labels) => ({ by: "hashes" as const, hashes: labels.map(hashOfLabel) })),
);

const anyQuery = fc.record({
  loadTestId: fc.constant("run"),
  selection: anySelection,
  range: fc.option(
    fc.integer({ min: 90, max: 130 }).map((from) => ({ from, until: from + 25 })),
    { nil: undefined },
  ),
  apdexMicros: fc.option(fc.constant(500_000), { nil: undefined }),
});

const anyRows = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  search: fc.option(fc.constantFrom("/", "b", "商", "x"), { nil: undefined }),
  sort: fc.constantFrom(...SORT_COLUMNS),
  order: fc.constantFrom("ascending" as const, "descending" as const),
});

test("every operation answers as from the memory store", async () => {
  await fc.assert(
    fc.asyncProperty(anyBatches, anyQuery, async (batches, query) => {
      const stores = await filled(batches);
      const [wanted, answered] = await Promise.all(stores.map((store) => answersTo(store, query)));
      expect(answered).toEqual(wanted);
    }),
    { numRuns: randomCases(40) },
  );
}, 60_000);

test("the first rows are those of the whole answer, searched, sorted and cut", async () => {
  await fc.assert(
    fc.asyncProperty(anyBatches, anyQuery, anyRows, async (batches, query, rows) => {
      for (const store of await filled(batches)) {
        const all = await summarise(store.points, query);
        const { endpoints, endpointCount, matchingCount, ...head } = await summarise(store.points, {
          ...query,
          rows,
        });
        const { endpoints: _, ...wholeHead } = all;
        const matching = all.endpoints.filter(
          ({ label }) => label.split(rows.search ?? "").length > 1 || rows.search === undefined,
        );
        expect(head).toEqual(wholeHead);
        expect([endpointCount, matchingCount]).toEqual([all.endpoints.length, matching.length]);
        expect(endpoints).toEqual(sortedBy(matching, rows).slice(0, rows.limit));
      }
    }),
    { numRuns: randomCases(60) },
  );
}, 60_000);

type Rows = NonNullable<SummaryQuery["rows"]>;
type Endpoints = Awaited<ReturnType<typeof summarise>>["endpoints"];

function sortedBy(endpoints: Endpoints, { sort, order }: Rows): Endpoints {
  const byLabel = endpoints.toSorted((one, other) => compareLabels(one.label, other.label));
  if (sort === "label") return order === "ascending" ? byLabel : byLabel.toReversed();
  return byLabel.toSorted((one, other) => {
    const [first, second] = [one, other].map((each) =>
      sort === "impact" ? impactOf(each) : Number(each[sort]),
    ) as [number, number];
    const difference = first - second;
    return order === "ascending" ? difference : -difference;
  });
}

function impactOf({ count, untimedCount, avgLoadTime, p50 }: Endpoints[number]): number {
  const micros = [avgLoadTime, p50].map((seconds) => BigInt(Math.round(Number(seconds) * 1e6)));
  const [average = 0n, median = 0n] = micros;
  const excess = (BigInt(count) - BigInt(untimedCount)) * (average - median);
  return avgLoadTime === null || p50 === null ? -1 : Math.max(0, Number(excess));
}

interface AnyBatch {
  readonly samples: readonly LabelledSample[];
  readonly areTransactions: boolean;
}

/** The same in both stores; the second one reads every load test as one of very many endpoints. */
async function filled(batches: readonly AnyBatch[]): Promise<readonly Store[]> {
  const stores = [openMemoryStore(), await openStoreIn(temporaryDirectory(), { listedMax: 0 })];
  for (const store of stores) {
    await store.loadTests.create(loadTest());
    for (const [index, batch] of batches.entries())
      await store.points.append(batchNumbered(batch, index));
  }
  return stores;
}

function batchNumbered({ samples, areTransactions }: AnyBatch, index: number): PointBatch {
  const batch = batchOf(samples, { sourceId: `sender ${index}` });
  const roles = batch.labels.map((label): StoredRole => {
    if (areTransactions && label.startsWith("/b")) return "ignored-request";
    return areTransactions && label.startsWith("/a") ? "transaction" : "request";
  });
  const failures = failureTable(
    samples.flatMap(({ label, second, failed }) =>
      failed
        ? [{ endpoint: batch.labels.indexOf(label), code: "500", message: "", second, requests: 1 }]
        : [],
    ),
  );
  return { ...batch, roles, failures };
}

async function answersTo({ points }: Store, query: SummaryQuery) {
  const resolutionSeconds = 5;
  const scope = { ...query, resolutionSeconds };
  const quantiles = [0.5, 0.95];
  const percentiles = async (isMerged: boolean) => {
    const opened = await openPercentiles(points, { ...scope, quantiles, isMerged });
    const series = await collect(opened.series()).finally(() => opened.release());
    // Columns that were read with the sums stay with them in one store or the other.
    return series.map(({ sums, ...each }) => ({
      ...each,
      sums: sliceSums(sums, 0, each.second.length),
    }));
  };
  const metrics = await openMetrics(points, { ...scope, format: "csv" });
  const pieces = (await collect(metrics.chunks())).map((piece) => Buffer.from(piece).toString());
  metrics.release();
  const merged = await readFailures(points, { ...query, isMerged: true });
  return {
    summary: { ...(await summarise(points, query)), ...NO_REVISION },
    distribution: await readDistribution(points, query),
    heatmap: await readHeatmap(points, scope),
    findings: await readFindings(points, query),
    failures: [
      { ...(await readFailures(points, query)), ...NO_REVISION },
      { ...merged, ...NO_REVISION },
    ],
    percentiles: [await percentiles(false), await percentiles(true)],
    metrics: pieces.join(""),
  };
}
