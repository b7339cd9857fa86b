import { expect, onTestFinished, test } from "vitest";
import {
  batchOf,
  collect,
  expectedSeries,
  type LabelledSample,
  published,
  sample,
  seriesIn,
  snapshotOf,
  stored,
} from "../../../../test/support/batches.ts";
import {
  type CompactedStore,
  openCompactedStore,
} from "../../../../test/support/compacted-store.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { measured, measuresIn, seriesWith } from "../../../../test/support/measures.ts";
import { measureTable } from "../../../../test/support/plain-measures.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { ALL_SECONDS } from "../../../model/columns.ts";

/** 20 s before a full minute. */
const START = 1_700_000_020;

async function open(): Promise<CompactedStore> {
  let nowMs = 1_000_000;
  const store = openCompactedStore(temporaryDirectory(), { now: () => (nowMs += 1000) });
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
  return store;
}

/** A request in each of 200 s, of three labels in turns, one in seven failed. */
const SAMPLES: readonly LabelledSample[] = Array.from({ length: 200 }, (_, second) => ({
  ...sample(`label ${second % 3}`, START + second, 1000 * (second + 1)),
  failed: second % 7 === 0,
}));

const FAILURES = {
  kinds: [{ code: "500", message: "no" }],
  counts: {
    endpoint: Uint32Array.of(0, 0),
    kind: Uint32Array.of(0, 0),
    second: Uint32Array.of(START, START + 7),
    requests: Float64Array.of(1, 1),
  },
};

function startOf(second: number): number {
  return Math.max(START, second - (second % 60));
}

/** By the definition: the same requests, all at the start of their minute. */
function expectedMinutes() {
  const samples = SAMPLES.map((each) => ({ ...each, second: startOf(each.second) }));
  return expectedSeries(samples).map(([label, series]) => {
    const ends = series.second.map((start) => Math.min(start - (start % 60) + 60, START + 200));
    const windowSeconds = Uint16Array.from(ends, (end, at) => end - (series.second[at] ?? 0));
    return [label, { ...series, windowSeconds }];
  });
}

/** Half of the requests come live, in batches of 10 s, the others from a file. */
async function fill({ points }: CompactedStore): Promise<void> {
  const [live, imported] = [SAMPLES.slice(0, 100), SAMPLES.slice(100)];
  for (let sequence = 0; sequence < 10; sequence++) {
    const own = live.slice(10 * sequence, 10 * sequence + 10);
    await points.append(batchOf(own, { sequence, ...(sequence === 0 && { failures: FAILURES }) }));
  }
  await points.append(batchOf(imported, { sourceId: "file", visibility: "staged" }));
  await points.publish(published("file"));
}

test("a load test is downsampled to minutes: sums, histograms and ends stay exact", async () => {
  const store = await open();
  await fill(store);
  expect(await stored(store)).toEqual(expectedSeries(SAMPLES));
  const before = await store.loadTests.find("run");
  const earlier = await snapshotOf(store);
  expect(await store.points.downsample("run")).toBe(true);
  expect(await stored(store)).toEqual(expectedMinutes());
  expect(await store.loadTests.find("run")).toEqual(before);
  expect(await collect(store.verify())).toEqual([]);
  expect(await seriesIn(earlier)).toEqual(expectedSeries(SAMPLES));
  const later = await snapshotOf(store);
  expect(later.revision).not.toBe(earlier.revision);
  for (const snapshot of [earlier, later]) snapshot.release();
});

test("failures keep their seconds", async () => {
  const store = await open();
  await fill(store);
  await store.points.downsample("run");
  const snapshot = await snapshotOf(store);
  const index = await snapshot.index();
  const [endpoint] = await index.named(index.numbers.subarray(0, 1));
  if (endpoint === undefined) throw new Error("no endpoint");
  const [failures] = await collect(snapshot.failures([endpoint], ALL_SECONDS));
  expect(failures?.second).toEqual(FAILURES.counts.second);
  snapshot.release();
});

const CPU = seriesWith({ name: "cpu", unit: "%", kind: "gauge" });
const SENT = seriesWith({ name: "sent", kind: "counter" });

test("measures become minutes: sums, extremes and the last value stay exact, once and again", async () => {
  const store = await open();
  const [own, live] = [
    [measured(START, 10, CPU), measured(START + 30, 50, CPU), measured(START + 100, 7, CPU)],
    [measured(START - 5, 5, SENT), measured(START + 20, 100, SENT), measured(START + 39, 1, SENT)],
  ];
  const waits = [2000, 4000].map((wait, at) => measured(START + 40 + at, wait));
  await store.points.append(batchOf(SAMPLES, { measures: measureTable([...own, ...live]) }));
  const file = { sourceId: "file", visibility: "staged" } as const;
  const later = [measured(START + 10, 90, CPU), measured(START + 29, 20, CPU)];
  await store.points.append(batchOf([], { ...file, measures: measureTable([...later, ...waits]) }));
  await store.points.publish(published("file"));
  const before = await measuresOfRun(store);
  expect(await store.points.downsample("run")).toBe(true);
  const minutes = await measuresOfRun(store);
  expect(minutes.series).toEqual(before.series);
  expect(columns(minutes.sums, ["series", "second", "count", "sumMillions", "sumNanos"])).toEqual([
    // 10 + 90 % in the first 20 s, 20 + 50 % in the minute after them, 7 % in the next one.
    [0, START, 2, 0, 100e9],
    [0, START + 20, 2, 0, 70e9],
    [0, START + 80, 1, 0, 7e9],
    // 5 before the first request, then 100 + 1.
    [1, START - 40, 1, 0, 5e9],
    [1, START + 20, 2, 0, 101e9],
    [2, START + 20, 2, 0, 6000e9],
  ]);
  expect(columns(minutes.gauges, ["second", "min", "max", "last", "lastAtMillis"])).toEqual([
    [START, 10, 90, 90, 10_000],
    [START + 20, 20, 50, 50, 10_000],
    [START + 80, 7, 7, 7, 20_000],
  ]);
  expect(minutes.histograms).toEqual(before.histograms);
  expect(await store.points.downsample("run")).toBe(true);
  expect(await measuresOfRun(store)).toEqual(minutes);
  expect(await collect(store.verify())).toEqual([]);
});

async function measuresOfRun(store: CompactedStore) {
  const snapshot = await snapshotOf(store);
  try {
    return await measuresIn(snapshot);
  } finally {
    snapshot.release();
  }
}

/** The rows of some columns. */
function columns<Columns extends object>(all: Columns, names: readonly (keyof Columns)[]) {
  const [first] = names.map((name) => all[name] as ArrayLike<number>);
  return Array.from(first ?? [], (_, row) =>
    names.map((name) => (all[name] as ArrayLike<number>)[row]),
  );
}

test("later batches stay, repeated ones are still recognised", async () => {
  const store = await open();
  await fill(store);
  await store.points.downsample("run");
  const again = batchOf(SAMPLES.slice(0, 10), { failures: FAILURES });
  expect(await store.points.append(again)).toEqual({ duplicate: true });
  const late = sample("late", START + 250, 5);
  await store.points.append(batchOf([late], { sequence: 10 }));
  await store.compact();
  const series = await stored(store);
  expect(series.at(-1)).toEqual(expectedSeries([late])[0]);
  expect(series).toHaveLength(4);
  expect(await store.points.downsample("run")).toBe(true);
  expect((await store.loadTests.find("run"))?.requests).toBe(201);
  expect(await collect(store.verify())).toEqual([]);
});

test("a compaction at the same time ends one of the two, and nothing is lost", async () => {
  const store = await open();
  await fill(store);
  const downsampling = store.points.downsample("run");
  await store.loadTests.update("run", { finishedAtMs: 1 });
  await store.compact();
  await downsampling;
  expect(await store.points.downsample("run")).toBe(true);
  expect(await stored(store)).toEqual(expectedMinutes());
});

test("an unknown load test is an error", async () => {
  const store = await open();
  await expect(store.points.downsample("other")).rejects.toMatchObject({
    code: "unknown-load-test",
  });
});
