import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { loadTest } from "../support/load-tests.ts";
import { startServer } from "./server.ts";

test("a file whose bytes were given up after a day is not acknowledged", async () => {
  const server = await startServer();
  onTestFinished(() => server.stop());
  const url = await server.create();
  const store = await openPostgresStore(url, { now: Date.now });
  onTestFinished(() => store.close());
  await store.loadTests.create(loadTest());
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
