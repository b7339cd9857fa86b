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
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { ALL_SECONDS } from "../../../model/second-range.ts";

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
  expect(await store.points.downsample?.("run")).toBe(true);
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
  await store.points.downsample?.("run");
  const snapshot = await snapshotOf(store);
  const index = await snapshot.index();
  const [endpoint] = await index.named(index.numbers.subarray(0, 1));
  if (endpoint === undefined) throw new Error("no endpoint");
  const [failures] = await collect(snapshot.failures([endpoint], ALL_SECONDS));
  expect(failures?.second).toEqual(FAILURES.counts.second);
  snapshot.release();
});

test("batches that come later are kept, repeated ones are still recognised", async () => {
  const store = await open();
  await fill(store);
  await store.points.downsample?.("run");
  const again = batchOf(SAMPLES.slice(0, 10), { failures: FAILURES });
  expect(await store.points.append(again)).toEqual({ duplicate: true });
  const late = sample("late", START + 250, 5);
  await store.points.append(batchOf([late], { sequence: 10 }));
  await store.compact();
  const series = await stored(store);
  expect(series.at(-1)).toEqual(expectedSeries([late])[0]);
  expect(series).toHaveLength(4);
  expect(await store.points.downsample?.("run")).toBe(true);
  expect((await store.loadTests.find("run"))?.requests).toBe(201);
  expect(await collect(store.verify())).toEqual([]);
});

test("a compaction at the same time ends one of the two, and nothing is lost", async () => {
  const store = await open();
  await fill(store);
  const downsampling = store.points.downsample?.("run");
  await store.loadTests.update("run", { finishedAtMs: 1 });
  await store.compact();
  await downsampling;
  expect(await store.points.downsample?.("run")).toBe(true);
  expect(await stored(store)).toEqual(expectedMinutes());
});

test("an unknown load test is an error", async () => {
  const store = await open();
  await expect(store.points.downsample?.("other")).rejects.toMatchObject({
    code: "unknown-load-test",
  });
});
