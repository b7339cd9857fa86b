/** Several stores on one file simulate several processes: they share only the file. */

import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import {
  batchOf,
  expectedSeries,
  published,
  requestsByLabel,
  sample,
  seriesIn,
  snapshotOf,
  stored,
  endpointsOf,
} from "../../../test/support/batches.ts";
import { randomFrom } from "../../../test/support/dense-points.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";

const DAY_MS = 86_400_000;

test("processes read each other's writes and number the same labels alike", async () => {
  const directory = temporaryDirectory();
  const [one, other] = [await openStoreIn(directory), await openStoreIn(directory)];
  await one.loadTests.create(loadTest());
  const samples = ["b", "a"].map((label) => sample(label, 1));
  await one.points.append(batchOf(samples));
  await other.points.append(batchOf([...samples, sample("c", 2)], { sourceId: "2" }));
  await one.points.append(batchOf([sample("c", 2), sample("d", 3)], { sequence: 1 }));
  const all = [...samples, ...samples, sample("c", 2), sample("c", 2), sample("d", 3)];
  expect(await stored(one)).toEqual(expectedSeries(all));
  expect(await stored(other)).toEqual(expectedSeries(all));
});

test("labels added concurrently by several processes get one number each", async () => {
  const directory = temporaryDirectory();
  const stores = [await openStoreIn(directory), await openStoreIn(directory)];
  await stores[0]?.loadTests.create(loadTest());
  const random = randomFrom(7);
  const batches = Array.from({ length: 24 }, (_, number) => {
    const labels = Array.from({ length: 40 }, () => `/${Math.floor(random() * 200)}`);
    return batchOf(
      [...new Set(labels)].map((label) => sample(label, number + 1)),
      { sourceId: String(number) },
    );
  });
  const appends = batches.map(async (batch, at) => stores[at % 2]?.points.append(batch));
  await Promise.all(appends);
  const requests = new Map<string, number>();
  for (const label of batches.flatMap(({ labels }) => labels)) {
    requests.set(label, (requests.get(label) ?? 0) + 1);
  }
  for (const store of stores) {
    expect(new Map((await requestsByLabel(store)).map(([label, count]) => [label, count]))).toEqual(
      requests,
    );
  }
  const database = new DatabaseSync(path.join(directory, "store.db"), { readOnly: true });
  const { count, last } = database
    .prepare("SELECT count(DISTINCT label) AS count, max(number) AS last FROM endpoints")
    .get() as { count: number; last: number };
  database.close();
  expect([count, last]).toEqual([requests.size, requests.size - 1]);
});

test("a load test that another process deleted and created again is a new one", async () => {
  const directory = temporaryDirectory();
  const [one, other] = [await openStoreIn(directory), await openStoreIn(directory)];
  await one.loadTests.create(loadTest());
  await one.points.append(batchOf([sample("a", 1), sample("b", 1)]));
  await other.loadTests.delete("run");
  await other.loadTests.create(loadTest());
  await other.points.append(batchOf([sample("z", 1)]));
  await one.points.append(batchOf([sample("b", 1)], { sourceId: "2" }));
  expect(await requestsByLabel(other)).toEqual([
    ["b", 1],
    ["z", 1],
  ]);
});

test("a load test deleted while a batch is prepared stores nothing", async () => {
  const directory = temporaryDirectory();
  const [one, other] = [await openStoreIn(directory), await openStoreIn(directory)];
  await one.loadTests.create(loadTest());
  const appended = one.points.append(batchOf([sample("a", 1)]));
  const deleted = other.loadTests.delete("run");
  const [batch] = await Promise.allSettled([appended, deleted]);
  await one.loadTests.create(loadTest());
  expect(await requestsByLabel(one)).toEqual([]);
  expect(["fulfilled", "rejected"]).toContain(batch.status);
});

test("the same batch sent to two processes is stored once", async () => {
  const directory = temporaryDirectory();
  const [one, other] = [await openStoreIn(directory), await openStoreIn(directory)];
  await one.loadTests.create(loadTest());
  const batches = Array.from({ length: 20 }, (_, sequence) =>
    batchOf([sample("a", sequence)], { sequence }),
  );
  const answers = await Promise.all(
    batches.flatMap((batch) => [one.points.append(batch), other.points.append(batch)]),
  );
  expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(20);
  expect(await requestsByLabel(other)).toEqual([["a", 20]]);
});

test("blocks survive a deletion by another process for two minutes and while a snapshot is open", async () => {
  const directory = temporaryDirectory();
  let nowMs = 5_000_000;
  const now = () => nowMs;
  const one = await openStoreIn(directory, { now });
  await one.loadTests.create(loadTest());
  await one.points.append(batchOf([sample("a", 1)]));
  const other = await openStoreIn(directory, { now });
  const snapshot = await snapshotOf(one);
  await endpointsOf(snapshot);
  await other.loadTests.delete("run");

  nowMs += 119_000;
  await (await openStoreIn(directory, { now })).close();
  expect(rowsIn(directory, "blocks")).toBe(1);
  expect(await seriesIn(snapshot)).toEqual(expectedSeries([sample("a", 1)]));

  nowMs += 2000;
  await one.points.discard("run", "nothing");
  expect(rowsIn(directory, "blocks")).toBe(1);
  snapshot.release();
  await one.points.discard("run", "nothing");
  expect(rowsIn(directory, "blocks")).toBe(0);
  expect(rowsIn(directory, "segments")).toBe(0);
  expect(rowsIn(directory, "endpoints")).toBe(0);
});

test("a command whose clock is ahead deletes nothing that the server of the file has hidden or staged", async () => {
  const directory = temporaryDirectory();
  const server = await openStoreIn(directory, { now: () => 5_000_000 });
  await server.loadTests.create(loadTest());
  await server.points.append(batchOf([sample("a", 1)]));
  const staged = batchOf([sample("b", 1)], { sourceId: "file", visibility: "staged" });
  await server.points.append(staged);
  const writer = server.files.begin({ loadTestId: "run", name: "kept" });
  await writer.write(new Uint8Array(9_000_000));
  const snapshot = await snapshotOf(server);
  await server.points.withdraw("run", "sender");
  const ahead = { now: () => 5_000_000 + 2 * DAY_MS, isServed: () => true };
  const command = await openStoreIn(directory, ahead);
  await command.points.discard("run", "nothing");
  expect(await seriesIn(snapshot)).toEqual(expectedSeries([sample("a", 1)]));
  snapshot.release();
  await writer.finish();
  await server.points.publish(published("file"), [], 1);
  expect(await requestsByLabel(command)).toEqual([["b", 1]]);
});

test("a snapshot whose blocks are gone is an error and returns nothing", async () => {
  const directory = temporaryDirectory();
  let nowMs = 5_000_000;
  const now = () => nowMs;
  const one = await openStoreIn(directory, { now });
  await one.loadTests.create(loadTest());
  await one.points.append(batchOf([sample("a", 1)]));
  const snapshot = await snapshotOf(one);
  const other = await openStoreIn(directory, { now });
  await other.loadTests.delete("run");
  nowMs += 130_000;
  await openStoreIn(directory, { now });
  await expect(seriesIn(snapshot)).rejects.toMatchObject({ code: "busy" });
  snapshot.release();
});

test("the remains of a killed import are never visible and are deleted after a day", async () => {
  const directory = temporaryDirectory();
  let nowMs = 10 * DAY_MS;
  const now = () => nowMs;
  const store = await openStoreIn(directory, { now });
  await store.loadTests.create(loadTest());
  const batch = batchOf([sample("a", 1)], { sourceId: "file", visibility: "staged" });
  await store.points.append(batch);
  await store.close();

  nowMs += DAY_MS - 1;
  const nextDay = await openStoreIn(directory, { now });
  expect(await nextDay.points.append(batch)).toEqual({ duplicate: true });
  await nextDay.close();
  expect(rowsIn(directory, "blocks")).toBe(1);

  nowMs += 2 * DAY_MS;
  const later = await openStoreIn(directory, { now });
  expect(await stored(later)).toEqual([]);
  expect(["sources", "batches", "blocks"].map((table) => rowsIn(directory, table))).toEqual([
    0, 0, 0,
  ]);
});

test("an import whose first half was deleted cannot be published", async () => {
  const directory = temporaryDirectory();
  let nowMs = 10 * DAY_MS;
  const now = () => nowMs;
  const store = await openStoreIn(directory, { now });
  await store.loadTests.create(loadTest());
  const about = { sourceId: "file", visibility: "staged" } as const;
  await store.points.append(batchOf([sample("a", 1)], about));
  nowMs += 2 * DAY_MS;
  await openStoreIn(directory, { now });
  await store.points.append(batchOf([sample("a", 2)], { ...about, sequence: 1 }));
  await expect(store.points.publish(published("file"))).rejects.toMatchObject({
    code: "source-incomplete",
  });
});

test("the space of a deleted load test is returned to the disk", async () => {
  const directory = temporaryDirectory();
  let nowMs = 5_000_000;
  await (await openStoreIn(directory, { now: () => nowMs })).close();
  const file = path.join(directory, "store.db");
  const empty = statSync(file).size;
  const store = await openStoreIn(directory, { now: () => nowMs });
  await store.loadTests.create(loadTest());
  const random = randomFrom(1);
  for (let sequence = 0; sequence < 20; sequence++) {
    const samples = Array.from({ length: 1000 }, (_, index) =>
      sample(`label ${index}`, sequence, Math.floor(random() * 1e9)),
    );
    await store.points.append(batchOf(samples, { sequence }));
  }
  await store.loadTests.delete("run");
  await store.close();
  expect(statSync(file).size).toBeGreaterThan(empty);
  nowMs += 120_000;
  await (await openStoreIn(directory, { now: () => nowMs })).close();
  expect(statSync(file).size).toBe(empty);
});

test("the log is empty after closing", async () => {
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest());
  await store.close();
  expect(existsSync(path.join(directory, "store.db-wal"))).toBe(false);
});

function rowsIn(directory: string, table: string): unknown {
  const database = new DatabaseSync(path.join(directory, "store.db"), { readOnly: true });
  try {
    return database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"];
  } finally {
    database.close();
  }
}
