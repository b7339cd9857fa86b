import { expect, test } from "vitest";
import {
  batchOf,
  expectedSeries,
  type LabelledSample,
  published,
  sample,
  seriesIn,
  snapshotOf,
  stored,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import type { OpenEmptyStore } from "../store.ts";

/** 20 s before a full minute. */
const START = 1_700_000_020;
const SECONDS = 200;

/** A request in each second, of three labels in turns, one in seven failed. */
const SAMPLES: readonly LabelledSample[] = Array.from({ length: SECONDS }, (_, second) => ({
  ...sample(`label ${second % 3}`, START + second, 1000 * (second + 1)),
  failed: second % 7 === 0,
}));

/** By the definition: the same requests, all at the start of their minute. */
function expectedMinutes() {
  const samples = SAMPLES.map((each) => ({
    ...each,
    second: Math.max(START, each.second - (each.second % 60)),
  }));
  return expectedSeries(samples).map(([label, series]) => {
    const ends = series.second.map((at) => Math.min(at - (at % 60) + 60, START + SECONDS));
    const windowSeconds = Uint16Array.from(ends, (end, at) => end - (series.second[at] ?? 0));
    return [label, { ...series, windowSeconds }];
  });
}

export function downsamplingConforms(open: OpenEmptyStore): void {
  test("seconds are merged into minutes, and batches sent again stay duplicates", async () => {
    const store = await open();
    await store.loadTests.create(loadTest());
    const live = batchOf(SAMPLES.slice(0, 100));
    await store.points.append(live);
    const staged = { sourceId: "file", visibility: "staged" } as const;
    await store.points.append(batchOf(SAMPLES.slice(100), staged));
    await store.points.publish(published("file"));
    const before = await store.loadTests.find("run");
    const earlier = await snapshotOf(store);
    expect(await store.points.downsample("run")).toBe(true);
    expect(await stored(store)).toEqual(expectedMinutes());
    expect(await store.loadTests.find("run")).toEqual(before);
    expect(await seriesIn(earlier)).toEqual(expectedSeries(SAMPLES));
    const later = await snapshotOf(store);
    expect(later.revision).not.toBe(earlier.revision);
    for (const snapshot of [earlier, later]) snapshot.release();
    expect(await store.points.append(live)).toEqual({ duplicate: true });
    expect(await store.points.downsample("run")).toBe(true);
    expect(await stored(store)).toEqual(expectedMinutes());
  });

  test("only a known load test is downsampled", async () => {
    const { points } = await open();
    await expect(points.downsample("none")).rejects.toMatchObject({ code: "unknown-load-test" });
  });
}
