import { expect, onTestFinished, test } from "vitest";
import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { Downsampler } from "../../../src/store/clickhouse/compaction/downsampler.ts";
import { Sweeper } from "../../../src/store/clickhouse/compaction/sweeper.ts";
import { verifyStore } from "../../../src/store/clickhouse/read/verify.ts";
import { ALL_SECONDS } from "../../../src/model/second-range.ts";
import { openSqliteStore } from "../../../src/store/sqlite/store.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { answers, answersOf } from "../../support/answers-of-store.ts";
import {
  batchOf,
  collect,
  type LabelledSample,
  published,
  sample,
  snapshotOf,
} from "../../support/batches.ts";
import { active, failure } from "../../support/details.ts";
import { loadTest } from "../../support/load-tests.ts";
import { measured, measuresIn, seriesWith } from "../../support/measures.ts";
import { failureTable, userTable } from "../../support/plain-details.ts";
import { measureTable } from "../../support/plain-measures.ts";
import { temporaryDirectory } from "../../support/store-directory.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { untilRemoved } from "./compaction.ts";
import { interruptedParts, type Interruption } from "./interruptions.ts";
import { type PartsForTest, partsForTest } from "./opened-parts.ts";

const HOUR_MS = 3_600_000;
/** 20 s before a full minute. */
const START = 1_790_000_020;
const SECONDS = 200;

/** Points and measures become the minutes that they become in a data directory. */
export function mergesIntoMinutes(kind: Kind): void {
  const servers = serversForTests(kind);

  test("minutes are those of a data directory, and readers of seconds are not disturbed", async () => {
    const { opened, oracle } = await filled(servers());
    const held = await snapshotOf(opened.store);
    const seconds = await answersOf(oracle);
    expect(await answers(held)).toEqual(seconds);
    const before = await opened.store.loadTests.find("run");
    expect(await downsample(opened)).toBe(true);
    await oracle.points.downsample?.("run");
    const minutes = await answersOf(oracle);
    expect(minutes).not.toEqual(seconds);
    expect(await answersOf(opened.store)).toEqual(minutes);
    expect(await opened.store.loadTests.find("run")).toEqual(before);
    expect(await damages(opened)).toEqual([]);
    const later = await snapshotOf(opened.store);
    expect(later.revision).not.toBe(held.revision);
    expect((await answers(held)).slice(0, 4)).toEqual(seconds.slice(0, 4));
    expect(await requestsInViews(opened)).toBe(2 * SECONDS);
  });

  test("each source can be read alone, before and after a copy is made of the minutes", async () => {
    const { opened, oracle } = await filled(servers());
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
    await downsample(opened);
    await oracle.points.downsample?.("run");
    expect(await answersOf(opened.store)).toEqual(await answersOf(oracle));
    expect(await bySource(opened.store)).toEqual(await bySource(oracle));
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
    expect(await answersOf(opened.store)).toEqual(await answersOf(oracle));
    for (const each of ["sender 0", "file"]) {
      await opened.store.points.withdraw("run", each);
      await oracle.points.withdraw("run", each);
      expect(await answersOf(opened.store)).toEqual(await answersOf(oracle));
    }
  });

  test("seconds are removed an hour later, and minutes are not", async () => {
    const { opened } = await filled(servers());
    await expect(interrupted(opened, { at: 9, when: "after", happen: end })).rejects.toThrow(
      "the end",
    );
    opened.pass(HOUR_MS);
    expect(await downsample(opened)).toBe(true);
    const minutes = await answersOf(opened.store);
    const sweeper = new Sweeper(opened.parts);
    expect(await sweeper.pass()).toMatchObject({ removed: 0 });
    opened.pass(HOUR_MS);
    expect(await sweeper.pass()).toMatchObject({ removed: 1 });
    await untilRemoved(opened);
    expect(await answersOf(opened.store)).toEqual(minutes);
    expect(await damages(opened)).toEqual([]);
    expect(await requestsInViews(opened)).toBe(2 * SECONDS);
    const [points] = await numbersOf(opened, "countIf(kind = 'point' AND requests > 0)");
    // 3 labels in 5 minutes of the first sender, the second and the file.
    expect(points).toBeLessThanOrEqual(3 * 3 * 5);
    opened.pass(HOUR_MS);
    expect(await sweeper.pass()).toMatchObject({ removed: 0 });
    expect(await downsample(opened)).toBe(true);
    expect(await answersOf(opened.store)).toEqual(minutes);
  });

  test("seconds stay while data may still come", async () => {
    const opened = await partsForTest(servers());
    await opened.store.loadTests.create(loadTest());
    expect(await downsample(opened)).toBe(true);
    await opened.store.points.append(batchOf([sample("a", START)]));
    expect(await downsample(opened)).toBe(false);
    const staged = { sourceId: "file", visibility: "staged" } as const;
    await opened.store.points.append(batchOf([sample("a", START)], staged));
    opened.pass(HOUR_MS);
    expect(await downsample(opened)).toBe(false);
    await opened.store.points.publish(published("file"));
    expect(await downsample(opened)).toBe(true);
    await expect(opened.store.points.downsample?.("other")).rejects.toMatchObject({
      code: "unknown-load-test",
    });
  });

  test("batches that come later count in seconds until they are merged, and repeated ones once", async () => {
    const { opened, oracle } = await filled(servers());
    await downsample(opened);
    await oracle.points.downsample?.("run");
    const late = batchOf([sample("label 1", START + 30, 7), sample("late", START + 250, 5)], {
      sourceId: "sender 0",
      sequence: 99,
      measures: measureTable([measured(START + 31, 3, CPU)]),
    });
    for (const { points } of [opened.store, oracle]) {
      expect(await points.append(senderBatch(0, 0))).toEqual({ duplicate: true });
      expect(await points.append(late)).toEqual({ duplicate: false });
    }
    const [found] = await answersOf(opened.store);
    expect(found.length).toBe(4);
    opened.pass(HOUR_MS);
    expect(await downsample(opened)).toBe(true);
    await oracle.points.downsample?.("run");
    expect(await answersOf(opened.store)).toEqual(await answersOf(oracle));
    expect(await damages(opened)).toEqual([]);
  });

  test.each(["before", "after"] as const)(
    "an attempt that ends %s any of its calls leaves seconds or minutes, and the next one goes on",
    async (when) => {
      const { opened, oracle } = await filled(servers());
      const seconds = await answersOf(oracle);
      await oracle.points.downsample?.("run");
      const minutes = await answersOf(oracle);
      for (let at = 0, isEnded = true; isEnded; at++) {
        isEnded = await interrupted(opened, { at, when, happen: end }).then(
          () => false,
          () => true,
        );
        const [points, ...others] = await answersOf(opened.store);
        expect([seconds[0], minutes[0]]).toContainEqual(points);
        expect([seconds.slice(1), minutes.slice(1)]).toContainEqual(others);
        // Until then other processes leave it to the one that has ended.
        opened.pass(11 * 60_000);
        expect(at).toBeLessThan(60);
      }
      expect(await answersOf(opened.store)).toEqual(minutes);
      expect(await damages(opened)).toEqual([]);
    },
  );
}

function end(): never {
  throw new Error("the end");
}

const CPU = seriesWith({ name: "cpu", unit: "%", kind: "gauge" });

/** A request in each second, of three labels in turns; one in seven failed. */
function samplesFrom(from: number, seconds: number): readonly LabelledSample[] {
  return Array.from({ length: seconds }, (_, at) => ({
    ...sample(`label ${at % 3}`, from + at, 1000 * (at + 1)),
    failed: at % 7 === 0,
  }));
}

/** Ten seconds of one of two senders, of which one sends the line protocol. */
function senderBatch(sender: number, sequence: number): PointBatch {
  const from = START + 10 * sequence;
  return batchOf(samplesFrom(from, 10), {
    sourceId: `sender ${sender}`,
    sequence,
    ...(sender === 1 && { format: "k6-line-protocol" }),
    failures: failureTable([failure(0, "500", from, 1), failure(0, "503", from + 7, 1)]),
    users: userTable([active("host", from, sequence)]),
    measures: measureTable([
      measured(from, 10 + sequence, CPU),
      measured(from + 3, 40 - sequence, CPU),
      measured(from, sequence, seriesWith({ label: 0 })),
    ]),
  });
}

/** The same requests from two senders and a file, in the store and in a data directory; an hour ago. */
async function filled(
  settings: Parameters<typeof partsForTest>[0],
): Promise<{ readonly opened: PartsForTest; readonly oracle: Store }> {
  const opened = await partsForTest(settings);
  const oracle = await openSqliteStore(`${temporaryDirectory()}/store.db`, { now: Date.now });
  onTestFinished(() => oracle.close());
  for (const { loadTests, points } of [opened.store, oracle]) {
    await loadTests.create(loadTest());
    for (let sequence = 0; sequence < SECONDS / 20; sequence++) {
      for (const sender of [0, 1]) await points.append(senderBatch(sender, sequence));
    }
    const staged = { sourceId: "file", visibility: "staged" } as const;
    await points.append(batchOf(samplesFrom(START, SECONDS), staged));
    await points.publish(published("file"));
  }
  opened.pass(HOUR_MS);
  return { opened, oracle };
}

/** Points and measures of each source. */
async function bySource({ points }: Pick<Store, "points">): Promise<readonly unknown[]> {
  const snapshot = await points.snapshotBySource("run");
  const found = (snapshot?.sources ?? []).map(async (source) => {
    const endpoints = (await source.endpoints()).map(({ endpoint }) => endpoint);
    const series = await collect(source.read(endpoints, ALL_SECONDS, "outcomes"));
    return [source.sourceId, series, await measuresIn(source)];
  });
  const all = await Promise.all(found);
  snapshot?.release();
  return all;
}

function downsample({ parts }: PartsForTest): Promise<boolean> {
  return new Downsampler(parts).downsample("run");
}

function interrupted({ parts }: PartsForTest, interruption: Interruption): Promise<boolean> {
  return new Downsampler(interruptedParts(parts, interruption)).downsample("run");
}

async function damages({ parts }: PartsForTest): Promise<readonly unknown[]> {
  return collect(verifyStore(parts));
}

async function requestsInViews(opened: PartsForTest): Promise<number> {
  const [requests] = await numbersOf(opened, "sum(requests)", "visible_points");
  return requests ?? 0;
}

/** One number of each shard, together. */
async function numbersOf(
  { parts }: PartsForTest,
  what: string,
  table = "measurements",
): Promise<readonly number[]> {
  const { database } = parts.cluster.settings;
  const sql = `SELECT ${what} AS a_number FROM ${database}.${table}`;
  const blocks = await Promise.all(
    parts.cluster.shards.map((shard) => shard.read(sql, { preference: 0 })),
  );
  const numbers = blocks.flatMap((own) => own.flatMap((block) => [...block.numbers("a_number")]));
  return [numbers.reduce((sum, number) => sum + number, 0)];
}
