import { expect, test } from "vitest";
import { ALL_SECONDS } from "../../../src/model/second-range.ts";
import { readSourceFacts } from "../../../src/query/source-facts.ts";
import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { verifyStore } from "../../../src/store/clickhouse/read/verify.ts";
import { answersOf } from "../../support/answers-of-store.ts";
import {
  batchOf,
  collect,
  published,
  sample,
  type Series,
  snapshotOf,
  stored,
} from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { type PartsForTest, partsForTest } from "./opened-parts.ts";
import { untilRemoved } from "./compaction.ts";
import type { PublishedSource } from "../../../src/store/snapshot.ts";

/** Sources of earlier programs have no distribution if it was invented from averages. */
export function leavesOutInvented(kind: Kind): void {
  const servers = serversForTests(kind);

  test.each([false, true])(
    "Locust's history has neither distribution nor extremes, but its sums (live: %s)",
    async (isLive) => {
      const opened = await holding(await partsForTest(servers()), "locust-history", SOME, {
        isLive,
      });
      await expectEverywhere(opened, ({ elapsedMicros, bucketCount, minMicros, maxMicros }) => {
        expect([...elapsedMicros]).toEqual([7000, 3000]);
        expect([...bucketCount]).toEqual([]);
        expect([...minMicros, ...maxMicros]).toEqual([-Infinity, -Infinity, Infinity, Infinity]);
      });
    },
  );

  test("Artillery 2 has no distribution; windows without a response have no times", async () => {
    const timeouts = [1, 2].map(() => ({ ...sample("a", 110, 0), failed: true }));
    const samples = [...SOME, ...timeouts];
    const opened = await holding(await partsForTest(servers()), "artillery-json", samples);
    await expectEverywhere(opened, (series) => {
      expect([...series.bucketCount]).toEqual([]);
      expect([...series.requests]).toEqual([3, 2, 1]);
      expect([...(series.untimedRequests ?? [])]).toEqual([0, 2, 0]);
      expect([...(series.untimedFailedRequests ?? [])]).toEqual([0, 2, 0]);
      expect([...series.minMicros]).toEqual([1000, Infinity, 3000]);
      expect([...series.maxMicros]).toEqual([4000, -Infinity, 3000]);
    });
  });

  // Artillery 2 reports at most nine values per window: more buckets come from Artillery 1.
  test("Artillery 1 keeps its distribution, which it measured, in all of its windows", async () => {
    const many = Array.from({ length: 12 }, (_, index) => sample("a", 100, 1000 * 2 ** index));
    const samples = [...many, sample("b", 100)];
    const opened = await holding(await partsForTest(servers()), "artillery-json", samples);
    const kept = await stored(opened.store);
    expect(kept.map(([, { bucketCount }]) => bucketCount.length)).toEqual([12, 1]);
  });

  test("what JMeter merged has no distribution, and single samples keep theirs", async () => {
    const opened = await holding(await partsForTest(servers()), "jmeter-line-protocol", SOME);
    await expectEverywhere(opened, (series) => {
      expect([...series.bucketCount]).toEqual([1]);
      expect([...series.bucketsFrom]).toEqual([0, 0, 1]);
    });
  });

  test("a source that says what it lacks is left as it is", async () => {
    const quality = {
      unrecorded: [],
      untimedRequests: 0,
      averagedRequests: 0,
      windowSeconds: 1,
      rejectedRows: 0,
    };
    const opened = await partsForTest(servers());
    await holding(opened, "artillery-json", SOME, { quality });
    const [[, series]] = (await stored(opened.store)) as [[string, Series]];
    expect([...series.bucketCount]).toEqual([1, 1, 1, 1]);
  });

  test("other sources of the load test keep theirs", async () => {
    const opened = await holding(await partsForTest(servers()), "locust-history", SOME);
    await opened.store.points.append(batchOf([sample("b", 100, 5000)], { sourceId: "other" }));
    await expectEverywhere(opened, (series) => expect([...series.bucketCount]).toEqual([]));
    const [, [, other]] = (await stored(opened.store)) as [unknown, [string, Series]];
    expect([...other.bucketCount]).toEqual([1]);
    expect([other.minMicros[0], other.maxMicros[0]]).toEqual([5000, 5000]);
  });

  test("a copy that an earlier program made is not read, and is made anew", async () => {
    const opened = await holding(await partsForTest(servers()), "test", SOME);
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
    const before = await revisionOf(opened);
    expect((await answersOf(opened.store))[0][0]?.[1].bucketCount.length).toBe(4);
    const renamed = `replaceOne(text, '"format":"test"', '"format":"locust-history"')`;
    await change(opened, `measurements UPDATE text = ${renamed} WHERE kind IN ('source', 'batch')`);
    await expectEverywhere(opened, (series) => expect([...series.bucketCount]).toEqual([]));
    expect(await revisionOf(opened)).not.toBe(before);
  });

  test("what such a source lacks follows from its format", async () => {
    const opened = await holding(await partsForTest(servers()), "locust-history", SOME);
    const snapshot = await snapshotOf(opened.store);
    const { remarks } = await readSourceFacts(snapshot).finally(() => snapshot.release());
    expect(remarks.map(({ code }) => code)).toEqual([
      "no-distribution",
      "failure-reasons-not-recorded",
      "not-recorded-when-imported",
    ]);
  });
}

/** Three requests in a window of 5 s, and a single one. */
const SOME = [
  ...[1000, 2000, 4000].map((micros) => sample("a", 100, micros)),
  sample("a", 200, 3000),
];

/** Stores the samples like a program that invents distributions. */
async function holding(
  opened: PartsForTest,
  format: string,
  samples: readonly ReturnType<typeof sample>[],
  { isLive = false, quality }: { isLive?: boolean; quality?: PublishedSource["quality"] } = {},
): Promise<PartsForTest> {
  const { points, loadTests } = opened.store;
  await loadTests.create(loadTest());
  const batch = batchOf(samples, { sourceId: "file", format });
  const windowSeconds = Uint16Array.from(batch.points.requests, (requests) =>
    requests > 1 ? 5 : 1,
  );
  const visibility = isLive ? "live" : "staged";
  const windows = { ...batch.points, windowSeconds };
  await points.append({ ...batch, visibility, points: windows });
  if (!isLive) await points.publish({ ...published("file"), format, quality });
  return opened;
}

/** The first endpoint as in the points, in the source's copy alone, and in the merged copy. */
async function expectEverywhere(
  opened: PartsForTest,
  isRight: (series: Series) => void,
): Promise<void> {
  const { store, parts } = opened;
  const wanted = await answersOf(store);
  isRight(wanted[0][0]?.[1] as Series);
  const sources = await store.points.snapshotBySource("run");
  const source = sources?.sources.find(({ sourceId }) => sourceId === "file");
  const [first] = (await source?.endpoints()) ?? [];
  const series = source?.read([first?.endpoint ?? never()], ALL_SECONDS, "distribution");
  const [alone] = await collect(series ?? never());
  isRight(alone?.columns as Series);
  expect(await new Compactor(parts).compact("run")).toBe("compacted");
  expect(await collect(verifyStore(parts))).toEqual([]);
  await change(opened, "measurements DELETE WHERE kind = 'point'");
  expect(await answersOf(store)).toEqual(wanted);
}

function never(): never {
  throw new Error("the source is not there");
}

async function revisionOf({ store }: PartsForTest): Promise<string> {
  const snapshot = await snapshotOf(store);
  snapshot.release();
  return snapshot.revision;
}

async function change({ parts }: PartsForTest, what: string): Promise<void> {
  const sql = `ALTER TABLE ${parts.cluster.settings.database}.${what}`;
  await Promise.all(parts.cluster.shards.map((shard) => shard.command(sql, { preference: 0 })));
  await untilRemoved({ parts });
}
