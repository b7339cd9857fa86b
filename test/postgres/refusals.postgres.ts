/** Databases that cannot be used are refused in one sentence that says why. */

import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { loadTest } from "../support/load-tests.ts";
import { type PostgresServer, startServer } from "./server.ts";

let server: PostgresServer;
let url: string;
beforeAll(async () => {
  server = await startServer();
  url = await server.create();
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`
    CREATE ROLE reader LOGIN;
    ALTER ROLE reader SET default_transaction_read_only = on;
    CREATE ROLE crowd LOGIN CONNECTION LIMIT 0;
    CREATE ROLE guest LOGIN;
    CREATE SCHEMA old;
    CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql
      AS $$ SELECT CASE name WHEN 'server_version_num' THEN '130009'
        ELSE pg_catalog.current_setting(name) END $$`);
  await client.end();
});
afterAll(() => server.stop());

test.each<[what: string, change: (url: string) => string, code: string, message: string]>([
  ["an unknown database", (to) => to.replace(/\w+$/, "nowhere"), "store-unusable", "create the"],
  ["a standby", (to) => to.replace("tachograph@", "reader@"), "store-read-only", "a standby"],
  ["a crowded server", (to) => to.replace("tachograph@", "crowd@"), "busy", "too many connections"],
  [
    "a user without rights",
    (to) => to.replace("tachograph@", "guest@"),
    "store-unusable",
    "CREATE",
  ],
  ["no server", () => "postgres://a:hunter2@127.0.0.1:1/x", "store-unreachable", "ECONNREFUSED"],
  [
    "a server before version 14",
    (to) => `${to}?options=${encodeURIComponent("-csearch_path=old,pg_catalog")}`,
    "store-unusable",
    "it has version 13 of PostgreSQL; 14 or later is required",
  ],
])("%s is refused", async (_, change, code, message) => {
  const opening = openPostgresStore(change(url), { now: Date.now });
  await expect(opening).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  await expect(opening).rejects.not.toThrow("hunter2");
});

test("where a primary was, standbys alone pass: what writes is told to try again", async () => {
  const own = await server.create();
  const store = await openPostgresStore(own, { now: Date.now });
  const client = new Client({ connectionString: own });
  await client.connect();
  // As after a failover to a server that is not promoted yet.
  await client.query("ALTER ROLE tachograph SET default_transaction_read_only = on");
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tachograph'",
  );
  const creating = store.loadTests.create(loadTest("run"));
  await expect(creating).rejects.toMatchObject({ code: "store-unreachable" });
  await client.query("SET default_transaction_read_only = off");
  await client.query("ALTER ROLE tachograph RESET default_transaction_read_only");
  await client.end();
  await store.loadTests.create(loadTest("run"));
  await store.close();
}, 60_000);
