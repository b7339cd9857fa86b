import { expect, onTestFinished, test, vi } from "vitest";
import {
  batchOf,
  expectedSeries,
  type LabelledSample,
  sample,
  seriesIn,
  snapshotOf,
  stored,
} from "../../../../test/support/batches.ts";
import { openCompactedStore } from "../../../../test/support/compacted-store.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { ALL_SECONDS, mapSums } from "../../../model/columns.ts";
import type { SeriesColumns } from "../../../model/data-points.ts";
import type { Snapshot } from "../../snapshot.ts";
import type { Store } from "../../store.ts";
import type { BlockRow } from "./block-rows.ts";
import { MergedSeriesCache } from "./merged-series.ts";
import { SegmentCache } from "./segment-cache.ts";

const SENDERS = 4;
const BATCHES = 6;
/** So many are stored as blocks that are not merged any further. */
const BATCH_SECONDS = 300;

/** Response times of more than 16 and more than 32 bits are among them, and labels that not every sender has. */
function samplesOf(sender: number, batch: number): readonly LabelledSample[] {
  return Array.from({ length: BATCH_SECONDS }, (_, index) => {
    const second = 1000 + batch * BATCH_SECONDS + index;
    const one = sample("GET /a", second, 10 ** (1 + ((index + batch) % 10)));
    const failed = {
      ...sample("GET /b", second, 900 * sender + 5000 * index),
      failed: index % 7 === 0,
    };
    return sender === 0 ? [one] : [one, failed];
  }).flat();
}

async function fill(store: Store): Promise<LabelledSample[]> {
  await store.loadTests.create(loadTest());
  const all: LabelledSample[] = [];
  for (let sender = 0; sender < SENDERS; sender++) {
    for (let batch = 0; batch < BATCHES; batch++) {
      const samples = samplesOf(sender, batch);
      await store.points.append(
        batchOf(samples, { sourceId: `sender ${sender}`, sequence: batch }),
      );
      all.push(...samples);
    }
  }
  return all;
}

async function sumsIn(snapshot: Snapshot, range = ALL_SECONDS) {
  const index = await snapshot.index();
  const found = [];
  for await (const { endpoint, columns } of snapshot.read(
    await index.named(index.numbers),
    range,
    "sums",
  )) {
    found.push([endpoint.label, mapSums(columns, (column) => column.slice() as typeof column)]);
  }
  return found;
}

function expectedSums(samples: readonly LabelledSample[]) {
  return expectedSeries(samples).map(([label, series]) => [
    label,
    mapSums(series, (column) => column),
  ]);
}

test("series of several sources are those of all requests, in any range, and their blocks are opened once", async () => {
  const store = await openStoreIn(temporaryDirectory());
  const all = await fill(store);
  const opened = vi.spyOn(SegmentCache.prototype, "both");
  expect(await stored(store)).toEqual(expectedSeries(all));
  const count = opened.mock.calls.length;
  expect(count).toBeGreaterThanOrEqual(SENDERS * BATCHES);

  const snapshot = await snapshotOf(store);
  for (const [from, until] of [
    [0, 4_000_000_000],
    [1100, 1101],
    [1299, 2150],
    [900, 1500],
  ] as const) {
    const within = all.filter(({ second }) => second >= from && second < until);
    expect(await seriesIn(snapshot, { from, until })).toEqual(expectedSeries(within));
    expect(await sumsIn(snapshot, { from, until })).toEqual(expectedSums(within));
  }
  snapshot.release();
  expect(opened.mock.calls.length).toBe(count);
});

test("later batches are added, small ones too, and an older snapshot and one without a source read their own state", async () => {
  const store = await openStoreIn(temporaryDirectory());
  const all = await fill(store);
  const before = await snapshotOf(store);
  expect(await seriesIn(before)).toEqual(expectedSeries(all));

  const later = samplesOf(1, BATCHES);
  await store.points.append(batchOf(later, { sourceId: "sender 1", sequence: BATCHES }));
  const few = [sample("GET /a", 1500, 7), sample("GET /b", 9000, 8)];
  await store.points.append(batchOf(few, { sourceId: "sender 2", sequence: BATCHES }));
  const more = [...all, ...later, ...few];
  expect(await stored(store)).toEqual(expectedSeries(more));
  expect(await seriesIn(before)).toEqual(expectedSeries(all));
  before.release();
  const after = await snapshotOf(store);
  const range = { from: 1400, until: 2900 };
  const within = more.filter(({ second }) => second >= range.from && second < range.until);
  expect(await seriesIn(after, range)).toEqual(expectedSeries(within));
  after.release();

  await store.points.withdraw("run", "sender 0");
  const left = more.slice(BATCHES * BATCH_SECONDS);
  expect(await stored(store)).toEqual(expectedSeries(left));
});

test("live blocks are opened once, and those of later batches and of compaction are read", async () => {
  const store = openCompactedStore(temporaryDirectory(), {
    now: () => 1_000_000,
    runsCompacted: 40,
  });
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
  const all: LabelledSample[] = [];
  const send = async (batches: number): Promise<void> => {
    for (let batch = 0; batch < batches; batch++) {
      const second = 1000 + Math.floor(all.length / 4);
      const samples = [sample("GET /a", second, 1000 * all.length), sample("GET /b", second)];
      const about = { sourceId: `sender ${batch % 2}`, sequence: all.length };
      await store.points.append(batchOf(samples, about));
      all.push(...samples);
    }
  };
  await send(30);
  const opened = vi.spyOn(SegmentCache.prototype, "both");
  expect(await stored(store)).toEqual(expectedSeries(all));
  const count = opened.mock.calls.length;
  expect(await stored(store)).toEqual(expectedSeries(all));
  expect(opened.mock.calls.length).toBe(count);
  await send(2);
  expect(await stored(store)).toEqual(expectedSeries(all));
  // Two batches of two endpoints.
  expect(opened.mock.calls.length).toBe(count + 4);

  const before = await snapshotOf(store);
  const then = all.slice();
  await send(58);
  await store.compact();
  expect(await stored(store)).toEqual(expectedSeries(all));
  expect(await seriesIn(before)).toEqual(expectedSeries(then));
  const range = { from: 1010, until: 1040 };
  const within = all.filter(({ second }) => second >= range.from && second < range.until);
  before.release();
  const after = await snapshotOf(store);
  expect(await seriesIn(after, range)).toEqual(expectedSeries(within));
  expect(await sumsIn(after, range)).toEqual(expectedSums(within));
  after.release();
});

function finalBlock(number: number, source: number): BlockRow {
  return {
    number,
    load_test: 1,
    source,
    kind: "points",
    endpoint_group: 0,
    endpoints: new Uint8Array(),
    roles: null,
    points: 300,
    first_second: 1000,
    last_second: 1299,
    plain_crc: 0,
    distribution_crc: 0,
  };
}

test("readers that begin together open each block once, and a short range does not merge all", async () => {
  const store = await openStoreIn(temporaryDirectory());
  const all = await fill(store);
  const opened = vi.spyOn(SegmentCache.prototype, "both");
  const snapshot = await snapshotOf(store);
  const range = { from: 1000, until: 1300 };
  const within = all.filter(({ second }) => second < range.until);
  expect(await seriesIn(snapshot, range)).toEqual(expectedSeries(within));
  const ofOneBatch = opened.mock.calls.length;
  const both = await Promise.all([seriesIn(snapshot), seriesIn(snapshot)]);
  expect(both).toEqual([expectedSeries(all), expectedSeries(all)]);
  expect(opened.mock.calls.length - ofOneBatch).toBe(ofOneBatch * BATCHES);
  snapshot.release();
});

test("a run that does not fit leaves the cache and does not enter it again", () => {
  const [[, series] = []] = expectedSeries(samplesOf(0, 0));
  const rows = Array.from({ length: 16 }, (_, number) => finalBlock(number, number % 2));
  const cache = new MergedSeriesCache({ bytesMax: 20_000 });
  const keep = (endpoint: number) => {
    const [plan] = cache.plan(rows, endpoint, ALL_SECONDS).plans;
    const unmerged = plan?.unmerged.length ?? 0;
    if (plan !== undefined && unmerged > 0) cache.keep(plan, endpoint, series as SeriesColumns);
    return unmerged;
  };
  expect(keep(0)).toBe(rows.length);
  expect(cache.plan(rows, 0, ALL_SECONDS)).toMatchObject({ plans: [{ unmerged: [] }], rest: [] });
  const room = Array.from({ length: 3 }, (_, endpoint) => keep(endpoint + 1));
  expect(room.at(-1)).toBe(0);
  expect(cache.suits(rows)).toBe(false);
  expect(cache.plan(rows, 0, ALL_SECONDS)).toEqual({ plans: [], rest: rows });
});
