/**
 * The ClickHouse store on one server beside the SQLite store, in one run: how fast batches go in from
 * one process, and how long load tests take to be read, before and after they are compacted.
 *
 *     npm run bench:clickhouse -- [--load-tests 200] [--rounds 9]
 *
 * It starts Debian's server by itself (test/clickhouse/install-programs.sh); 200 load tests of
 * 100 endpoints x 3,600 s are 72,000,000 points, 4 GB on the disk, and take about ten minutes. Prints
 * sections of bench/RESULTS.md.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { openClickHouseStore, type ClickHouseStore } from "../src/store/clickhouse/store.ts";
import { Cluster } from "../src/store/clickhouse/cluster/cluster.ts";
import { migrate } from "../src/store/clickhouse/schema/schema.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import type { Store } from "../src/store/store.ts";
import { Lab } from "../test/clickhouse/lab/lab.ts";
import { fillStore, type LoadShape } from "./clickhouse/fill-store.ts";
import { type ReadTimes, readTimes, SERIES, WHOLE } from "./clickhouse/read-times.ts";
import { describeMachine, loadAverage } from "./frame/machine.ts";

const { values } = parseArgs({
  options: {
    "load-tests": { type: "string", default: "200" },
    rounds: { type: "string", default: "9" },
  },
});
const loadTests = Number(values["load-tests"]);
const rounds = Number(values.rounds);

/** One file each, as most load tests are. */
const DENSE: LoadShape = { sources: 1, pointsPerBatch: 10_000 };
/** Twenty load generators that measure the same endpoints. */
const WIDE: LoadShape = { sources: 20, pointsPerBatch: 10_000 };

const directory = mkdtempSync(path.join(tmpdir(), "tachograph-bench-"));
const lab = await Lab.start({ shards: 1, replicas: 1 }, { folder: path.join(directory, "lab") });
try {
  await run();
} finally {
  await lab.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function run(): Promise<void> {
  console.log(`${describeMachine(new Date())}; load average ${loadAverage()} at the begin.\n`);
  const sqlite = await openSqliteStore(path.join(directory, "store.db"), { now: Date.now });
  const clickHouse = await openOnLab();
  const ids = Array.from({ length: loadTests }, (_, number) => `dense-${number}`);
  await fillStore(sqlite, ids.slice(0, rounds), DENSE);
  await fillStore(sqlite, ["wide"], WIDE);
  await told("ingestion, one process, batches of 10,000 points", async () => {
    const { points, seconds } = await fillStore(clickHouse, ids, DENSE);
    return `${(points / 1e6).toFixed(1)} M points in ${seconds.toFixed(0)} s: ${perSecond(points, seconds)}`;
  });
  await told("the same, 20 sources of one load test", async () => {
    const { points, seconds } = await fillStore(clickHouse, ["wide"], WIDE);
    return `${(points / 1e6).toFixed(1)} M points in ${seconds.toFixed(0)} s: ${perSecond(points, seconds)}`;
  });
  const plain = await allTimes(clickHouse, ids);
  await told("sealing", () => compact(clickHouse, ids));
  const compacted = await allTimes(clickHouse, ids);
  const beside = await allTimes(sqlite, ids);
  printTable(plain, compacted, beside);
  await sqlite.close();
  await clickHouse.close();
  console.log(`\nLoad average ${loadAverage()} at the end.`);
}

async function openOnLab(): Promise<ClickHouseStore> {
  const urls = lab.shards.map((replicas) => replicas.map(({ url }) => url));
  const settings = { shards: urls, database: "bench", isReplicated: false };
  const cluster = new Cluster(settings);
  await migrate(cluster);
  await cluster.close();
  return openClickHouseStore(settings, { now: Date.now });
}

async function told(what: string, work: () => Promise<string>): Promise<void> {
  console.log(`- ${what}: ${await work()}`);
}

function perSecond(points: number, seconds: number): string {
  return `${Math.round(points / seconds / 1000)} k points/s`;
}

async function compact(store: ClickHouseStore, ids: readonly string[]): Promise<string> {
  const times: string[] = [];
  for (const id of ["wide", ...ids.slice(0, rounds)]) {
    const startedAtMs = performance.now();
    const outcome = await store.compactNow(id);
    if (outcome !== "compacted") throw new Error(`${id}: ${outcome}`);
    times.push(((performance.now() - startedAtMs) / 1000).toFixed(1));
  }
  const [wide, ...dense] = times;
  return `20 sources ${wide} s, one source ${dense.join(", ")} s`;
}

interface AllTimes {
  readonly series: ReadTimes;
  readonly whole: ReadTimes;
  readonly wide: ReadTimes;
}

/** Another load test each round, so that nothing is remembered of it. */
async function allTimes(store: Store, ids: readonly string[]): Promise<AllTimes> {
  const chosen = ids.slice(0, rounds);
  return {
    series: await readTimes(store, chosen, SERIES),
    whole: await readTimes(store, chosen, WHOLE),
    wide: await readTimes(store, chosen.slice(0, 3).fill("wide"), WHOLE),
  };
}

function printTable(plain: AllTimes, compacted: AllTimes, beside: AllTimes): void {
  console.log("\n| read | ClickHouse | sealed | SQLite store | sealed / SQLite |");
  console.log("| --- | --- | --- | --- | --- |");
  const lines = [
    ["one endpoint x 3,600 s", "series"],
    ["100 endpoints x 3,600 s", "whole"],
    ["20 sources x 100 endpoints x 3,600 s", "wide"],
  ] as const;
  for (const [name, key] of lines) {
    const ratio = (compacted[key].medianMs / beside[key].medianMs).toFixed(1);
    const cells = [plain, compacted, beside].map((times) => timesText(times[key]));
    console.log(`| ${[name, ...cells, ratio].join(" | ")} |`);
  }
}

function timesText({ medianMs, leastMs, mostMs }: ReadTimes): string {
  return `${medianMs.toFixed(0)} ms [${leastMs.toFixed(0)} to ${mostMs.toFixed(0)}]`;
}
