/**
 * A report of a source with the tool's own averages and percentiles equals the responses of the service.
 */

import path from "node:path";
import { expect, test } from "vitest";
import { artilleryJson } from "../../src/decode/artillery/artillery-json.ts";
import { locustHistory } from "../../src/decode/locust/locust-history.ts";
import { decodePoints } from "../../src/import/decode-points.ts";
import { ALL_ENDPOINTS, type EndpointSelection } from "../../src/series/endpoint-selection.ts";
import { importResults } from "../../src/import/import-results.ts";
import type { Snapshots } from "../../src/series/open-snapshot.ts";
import { openPercentiles } from "../../src/query/read-percentiles.ts";
import { readReport } from "../../src/analysis/report/read-report.ts";
import { summarise } from "../../src/query/open-summary.ts";
import { packReport, type ReportContents, unpackReports } from "../../src/render/report-bytes.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { inChunks } from "../../test/support/imports.ts";
import { reportSnapshots } from "./report-snapshots.ts";
import { recording } from "../../test/support/recording.ts";

const LOCUST = "locust/gen-locust-2.47.0-full-history_stats_history.csv.gz";
const ARTILLERY = "artillery/gen-artillery-2.0.34-metrics-by-endpoint.json.gz";

async function storeOf(file: string): Promise<Store> {
  const store = openMemoryStore();
  const request = {
    loadTest: { id: "run", name: "Run" },
    name: path.basename(file),
    chunks: inChunks(recording(file)),
    decodeOptions: { timeZone: "UTC" },
  };
  const formats = [artilleryJson, locustHistory];
  await importResults(request, { store, formats, decodePoints, now: () => 1_800_000_000_000 });
  return store;
}

async function reportOf(
  store: Store,
  selection: EndpointSelection = ALL_ENDPOINTS,
  range?: { readonly from: number; readonly until: number },
): Promise<Snapshots> {
  const { about, ...report } = await readReport(store, { loadTestId: "run", selection, range });
  const written = { ...about, madeAtMs: 0, version: "1.2.3" };
  const bytes = Buffer.concat([...packReport({ ...report, about: written })]);
  return reportSnapshots(unpackReports<typeof written>(bytes)[0] as ReportContents<typeof written>);
}

async function figuresOf(snapshots: Snapshots, selection = ALL_ENDPOINTS) {
  const query = { loadTestId: "run", selection, range: undefined, apdexMicros: undefined };
  const { revision: _, ...summary } = await summarise(snapshots, query);
  return summary;
}

async function seriesOf(snapshots: Snapshots, isMerged: boolean) {
  const answer = await openPercentiles(snapshots, {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
    range: undefined,
    resolutionSeconds: 1,
    quantiles: [0.5, 0.95],
    isMerged,
  });
  const series = [];
  for await (const { origin, hasSizes, endpoint, second, quantileMicros } of answer.series()) {
    series.push({ origin, hasSizes, endpoint, second, quantileMicros });
  }
  answer.release();
  return series;
}

test.each([
  [LOCUST, "reported"],
  [ARTILLERY, "unknown"],
])("a report of %s has the figures of the store", async (file, merged) => {
  const store = await storeOf(file);
  const report = await reportOf(store);
  const wanted = await figuresOf(store.points);
  expect(wanted.quality.map(({ code }) => code)).toContain("percentiles-reported");
  expect(await figuresOf(report)).toEqual(wanted);
  for (const isMerged of [true, false]) {
    const series = await seriesOf(store.points, isMerged);
    expect(series[0]?.origin).toBe(isMerged ? merged : "reported");
    expect(await seriesOf(report, isMerged)).toEqual(series);
  }
});

test("Artillery's percentiles of the whole run are those of its file", async () => {
  const { overall, endpoints } = await figuresOf(await reportOf(await storeOf(ARTILLERY)));
  const cart = endpoints.find(({ label }) => label === "/cart (add to cart)");
  // The summary of the endpoint in `aggregate.summaries` of the file, in milliseconds.
  expect(cart).toMatchObject({ percentileOrigin: "reported", p50: 0.0348, p95: 0.0744 });
  // Those of all requests include followed redirects, which no endpoint has.
  expect(overall).toMatchObject({ percentileOrigin: "unknown", p50: null, p95: null });
  expect(overall).toMatchObject({ receivedBytes: null, receivedBytesPerSec: null });
});

test("percentiles of the whole run are not used for a part of it", async () => {
  const store = await storeOf(ARTILLERY);
  const { from = 0, until = 0 } = (await figuresOf(store.points)).overall;
  const ofPart = await figuresOf(await reportOf(store, ALL_ENDPOINTS, { from, until: until - 30 }));
  expect(ofPart.overall).toMatchObject({ percentileOrigin: "unknown", p95: null });
  const filtered = { by: "filter", filter: "/cart" } as const;
  const ofCart = await figuresOf(await reportOf(store, filtered));
  expect(ofCart.endpoints.length).toBeGreaterThan(1);
  expect(ofCart.overall).toMatchObject({ percentileOrigin: "unknown", p95: null });
  expect(ofCart.endpoints[0]).toMatchObject({ percentileOrigin: "reported" });
});
