/**
 * Breaks a real cluster of PostgreSQL while senders write, and compares what is stored with what was acknowledged:
 *
 *     npm run task test:cluster -- [--rounds 40] [--seed 1] [--kind WORDS] [--allow-missing] [--table FILE]
 *
 * Needs root, for networks of its own. Exit code 1: something was lost or doubled, or writing did not go on in time; the logs
 * are kept. `--table` writes the result into the table of a document (docs/reliability.md). With --allow-missing, a missing program is reported, and the exit code is 3.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { JudgedRuns } from "../faults/around/judged-runs.ts";
import { OtherWriters } from "../faults/around/other-writers.ts";
import { SeveralServers } from "../faults/around/several-servers.ts";
import { CLUSTER } from "../faults/frame/report.ts";
import { writeTable } from "../faults/frame/write-table.ts";
import { programsOf } from "../postgres/server.ts";
import { randomFrom } from "../support/dense-points.ts";
import { runTachograph } from "../support/run-tachograph.ts";
import { isolate, makeNetwork } from "./machines.ts";
import { patroniOf, startCluster } from "./postgres-cluster.ts";
import { KINDS, type RoundResult, runRound } from "./rounds.ts";
import { startServices } from "./services.ts";

/** The longest time without writing that is no failure. */
const PAUSE_MAX_MS = 30_000;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    kind: { type: "string", default: "" },
    "allow-missing": { type: "boolean", default: false },
    table: { type: "string" },
  },
});
const kinds = KINDS.filter(({ name }) => name.includes(values.kind));
if (kinds.length === 0) {
  const known = KINDS.map(({ name }) => name).join(", ");
  throw new Error(`no kind of fault contains "${values.kind}"; known: ${known}`);
}
const missing = ["etcd", "ip"].filter((name) => !isThere(name));
if (patroniOf() === undefined) missing.push("patroni");
if (programsOf() === undefined) missing.push("postgres");
if (missing.length > 0) {
  console.error(`not here: ${missing.join(", ")}; test/cluster/install-programs.sh installs them`);
  process.exit(values["allow-missing"] ? 3 : 1);
}
process.exit((await isolate()) ?? (await run()));

async function run(): Promise<number> {
  const directory = mkdtempSync(path.join(tmpdir(), "tachograph-cluster-"));
  let code = 1;
  try {
    code = await runRounds(directory);
  } catch (error) {
    console.error(error);
  }
  if (code === 0) rmSync(directory, { recursive: true, force: true });
  else console.error(`the logs are in ${directory}`);
  return code;
}

async function runRounds(directory: string): Promise<number> {
  makeNetwork();
  const cluster = await startCluster(directory);
  const words = ["keys", "create", "--postgres", cluster.url, "--name", "sender"];
  const created = await runTachograph([...words, "--scope", "read,write"]);
  const services = await startServices(directory, cluster.url);
  const random = randomFrom(Number(values.seed));
  const key = created.out.trim();
  const all = new SeveralServers(() => services.map(({ url }) => url), key);
  const [others, judged] = [new OtherWriters(all), new JudgedRuns(all)];
  await createLines(all);
  await judged.begin();
  await others.writeFirst();
  const results: RoundResult[] = [];
  const order: (typeof KINDS)[number][] = [];
  for (let round = 1; round <= Number(values.rounds); round++) {
    // Each kind comes once before any comes again.
    if (order.length === 0) order.push(...shuffled(kinds, random));
    const kind = order.pop() as (typeof KINDS)[number];
    const loadTestId = `round-${round}`;
    const result = await runRound(
      cluster,
      { services, key, loadTestId },
      { kind, others, judged, random, log: path.join(directory, `${loadTestId}.log`) },
    );
    results.push(result);
    console.log(
      `${new Date().toISOString()} round ${round}: ${kind.name}: ${result.batches} batches, ` +
        `first ${seconds(result.firstMs)}, pause ${seconds(result.pauseMs)}, ` +
        `of a sender ${seconds(result.senderPauseMs)}, load ${loadavg()[0]?.toFixed(1)}`,
    );
    for (const each of result.differences) console.error(`  ${each}`);
  }
  await judged.finish();
  const twice = await judged.check(
    (event, id) =>
      services
        .flatMap((service) => service.notices())
        .filter((notice) => notice.event === event && notice.loadTest.id === id).length,
  );
  console.log(
    `also ${JSON.stringify(others.figures)}, ${judged.count} load tests judged, ${twice} notices twice`,
  );
  const verified = await runTachograph(["verify", "--postgres", cluster.url]);
  console.log(verified.error.trim());
  const isWell = report(results) && verified.exitCode === 0;
  if (values.table !== undefined) {
    const about = { id: CLUSTER, title: "", rounds: results.length, figures: {}, tookSeconds: 0 };
    const result = { ...about, outcome: isWell ? "held" : "failed" } as const;
    writeTable(values.table, [result], Number(values.seed));
  }
  return isWell ? 0 : 1;
}

async function createLines(server: SeveralServers): Promise<void> {
  const body = JSON.stringify({ id: "lines" });
  const headers = { "content-type": "application/json" };
  const made = await server.fetch("/Api/LoadTests", { method: "POST", headers, body });
  if (made.status !== 201) throw new Error(await made.text());
}

/** Prints a table; returns whether all is well. */
function report(results: readonly RoundResult[]): boolean {
  for (const [kind, own] of Map.groupBy(results, (each) => each.kind)) {
    const [first, pause, sender] = (["firstMs", "pauseMs", "senderPauseMs"] as const).map((name) =>
      own.map((each) => each[name]).toSorted((left, right) => left - right),
    );
    const shown = [first, pause, sender].map(
      (all = []) => `${seconds(all[0])} to ${seconds(all.at(-1))}`,
    );
    console.log(`| ${[kind, own.length, ...shown].join(" | ")} |`);
  }
  const batches = results.reduce((sum, each) => sum + each.batches, 0);
  const wrong = results.flatMap((each) => each.differences).length;
  const slow = results.filter(({ pauseMs }) => pauseMs > PAUSE_MAX_MS).length;
  console.log(
    `${results.length} rounds, ${batches} batches: ${wrong} differences, ${slow} pauses over ${seconds(PAUSE_MAX_MS)}`,
  );
  return wrong === 0 && slow === 0;
}

function isThere(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
}

function seconds(ms = NaN): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}
