import { expect, test } from "vitest";
import { contentsOf } from "../../../src/store/clickhouse/write/contents.ts";
import { encodeBatches } from "../../../src/store/clickhouse/write/rows.ts";
import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { sourceNumber } from "../../../src/store/clickhouse/catalogue/sources.ts";
import { Sweeper } from "../../../src/store/clickhouse/compaction/sweeper.ts";
import { verifyStore } from "../../../src/store/clickhouse/read/verify.ts";
import type { PointBatch, Store } from "../../../src/store/store.ts";
import { batchOf, collect, requestsByLabel, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { type PartsForTest, partsForTest } from "./opened-parts.ts";
import { untilRemoved } from "./compaction.ts";

const HOUR_MS = 3_600_000;

/** If several contents are stored under one number, everyone reads the same one, whole. */
export function setsContentsAside(kind: Kind): void {
  const servers = serversForTests(kind);

  test.each([
    { what: "a batch that won a claim stays", isFirst: true, rivalClaimed: false, shown: "own" },
    {
      what: "a batch without a claim gives way",
      isFirst: false,
      rivalClaimed: true,
      shown: "rival",
    },
  ] as const)("$what, in every answer", async ({ isFirst, rivalClaimed, shown }) => {
    const opened = await partsForTest(servers());
    const store = opened.store as Store;
    await store.loadTests.create(loadTest());
    const sequence = isFirst ? 0 : 1;
    if (!isFirst) await store.points.append(batchOf([sample("before", 5)]));
    const before = isFirst ? [] : [["before", 1]];
    await store.points.append(contents("own", sequence));
    await storeRival(opened, contents("rival", sequence), rivalClaimed);
    const expected = [...before, ["both", shown === "own" ? 2 : 3], [shown, 1]];

    expect(await requestsByLabel(store)).toEqual(expected);
    expect(await bySource(store)).toEqual(expected);
    expect(await inViews(opened)).toBe(sumOf(expected));
    expect(await store.loadTests.find("run")).toMatchObject({
      requests: sumOf(expected),
      endpoints: expected.length,
    });
    const aside = shown === "own" ? 4 : 3;
    const found = await damages(opened);
    expect(found).toEqual([
      `source "sender": batch ${sequence} was stored with other contents, too: those with ${aside} requests are set aside`,
    ]);
    const [kept, other] =
      shown === "own" ? (["own", "rival"] as const) : (["rival", "own"] as const);
    expect(await store.points.append(contents(kept, sequence))).toEqual({ duplicate: true });
    await expect(store.points.append(contents(other, sequence))).rejects.toMatchObject({
      code: "sequence-reused",
    });
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
    expect(await requestsByLabel(store)).toEqual(expected);

    const sweeper = new Sweeper(opened.parts);
    expect((await sweeper.pass()).removed).toBe(0);
    opened.pass(HOUR_MS);
    expect((await sweeper.pass()).removed).toBe(1);
    await untilRemoved(opened);
    expect(await damages(opened)).toEqual([]);
    expect(await requestsByLabel(store)).toEqual(expected);
  });
}

/** "own" has 3 requests, "rival" 4. */
function contents(name: "own" | "rival", sequence: number): PointBatch {
  const times = name === "own" ? [6, 7] : [6, 7, 8];
  return batchOf([...times.map((second) => sample("both", second)), sample(name, 9)], { sequence });
}

/** As stored by another process that checked before the batch arrived. */
async function storeRival(
  { parts }: PartsForTest,
  batch: PointBatch,
  isClaimed: boolean,
): Promise<void> {
  const { stored } = await parts.attributes.standing("run");
  if (stored === undefined) throw new Error("no load test");
  const rival = contentsOf(batch);
  const rows = {
    shardKey: stored.shardKey,
    source: sourceNumber("sender", 0),
    sequence: batch.sequence,
    follows: 0,
    note: { sourceId: "sender", generation: 0, isLive: true, format: undefined },
    contents: rival,
    newLabels: rival.labels,
    storedAtMs: Date.now(),
    writer: 9n,
    isClaimed,
  };
  const shard = parts.cluster.shards[stored.shardKey.shard];
  await shard?.insert("measurements", encodeBatches([rows]), { preference: 0 });
}

async function damages({ parts }: PartsForTest): Promise<readonly string[]> {
  const found = await collect(verifyStore(parts));
  return found.map(({ message }) => message);
}

/** The same, read source by source as `copy` does; there is one source. */
async function bySource(store: Store): Promise<readonly (readonly [string, number])[]> {
  const snapshot = await store.points.snapshotBySource("run");
  const [source] = snapshot?.sources ?? [];
  if (source === undefined) throw new Error("no source");
  const endpoints = (await source.endpoints()).map(({ endpoint }) => endpoint);
  const series = await collect(source.read(endpoints, { from: 0, until: 100 }, "sums"));
  return series.map(({ endpoint, columns }) => [
    endpoint.label,
    columns.requests.reduce((sum, requests) => sum + requests, 0),
  ]);
}

async function inViews({ parts }: PartsForTest): Promise<number> {
  const { stored } = await parts.attributes.standing("run");
  const { database } = parts.cluster.settings;
  const sql = `SELECT sum(requests) AS a_requests FROM ${database}.visible_points WHERE load_test_id = 'run'`;
  const blocks = await parts.cluster.shards[stored?.shardKey.shard ?? 0]?.read(sql, {
    preference: 0,
  });
  return Number(blocks?.[0]?.bigints("a_requests")[0]);
}

function sumOf(expected: readonly (readonly (string | number)[])[]): number {
  return expected.reduce((sum, [, requests]) => sum + Number(requests), 0);
}
