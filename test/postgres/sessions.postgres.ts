/** The server lets go of what a process held that is gone, or stands still. */

import { spawn, type ChildProcess } from "node:child_process";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { batchOf, sample } from "../support/batches.ts";
import { loadTest } from "../support/load-tests.ts";
import { type PostgresServer, startServer } from "./server.ts";

const PATIENCE_MS = 90_000;
const SESSIONS = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE application_name = 'tachograph' AND datname = current_database()`;

let server: PostgresServer;
let url: string;
let client: Client;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  url = await server.create();
  client = await connect();
  const store = await openPostgresStore(url, { now: Date.now });
  await store.loadTests.create(loadTest("run"));
  await store.close();
});

async function connect(): Promise<Client> {
  const connected = new Client({ connectionString: url });
  await connected.connect();
  onTestFinished(() => connected.end());
  return connected;
}

function startSender(): ChildProcess {
  const sender = path.join(import.meta.dirname, "append-child.ts");
  const child = spawn(process.execPath, [sender, url, "0", "100000"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function sessions(condition = "true"): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`${SESSIONS} AND ${condition}`);
  return rows[0]?.count ?? 0;
}

test(
  "a session that waits for a lock ends with its process, not with the wait",
  async () => {
    const holder = await connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM load_tests FOR UPDATE");
    const child = startSender();
    while ((await sessions("wait_event_type = 'Lock'")) === 0) await delay(50);
    child.kill("SIGKILL");
    await expect.poll(() => sessions(), { timeout: PATIENCE_MS / 2 }).toBe(0);
  },
  PATIENCE_MS,
);

test(
  "a process that stands still in a transaction keeps others from writing for seconds only",
  async () => {
    const child = startSender();
    // Its start takes longer than the moments between two stops.
    while ((await sessions()) === 0) await delay(50);
    for (let isWithin = false; !isWithin;) {
      child.kill("SIGCONT");
      await delay(2 + 10 * Math.random());
      child.kill("SIGSTOP");
      await delay(100);
      isWithin =
        (await sessions("state = 'idle in transaction' AND wait_event = 'ClientRead'")) > 0;
    }
    const store = await openPostgresStore(url, { now: Date.now });
    const stored = await store.points.append(batchOf([sample("a", 1)]));
    expect(stored).toMatchObject({ duplicate: false });
    await store.close();
  },
  PATIENCE_MS,
);
