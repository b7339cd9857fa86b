import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  batchOf,
  collect,
  published,
  sample,
  type Series,
  stored,
  endpointsOf,
} from "../../../../test/support/batches.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { ALL_SECONDS } from "../../../model/second-range.ts";
import type { PointBatch, Store } from "../../store.ts";
import { removeInventedDistributions } from "./invented-distributions.ts";

/** Opens the file in the layout that the step expects; opening the store upgrades it again. */
function openVersion18(directory: string): DatabaseSync {
  const database = new DatabaseSync(path.join(directory, "store.db"));
  database.exec(`
    INSERT INTO distribution_segments
      SELECT block, distribution FROM segments WHERE distribution IS NOT NULL;
    ALTER TABLE segments DROP COLUMN distribution;
    ALTER TABLE segments RENAME COLUMN plain TO bytes;
    ALTER TABLE segments RENAME TO plain_segments;
    PRAGMA user_version = 18;
  `);
  return database;
}

/** Returns the stored series of a file of the given format after the upgrade. */
async function upgraded(format: string, batch: PointBatch): Promise<Series> {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create({ id: "run", name: "Run", createdAtMs: 1 });
  await store.points.append({ ...batch, sourceId: "file", visibility: "staged" });
  await store.points.publish({ ...published("file"), format });
  await store.close();
  const database = openVersion18(directory);
  removeInventedDistributions(database);
  database.close();
  const again = await openStoreIn(directory);
  expect(await collect(again.verify())).toEqual([]);
  const [[, series]] = (await stored(again)) as [[string, Series]];
  return series;
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => sample("a", 100, 1000 * 2 ** index));

test("Locust's history loses distribution and extremes, and keeps its sums", async () => {
  const series = await upgraded("locust-history", batchOf(rows(3)));
  expect([...series.elapsedMicros]).toEqual([7000]);
  expect([...series.bucketCount]).toEqual([]);
  expect([series.minMicros[0], series.maxMicros[0]]).toEqual([-Infinity, Infinity]);
});

test("Artillery 2 loses the distribution; windows without a response have no times", async () => {
  const timeouts = [1, 2].map(() => ({ ...sample("a", 110, 0), failed: true }));
  const series = await upgraded("artillery-json", batchOf([...rows(3), ...timeouts]));
  expect([...series.bucketCount]).toEqual([]);
  expect([...series.requests]).toEqual([3, 2]);
  expect([...(series.untimedRequests ?? [])]).toEqual([0, 2]);
  expect([...(series.untimedFailedRequests ?? [])]).toEqual([0, 2]);
  expect([...series.minMicros]).toEqual([1000, Infinity]);
  expect([...series.maxMicros]).toEqual([4000, -Infinity]);
});

// Artillery 2 gives at most nine buckets per window; more come from Artillery 1.
test("Artillery 1 keeps its measured distribution", async () => {
  const series = await upgraded("artillery-json", batchOf(rows(12)));
  expect([...series.bucketCount]).toEqual(Array.from({ length: 12 }, () => 1));
});

test("merged JMeter windows lose their distribution, and single samples keep theirs", async () => {
  const batch = batchOf([...rows(3), sample("a", 200, 5000)]);
  const points = { ...batch.points, windowSeconds: Uint16Array.of(5, 1) };
  const series = await upgraded("jmeter-line-protocol", { ...batch, points });
  expect([...series.bucketCount]).toEqual([1]);
  expect([...series.bucketsFrom]).toEqual([0, 0, 1]);
});

/** Creates a store with a Locust history in each load test, before the upgrade. */
async function directoryWith(ids: readonly string[]): Promise<string> {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  for (const id of ids) {
    await store.loadTests.create(loadTest(id));
    const about = { loadTestId: id, sourceId: "file", visibility: "staged" } as const;
    await store.points.append(batchOf([sample("a", 1), sample("a", 1)], about));
    await store.points.publish({ ...published("file", id), format: "locust-history" });
  }
  await store.close();
  return directory;
}

async function bucketsIn(store: Store, id: string): Promise<number> {
  const snapshot = await store.points.snapshot(id);
  if (snapshot === undefined) throw new Error(`no load test ${id}`);
  const series = snapshot.read(await endpointsOf(snapshot), ALL_SECONDS, "distribution");
  const [only] = await collect(series).finally(() => snapshot.release());
  return only?.columns.bucket.length ?? 0;
}

test.each([
  ["a damaged segment", "UPDATE plain_segments SET bytes = x'00'"],
  ["a missing segment", "DELETE FROM distribution_segments"],
  ["a damaged row", "UPDATE blocks SET last_second = last_second + 1"],
])("%s does not block the upgrade and is still reported", async (_, damage) => {
  const directory = await directoryWith(["damaged", "whole"]);
  const database = openVersion18(directory);
  const key = damage.includes("segments") ? "block" : "number";
  database.exec(`${damage} WHERE ${key} = (SELECT min(number) FROM blocks)`);
  removeInventedDistributions(database);
  database.close();
  const store = await openStoreIn(directory);
  expect(await bucketsIn(store, "whole")).toBe(0);
  const damaged = (await collect(store.verify())).map(({ loadTestId }) => loadTestId);
  expect(new Set(damaged)).toEqual(new Set(["damaged"]));
});
