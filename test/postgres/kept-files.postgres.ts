import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { Database, parsePostgresUrl } from "../../src/store/postgres/database.ts";
import { deleteSome, openPostgresStore } from "../../src/store/postgres/store.ts";
import { batchOf, published, requestsByLabel, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { startServer } from "./server.ts";

/** A store with the load test `run`, on a server of its own. */
async function openStore(now = Date.now) {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const url = await server.create();
  const store = await openPostgresStore(url, { now });
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
  return { url, store };
}

test("a file whose bytes were given up after a day is not acknowledged", async () => {
  const { url, store } = await openStore();
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const writer = store.files.begin({ loadTestId: "run", name: "slow" });
  await writer.write(randomBytes(8 * 1024 * 1024));
  const stored = "SELECT 1 FROM content_chunks";
  await vi.waitUntil(async () => (await client.query(stored)).rowCount === 8, { timeout: 30_000 });
  await client.query("DELETE FROM content_chunks; DELETE FROM contents");
  await expect(writer.finish()).rejects.toThrow("deleted");
  expect(await store.files.list("run")).toEqual([]);
});

test("an import by a server whose clock is two days behind is not taken for one that was killed", async () => {
  const { url, store } = await openStore(() => Date.now() - 2 * 24 * 3_600_000);
  await store.points.append(batchOf([sample("a", 1)], { sourceId: "file", visibility: "staged" }));
  const database = new Database(parsePostgresUrl(url));
  onTestFinished(() => database.close());
  await deleteSome(database);
  await store.points.publish(published("file"), [], 1);
  expect(await requestsByLabel(store)).toEqual([["a", 1]]);
});

test("labels of an import that was given up go with its load test", async () => {
  const { url, store } = await openStore();
  await store.points.append(batchOf([sample("a", 1)], { sourceId: "file", visibility: "staged" }));
  await store.points.discard("run", "file");
  const database = new Database(parsePostgresUrl(url));
  onTestFinished(() => database.close());
  // As a minute later.
  expect(await deleteSome(database)).toBe(1);
  await store.loadTests.deleteUnused("run");
  expect(await database.read("SELECT label FROM endpoints")).toEqual([]);
});
