import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import {
  batchOf,
  collect,
  endpointsOf,
  type LabelledSample,
  stored,
} from "../../../../test/support/batches.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../../test/support/memory-store/memory-store.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { readHeatmap } from "../../../query/read-heatmap.ts";
import { openMetrics } from "../../../query/read-metrics.ts";
import { summarise } from "../../../query/open-summary.ts";
import { type PercentileSeries, openPercentiles } from "../../../query/read-percentiles.ts";
import { ALL_SECONDS } from "../../../model/columns.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { ALL_ENDPOINTS, hashOfLabel } from "../../../series/endpoint-selection.ts";
import { openSnapshot } from "../../../series/open-snapshot.ts";
import { turnsDuring } from "../../../../test/support/turns.ts";
import type { Store } from "../../store.ts";
import { SegmentCache } from "./segment-cache.ts";

const ENDPOINTS = 100;
const SENDERS = 20;
/** Too few batches of a sender to be merged. */
const BATCHES = 6 * SENDERS;

/** Some seconds of every endpoint; a request in seven fails. Numbers and labels are in different orders. */
function samplesOf(batch: number, seconds: number): readonly LabelledSample[] {
  return Array.from({ length: ENDPOINTS * seconds }, (_, at) => ({
    label: `GET /${(at * 7) % ENDPOINTS}`,
    second: 1000 + Math.floor(batch / 2) + Math.floor(at / ENDPOINTS),
    elapsedMicros: ((batch * 31 + at * 17) % 900) * 1000,
    receivedBytes: at,
    failed: (batch + at) % 7 === 0,
  }));
}

async function answersOf({ points }: Store) {
  const about = {
    loadTestId: "run",
    selection: { by: "filter", filter: "GET" },
    range: undefined,
    resolutionSeconds: 1,
    apdexMicros: 500_000,
  } as const;
  const range = { from: 1010, until: 1050 };
  const metrics = await openMetrics(points, { ...about, format: "csv" });
  const csv = Buffer.concat(await collect(metrics.chunks()));
  metrics.release();
  const answers = [
    await summarise(points, about),
    await summarise(points, { ...about, range, outcome: "passed" }),
    await readHeatmap(points, { ...about, range, resolutionSeconds: 10 }),
  ];
  return { csv: csv.toString(), answers: answers.map((each) => ({ ...each, revision: "" })) };
}

/** Returns how often blocks were opened for one endpoint so far. */
function countOpenedByEndpoint(): () => number {
  const both = vi.spyOn(SegmentCache.prototype, "both");
  const plain = vi.spyOn(SegmentCache.prototype, "plain");
  return () => both.mock.calls.length + plain.mock.calls.length;
}

async function fill(store: Store, seconds: number): Promise<void> {
  await store.loadTests.create(loadTest());
  for (let batch = 0; batch < BATCHES; batch++) {
    const sequence = Math.floor(batch / SENDERS);
    const sourceId = `sender ${batch % SENDERS}`;
    await store.points.append(batchOf(samplesOf(batch, seconds), { sourceId, sequence }));
  }
}

test.each([
  { blocks: "with a point of each endpoint", seconds: 1, hasRoom: true },
  { blocks: "that the cache cannot hold", seconds: 5, hasRoom: false },
])("many blocks $blocks are opened once, not for each endpoint", async ({ seconds, hasRoom }) => {
  const stores = [openMemoryStore(), await openStoreIn(temporaryDirectory())];
  for (const store of stores) await fill(store, seconds);
  vi.spyOn(SegmentCache.prototype, "holds").mockReturnValue(hasRoom);
  const opened = countOpenedByEndpoint();
  const [wanted, answered] = await Promise.all(stores.map(answersOf));
  expect(answered).toEqual(wanted);
  expect(answered?.csv.length).toBeGreaterThan(BATCHES * ENDPOINTS);
  const [expected, read] = await Promise.all(stores.map((store) => stored(store)));
  expect(read).toEqual(expected);
  expect(opened()).toBe(0);
});

test("merging endpoints opens no block for each of them if the cache cannot hold all blocks", async () => {
  const stores = [openMemoryStore(), await openStoreIn(temporaryDirectory())];
  for (const store of stores) await fill(store, 15);
  vi.spyOn(SegmentCache.prototype, "holds").mockReturnValue(false);
  const opened = countOpenedByEndpoint();
  const [wanted, read] = await Promise.all(stores.map(percentilesOf));
  expect(read).toEqual(wanted);
  expect(read?.[0]?.second.length).toBeGreaterThan(60);
  expect(opened()).toBe(0);
});

/** Over most endpoints, and over all. */
async function percentilesOf({ points }: Store) {
  const most = Array.from({ length: 70 }, (_, number) => hashOfLabel(`GET /${number}`));
  const series: PercentileSeries[] = [];
  for (const selection of [ALL_ENDPOINTS, { by: "hashes", hashes: most } as const]) {
    const part = { loadTestId: "run", range: undefined, resolutionSeconds: 1, selection };
    const answer = await openPercentiles(points, { ...part, quantiles: [0.5, 1], isMerged: true });
    series.push(...(await collect(answer.series())));
    answer.release();
  }
  return series;
}

test("reading an endpoint from many blocks lets other work run", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await fill(store, 1);
  const snapshot = await openSnapshot(store.points, "run");
  const [endpoint] = await endpointsOf(snapshot);
  // Each check of the clock finds that a yield is due.
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 10));
  const read = () => collect(snapshot.read([endpoint as Endpoint], ALL_SECONDS, "distribution"));
  expect(await turnsDuring(read)).toBeGreaterThan(5);
  snapshot.release();
});

test("damage in a block names its endpoints", async () => {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await fill(store, 1);
  const file = new DatabaseSync(path.join(directory, "store.db"));
  file.exec("UPDATE segments SET plain = CAST(plain || x'00' AS BLOB) WHERE block = 7");
  file.close();
  await expect(answersOf(store)).rejects.toThrow(
    'cannot read load test "run", endpoints "GET /0", "GET /1", "GET /10" and 97 more, minute 1970-01-01T00:16Z: ' +
      "block 7: the plain segment is not the one that was written",
  );
});
