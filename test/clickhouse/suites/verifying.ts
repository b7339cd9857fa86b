import { expect, test } from "vitest";
import { reportedPercentiles } from "../../../src/model/reported-percentiles.ts";
import { Compactor } from "../../../src/store/clickhouse/compaction/compactor.ts";
import { verifyStore } from "../../../src/store/clickhouse/read/verify.ts";
import type { Damage } from "../../../src/store/store.ts";
import { batchOf, collect, published, sample, snapshotOf } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";
import { type Kind, serversForTests } from "../stores/servers-for-tests.ts";
import { type PartsForTest, partsForTest } from "./opened-parts.ts";
import { untilRemoved } from "./compaction.ts";

/** Damaged rows are found and reported with the affected load test. */
export function findsDamage(kind: Kind): void {
  const servers = serversForTests(kind);

  test("where nothing is wrong nothing is found, with and without a copy", async () => {
    const opened = await openedWithFile(servers());
    expect(await damages(opened)).toEqual([]);
    expect(await new Compactor(opened.parts).compact("run")).toBe("compacted");
    expect(await damages(opened)).toEqual([]);
  });

  test.each([
    {
      what: "points that are not there",
      change: "measurements DELETE WHERE kind = 'point' AND second = 7",
      message: 'source "sender": requests of its points are 0, its batches say 1',
    },
    {
      what: "points that say something else",
      change: "measurements UPDATE failed_requests = 1 WHERE kind = 'point' AND second = 7",
      message: 'source "sender": failedRequests of its points are 1, its batches say 0',
    },
    {
      what: "another label",
      change: "measurements UPDATE text = 'b' WHERE kind = 'label' AND text = 'a'",
      message: 'label "b": its hash is e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98, not 86f7e437faa5',
    },
    {
      what: "a label that is not there",
      change: "measurements DELETE WHERE kind = 'label' AND text = 'a'",
      message: "1 endpoints have points and no label, the first is 86f7e437faa5",
    },
    {
      what: "a copy that lacks a row",
      change: "sealed_points DELETE WHERE second = 7",
      message: "its copy has 2 of 3 rows, and is not read there",
    },
    {
      what: "a copy that holds something else",
      change: "sealed_points UPDATE elapsed_micros = 5 WHERE second = 7",
      message: "its copy differs from its points in weighed_elapsed_micros",
    },
    {
      what: "a copy that holds another endpoint",
      change: "sealed_points UPDATE endpoint_number = 5 WHERE second = 7",
      message: "its copy differs from its points in weighed_requests, weighed_elapsed_micros",
    },
    {
      what: "a copy with other failed requests",
      change: "sealed_points UPDATE `failed_histogram.requests` = [toUInt64(5)] WHERE second = 8",
      message: "its copy differs from its points in weighed_outcomes",
    },
    {
      what: "a copy without the times of passed and failed requests",
      change: "sealed_points UPDATE outcome_micros = emptyArrayUInt64() WHERE second = 8",
      message: "its copy differs from its points in passed_min, passed_max, failed_min, failed_max",
    },
  ])("$what: is found", async ({ change, message }) => {
    const opened = await openedWithFile(servers());
    await new Compactor(opened.parts).compact("run");
    await alter(opened, change);
    const found = await damages(opened);
    expect(found[0]).toMatchObject({ loadTestId: "run" });
    expect(found[0]?.message).toContain(message);
  });

  test.each([
    { what: "bytes that are missing", change: `replaceOne(users, '"rows":"', '"rows":"AAAA')` },
    { what: "an endpoint without a label", change: `replaceOne(users, '86f7e437', '00000000')` },
    { what: "text that is no JSON", change: "substring(users, 2)" },
    { what: "no rows", change: `replaceOne(users, '"rows"', '"seats"')` },
  ])("reported percentiles with $what: reading and verifying find it", async ({ change }) => {
    const opened = await openedWithFile(servers());
    const snapshot = await snapshotOf(opened.store);
    expect([...(await snapshot.reported("file")).micros]).toEqual([1234]);
    await alter(
      opened,
      `measurements UPDATE users = ${change} WHERE kind = 'batch' AND sequence = 1`,
    );
    const message = 'batch 1 of source "file" of load test "run"';
    await expect(snapshot.reported("file")).rejects.toMatchObject({
      code: "damaged-store",
      message: expect.stringContaining(message) as string,
    });
    expect((await snapshot.reported("sender")).micros).toHaveLength(0);
    const [found] = await damages(opened);
    expect(found?.message).toContain(message);
  });

  test("a published file that lacks a batch on every replica is found", async () => {
    const opened = await openedWithFile(servers());
    await alter(opened, "measurements DELETE WHERE kind = 'batch' AND sequence = 1");
    const [found] = await damages(opened);
    expect(found?.loadTestId).toBe("run");
    expect(found?.message).toMatch(/^its sources: .* each replica has lacked batches/);
  });
}

/** Of the label "a". */
const P95 = reportedPercentiles([
  { label: 1, window: { second: 9, windowSeconds: 1 }, percentiles: [[0.95, 1234]] },
]);

/** A load test with a sender and a file of two batches. */
async function openedWithFile(servers: Parameters<typeof partsForTest>[0]): Promise<PartsForTest> {
  const opened = await partsForTest(servers);
  const { points, loadTests } = opened.store;
  await loadTests.create(loadTest());
  await points.append(batchOf([sample("a", 7)], { sourceId: "sender" }));
  for (const sequence of [0, 1]) {
    const staged = { sourceId: "file", sequence, visibility: "staged" } as const;
    const failed = { ...sample("c", 8, 9000), failed: true };
    const batch = batchOf([sample("c", 8 + sequence), failed], staged);
    await points.append(sequence === 0 ? batch : { ...batch, labels: ["c", "a"], reported: P95 });
  }
  await points.publish(published("file"));
  return opened;
}

async function damages({ parts }: PartsForTest): Promise<readonly Damage[]> {
  return collect(verifyStore(parts));
}

/** Changes rows behind the store's back. */
async function alter({ parts }: PartsForTest, change: string): Promise<void> {
  const sql = `ALTER TABLE ${parts.cluster.settings.database}.${change}`;
  await Promise.all(parts.cluster.shards.map((shard) => shard.command(sql, { preference: 0 })));
  await untilRemoved({ parts });
}
