/**
 * How long a store with very many runs takes to answer searches, first pages of 100, in SQLite and, where programs of PostgreSQL are
 * found, in PostgreSQL. The rows are copies of one, written straight into the tables:
 *
 *     node bench/search.bench.ts [runs]
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { openCatalogue } from "../src/catalogue/catalogue.ts";
import { checksum } from "../src/store/block/envelope.ts";
import { openPostgresStore } from "../src/store/postgres/store.ts";
import {
  LOAD_TEST_COLUMNS,
  type LoadTestRow,
} from "../src/store/sqlite/catalogue/load-test-rows.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import type { Store } from "../src/store/store.ts";
import { programsOf, startServer } from "../test/postgres/server.ts";
import { median } from "./frame/statistics.ts";

const ROUNDS = 7;

const SEARCHES = [
  "checkout",
  "commit:c0ffee99999",
  "nothing-has-this",
  "env:staging tool:nothing",
  "failed:yes env:staging branch:feature/10",
  "p95>998ms",
  "p95>10s",
  "p95>500ms",
  "p95>500ms nothing-has-this",
  "commit:c0ffee env:staging p95>500ms tool:jmeter failed:yes",
  "errors>50%",
  "商品",
];

const FIRST = { id: "run", name: "checkout", createdAtMs: 1 };

const runs = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(path.join(tmpdir(), "tachograph-search-"));
try {
  await inSqlite(path.join(folder, "store.db"));
  if (programsOf() === undefined) {
    console.log("no PostgreSQL here: test/postgres/install-programs.sh installs it");
  } else {
    await inPostgres();
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function inSqlite(file: string): Promise<void> {
  const empty = await openSqliteStore(file, { now: Date.now });
  await empty.loadTests.create(FIRST);
  await empty.close();
  const database = new DatabaseSync(file);
  const first = database.prepare("SELECT * FROM load_tests").get() as unknown as LoadTestRow;
  const columns = [...LOAD_TEST_COLUMNS, "crc"];
  const add = database.prepare(
    `INSERT INTO load_tests (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
  );
  const figures = database.prepare(
    "INSERT INTO figures (load_test, part, revision, text) VALUES (?, 'overall', ?, ?)",
  );
  database.exec("BEGIN");
  for (let number = first.number + 1; number <= runs; number++) {
    const row = { ...first, number, id: `run-${number}`, created_at_ms: number, ...toldOf(number) };
    const values = LOAD_TEST_COLUMNS.map((column) => row[column]);
    add.run(...values, checksum(JSON.stringify(values)));
    figures.run(number, row.revision, figuresOf(number));
  }
  database.exec("COMMIT");
  database.close();
  await measure("SQLite", await openSqliteStore(file, { now: Date.now }));
}

async function inPostgres(): Promise<void> {
  const server = await startServer();
  try {
    const url = await server.create();
    const store = await openPostgresStore(url, { now: Date.now });
    await store.loadTests.create(FIRST);
    const client = new Client({ connectionString: url });
    await client.connect();
    const rows = Array.from({ length: runs }, (_, number) => ({
      number: -number - 1,
      id: `run-${number}`,
      created_at_ms: number,
      ...toldOf(number),
      name: `\\x${Buffer.from(toldOf(number).name).toString("hex")}`,
      figures: figuresOf(number),
    }));
    await client.query(
      `INSERT INTO load_tests SELECT (jsonb_populate_record(load_tests, given)).*
       FROM load_tests, jsonb_array_elements($1::jsonb) AS given`,
      [JSON.stringify(rows)],
    );
    await client.query(
      `INSERT INTO figures (load_test, part, revision, text)
       SELECT (given ->> 'number')::bigint, 'overall', revision, given ->> 'figures'
       FROM load_tests, jsonb_array_elements($1::jsonb) AS given WHERE load_tests.id = 'run'`,
      [JSON.stringify(rows)],
    );
    await client.query("ANALYZE");
    await client.end();
    await measure("PostgreSQL", store, () => ofProcessors(server.pid));
  } finally {
    await server.stop();
  }
}

/** One of eight tests, with a description and properties. */
function toldOf(number: number) {
  const attributes = {
    tags: number % 10 === 0 ? ["nightly", "thresholds-failed"] : ["eu", "nightly"],
    pinned: false,
    description: "A pool of 5 for the autumn sale, with the cache of the new version. ".repeat(3),
    properties: { branch: `feature/${number % 500}`, commit: `c0ffee${number}`, version: "2.18.0" },
    links: {},
    secondsPerPoint: 1,
  };
  return {
    name: `${["checkout", "search", "login", "cart"][number % 4]}-${number % 8}`,
    environment: number % 2 === 0 ? "staging" : "production",
    attributes: JSON.stringify(attributes),
  };
}

function figuresOf(number: number): string {
  const p95 = (number % 1000) / 1000;
  return JSON.stringify([p95 / 2, p95, p95 * 2, p95 / 2]);
}

/** Milliseconds of processor time that the connections of a server have taken so far. */
function ofProcessors(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return children.reduce((sum, child) => {
    const [nanoseconds] = readFileSync(`/proc/${child}/schedstat`, "utf8").split(" ");
    return sum + Number(nanoseconds) / 1e6;
  }, 0);
}

async function measure(name: string, store: Store, ofServer = () => 0): Promise<void> {
  const catalogue = openCatalogue({ ...store, createLoadTestId: () => "", now: Date.now });
  for (const search of SEARCHES) {
    const [tookMs, processorMs]: [number[], number[]] = [[], []];
    let found = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      const beganMs = performance.now();
      const began = process.cpuUsage();
      const serverBegan = ofServer();
      const { loadTests } = await catalogue.list({ search, limit: 100 });
      const { user, system } = process.cpuUsage(began);
      found = loadTests.length;
      // The first warms up.
      if (round === 0) continue;
      tookMs.push(performance.now() - beganMs);
      processorMs.push((user + system) / 1000 + ofServer() - serverBegan);
    }
    const [least, middle, most, processor] = [
      Math.min(...tookMs),
      median(tookMs),
      Math.max(...tookMs),
      median(processorMs),
    ].map(Math.round);
    console.log(
      `${name}, ${search}: ${middle} ms (${least} to ${most}), processor time ${processor} ms, ${found} found`,
    );
  }
  await store.close();
}
