import { expect, test } from "vitest";
import { openAudit } from "../../../src/store/clickhouse/catalogue/audit.ts";
import { contentsOf } from "../../../src/store/clickhouse/write/contents.ts";
import type { StoredLoadTest } from "../../../src/store/clickhouse/catalogue/attributes.ts";
import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { type Swept, Sweeper } from "../../../src/store/clickhouse/compaction/sweeper.ts";
import type { PointBatch } from "../../../src/store/store.ts";
import { answers, answersOf } from "../../support/answers-of-store.ts";
import { batchOf, published, sample, snapshotOf, endpointsOf } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { type PartsForTest, partsForTest } from "./opened-parts.ts";
import { untilRemoved } from "./compaction.ts";

const HOUR_MS = 3_600_000;

/** Rows that nobody can read are removed, and no others. */
export function sweepsWhatIsGone(kind: Kind): void {
  const servers = serversForTests(kind);

  test("a deleted load test is removed an hour after it was found gone, and so is what comes late", async () => {
    const opened = await openedWith(servers());
    const { points, loadTests } = opened.store;
    await new Compactor(opened.parts).compact("run");
    const held = await snapshotOf(opened.store);
    const expected = await answers(held);
    const stored = await storedOf(opened);
    await loadTests.delete("run");
    const sweeper = new Sweeper(opened.parts);
    expect(await pass(sweeper, opened, 0)).toEqual({ removed: 0, forgotten: 0 });
    expect(await pass(sweeper, opened, HOUR_MS / 2)).toEqual({ removed: 0, forgotten: 0 });
    expect(await answers(held)).toEqual(expected);
    // Its points and its copy.
    expect(await pass(sweeper, opened, HOUR_MS / 2)).toEqual({ removed: 2, forgotten: 0 });
    expect(await rowsOf(opened, "measurements")).toBe(0);
    expect(await rowsOf(opened, "sealed_points")).toBe(0);

    await loadTests.create(loadTest());
    await points.append(batch("sender", 0, "new"));
    await appendLate(opened, stored, batch("sender", 1, "late"));
    // Removed more than an hour before.
    expect(await pass(sweeper, opened, 0)).toEqual({ removed: 1, forgotten: 0 });
    // A batch, its label and its point.
    expect(await rowsOf(opened, "measurements")).toBe(3);
    expect(await labelsOf(opened)).toEqual(["new"]);
  });

  test("of a source that was replaced, points go and what tells a retry stays", async () => {
    const opened = await openedWith(servers());
    const { points } = opened.store;
    const earlier = batch("file", 0, "earlier", "staged");
    await points.append(earlier);
    await points.publish(published("file"));
    await points.append(batch("file again", 0, "later", "staged"));
    await points.publish(published("file again"), ["file"]);
    await points.withdraw("run", "sender");
    const before = await answersOf(opened.store);
    const sweeper = new Sweeper(opened.parts);
    await pass(sweeper, opened, 0);
    expect(await pass(sweeper, opened, HOUR_MS)).toMatchObject({ removed: 2 });
    expect(await labelRowsOf(opened)).toEqual(["later"]);
    expect(await answersOf(opened.store)).toEqual(before);
    expect(await points.append(batch("sender", 0, "a"))).toEqual({ duplicate: true });
    expect(await pass(sweeper, opened, HOUR_MS)).toEqual({ removed: 0, forgotten: 0 });
  });

  test("copies that others took the place of are removed, and the one in use is not", async () => {
    const opened = await openedWith(servers());
    const compactor = new Compactor(opened.parts);
    for (let sequence = 1; sequence < 4; sequence++) {
      expect(await compactor.compact("run")).toBe("compacted");
      await opened.store.points.append(batch("sender", sequence, "a"));
    }
    const held = await snapshotOf(opened.store);
    const expected = await answers(held);
    const sweeper = new Sweeper(opened.parts);
    await pass(sweeper, opened, 0);
    expect(await answers(held)).toEqual(expected);
    expect(await pass(sweeper, opened, HOUR_MS)).toEqual({ removed: 2, forgotten: 0 });
    expect(await rowsOf(opened, "sealed_points")).toBe(1);
    expect(await answersOf(opened.store)).toEqual(expected);
    await expect(answers(held)).rejects.toMatchObject({ code: "busy" });
  });

  test("entries of the audit log are deleted after 400 days", async () => {
    const opened = await openedWith(servers());
    const audit = openAudit(opened.parts.cluster);
    const entry = { project: undefined, key: "ci", outcome: "done", details: undefined };
    for (const [target, days] of [
      ["old", 401],
      ["new", 399],
    ] as const) {
      const atMs = Date.now() - days * 24 * HOUR_MS;
      await audit.add({ ...entry, atMs, operation: "x", target });
    }
    await pass(new Sweeper(opened.parts), opened, 0);
    expect(await audit.list({ project: undefined, limit: 9 })).toMatchObject([{ target: "new" }]);
  });

  test("a file that was not published for a day is forgotten, and can be imported anew", async () => {
    const opened = await openedWith(servers());
    const { points } = opened.store;
    await points.append(batch("file", 0, "killed", "staged"));
    const sweeper = new Sweeper(opened.parts);
    expect(await pass(sweeper, opened, 23 * HOUR_MS)).toMatchObject({ forgotten: 0 });
    expect(await pass(sweeper, opened, 2 * HOUR_MS)).toMatchObject({ forgotten: 1 });
    expect(await pass(sweeper, opened, HOUR_MS)).toEqual({ removed: 1, forgotten: 0 });
    expect(await labelRowsOf(opened)).toEqual(["a"]);
    await points.append(batch("file", 0, "again", "staged"));
    await points.publish(published("file"));
    expect(await labelsOf(opened)).toEqual(["a", "again"]);
  });
}

/** With a load test that has one batch of a sender. */
async function openedWith(servers: Parameters<typeof partsForTest>[0]): Promise<PartsForTest> {
  const opened = await partsForTest(servers);
  await opened.store.loadTests.create(loadTest());
  await opened.store.points.append(batch("sender", 0, "a"));
  return opened;
}

function batch(
  sourceId: string,
  sequence: number,
  label: string,
  visibility: PointBatch["visibility"] = "live",
): PointBatch {
  return batchOf([sample(label, 7)], { sourceId, sequence, visibility });
}

/** Advances the clock, sweeps, and waits until the servers have finished. */
async function pass(sweeper: Sweeper, opened: PartsForTest, ms: number): Promise<Swept> {
  opened.pass(ms);
  const swept = await sweeper.pass();
  await untilRemoved(opened);
  return swept;
}

async function storedOf({ parts }: PartsForTest): Promise<StoredLoadTest> {
  const { stored } = await parts.attributes.standing("run");
  if (stored === undefined) throw new Error("no load test");
  return stored;
}

/** Like another process that has not noticed the change of the load test. */
async function appendLate(
  { parts }: PartsForTest,
  stored: StoredLoadTest,
  late: PointBatch,
): Promise<void> {
  await parts.writers.of(stored.shardKey).append(stored, late, contentsOf(late));
}

async function rowsOf({ parts }: PartsForTest, table: string): Promise<number> {
  const sql = `SELECT count() AS a_rows FROM ${parts.cluster.settings.database}.${table}`;
  const counts = parts.cluster.shards.map(async (shard) => {
    const [block] = await shard.read(sql, { preference: 0 });
    return block?.numbers("a_rows")[0] as number;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** The labels of all rows, visible or not. */
async function labelRowsOf({ parts }: PartsForTest): Promise<readonly string[]> {
  const { shardKey } = await storedOf({ parts } as PartsForTest);
  const { database } = parts.cluster.settings;
  const sql = `SELECT DISTINCT text FROM ${database}.measurements
WHERE kind = 'label' AND endpoint_hash IN (SELECT endpoint_hash FROM ${database}.measurements
WHERE kind = 'point')`;
  const blocks = await parts.cluster.shards[shardKey.shard]?.read(sql, { preference: 0 });
  return (blocks ?? []).flatMap((block) => block.strings("text")).toSorted();
}

async function labelsOf({ store }: PartsForTest): Promise<readonly string[]> {
  const snapshot = await snapshotOf(store);
  return (await endpointsOf(snapshot)).map(({ label }) => label);
}
