import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { Database, parsePostgresUrl } from "../../src/store/postgres/database.ts";
import { deleteSome, openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { sampleOf } from "../../src/model/samples/request-sample.ts";
import { batchOf, published, requestsByLabel, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { startServer } from "./server.ts";

const BATCHES = 300;

/** A store on a server of its own, with a load test without data. */
async function openStore(): Promise<{ readonly url: string; readonly store: Store }> {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const url = await server.create();
  const store = await openPostgresStore(url, { now: Date.now });
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
  return { url, store };
}

/** Appends batches through one process; `work` is repeated meanwhile through another one. */
async function whileBatchesArrive(work: (store: Store) => Promise<void>): Promise<void> {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const url = await server.create();
  const open = async (): Promise<Store> => {
    const store = await openPostgresStore(url, { now: Date.now });
    onTestFinished(() => store.close());
    return store;
  };
  const [one, other] = [await open(), await open()];
  await one.loadTests.create(loadTest());
  const over = new AbortController();
  const repeated = async (): Promise<void> => {
    while (!over.signal.aborted) await work(other);
  };
  const working = repeated();
  working.catch(() => undefined);
  for (let sequence = 0; sequence < BATCHES; sequence++) {
    await one.points.append(batchOf([sample("a", sequence)], { sequence }));
  }
  over.abort();
  await working;
  expect(await requestsByLabel(other)).toEqual([["a", BATCHES]]);
}

test("a load test can be changed while batches arrive at another server", async () => {
  let changes = 0;
  await whileBatchesArrive(async ({ loadTests }) => {
    const { name } = await loadTests.update("run", { name: `${(changes += 1)}` });
    expect(name).toBe(String(changes));
  });
  expect(changes).toBeGreaterThan(10);
});

test("what is verified while batches arrive is no damage", async () => {
  await whileBatchesArrive(async (store) => {
    expect(await Array.fromAsync(store.verify())).toEqual([]);
  });
});

test("an import that goes on while its old batches are deleted is refused", async () => {
  const { url, store } = await openStore();
  await store.points.append(batchOf([sample("a", 1)], { sequence: 0, sourceId: "sender" }));
  const staged = { sourceId: "file", visibility: "staged" } as const;
  await store.points.append(batchOf([sample("a", 1)], { ...staged, sequence: 0 }));

  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("UPDATE sources SET last_batch_at_ms = 1 WHERE visibility = 'staged'");
  await client.query("BEGIN");
  await client.query("SELECT 1 FROM sources FOR UPDATE");
  const database = new Database(parsePostgresUrl(url));
  onTestFinished(() => database.close());
  const untilWaiting = async (count: number): Promise<void> => {
    const sql = "SELECT count(DISTINCT pid)::int AS count FROM pg_locks WHERE NOT granted";
    while ((await client.query<{ count: number }>(sql)).rows[0]?.count !== count) await delay(10);
  };
  const deleting = deleteSome(database);
  await untilWaiting(1);
  const appending = store.points.append(batchOf([sample("a", 2)], { ...staged, sequence: 1 }));
  await untilWaiting(2);
  await client.query("COMMIT");
  await Promise.all([deleting, appending]);
  await expect(store.points.publish(published("file"), [], 2)).rejects.toMatchObject({
    code: "source-incomplete",
  });
  expect(await requestsByLabel(store)).toEqual([["a", 1]]);
});

test("damaged samples and reported percentiles are found", async () => {
  const { url, store } = await openStore();
  const kept = { label: "a", ...sampleOf({ timeMs: 1000, elapsedMicros: 5 }, (text) => text) };
  await store.points.append(batchOf([sample("a", 1)], { samples: [kept] }));
  expect(await Array.fromAsync(store.verify())).toEqual([]);
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const flip = "UPDATE samples SET bytes = set_byte(bytes, 20, get_byte(bytes, 20) # 1)";
  await client.query(flip);
  const about = { loadTestId: "run", scope: {} };
  expect(await Array.fromAsync(store.verify())).toMatchObject([
    { ...about, message: 'the samples of source "sender" are damaged' },
  ]);
  await client.query(flip);
  await client.query(
    "INSERT INTO reported_percentiles SELECT load_test, number, 0, 'x' FROM sources",
  );
  expect(await Array.fromAsync(store.verify())).toMatchObject([
    { ...about, message: 'the reported percentiles of source "sender" are damaged' },
  ]);
});
