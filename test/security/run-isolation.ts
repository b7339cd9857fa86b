/**
 * Compares answers of servers that remember with those of one that does not; see `isolation.ts`.
 *
 *     node test/security/run-isolation.ts [--steps 100000] [--seed 1] [--postgres]
 *
 * Exit code 1: an answer differed, or showed what others have.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import type { Store } from "../../src/store/store.ts";
import { startServer } from "../postgres/server.ts";
import { checkIsolation } from "./isolation.ts";

const { values } = parseArgs({
  options: {
    steps: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    postgres: { type: "boolean", default: false },
  },
});
const [steps, seed] = [Number(values.steps), Number(values.seed)];

await (values.postgres ? onPostgres() : onSqlite());

async function onSqlite(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-isolation-"));
  try {
    await check(await openSqliteStore(path.join(folder, "store.sqlite"), { now: Date.now }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function onPostgres(): Promise<void> {
  const server = await startServer();
  try {
    await check(await openPostgresStore(await server.create(), { now: Date.now }));
  } finally {
    await server.stop();
  }
}

async function check(store: Store): Promise<void> {
  const beganMs = performance.now();
  try {
    const { statuses, notAsked } = await checkIsolation({ store, seed, steps });
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    const about = `${values.postgres ? "PostgreSQL" : "SQLite"}, seed ${seed}, ${steps} steps, ${seconds} s`;
    console.log(`${about}: no answer differs; statuses ${JSON.stringify(statuses)}`);
    if (notAsked.length > 0) throw new Error(`nobody asked ${notAsked.join(", ")}`);
  } finally {
    await store.close();
  }
}
