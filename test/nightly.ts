/**
 * Runs what takes too long for every change: all tests with four times the random cases, checks of damaged files, generated clients, 10,000 questions of the oracle, 100,000 steps of who may see what on each store, 9 minutes of fuzzing each door, error rates, the short benchmark, its table against the last
 * one, the nightly fault runs, including the soak of 30 minutes, the tests of the PostgreSQL store, 40 rounds of faults in a cluster of PostgreSQL servers, and the image. Continues after failures.
 *
 *     npm run task nightly [-- --part doors]     only the fuzzing; `faults`: only the fault runs and the cluster; `others`: the rest
 *
 * Exit code 1: something failed. 3: a program that a fault run needs is missing.
 */

import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

process.env["TACHOGRAPH_RANDOM_CASES"] = "all";

/** What others than tools write; each is fuzzed for an hour a week. */
const DOORS =
  "http,batch,source,otlp,remote-write,line-protocol,hdr-log,markdown,download,parquet,file-name,mcp,output";
const WEEKLY_HOUR_SECONDS = "515";

const STEPS: readonly (readonly string[])[] = [
  ["npm", "test"],
  ["node", "test/bad-input/run-damaged.ts", "--files", "10000"],
  ["node", "test/tools/clients.ts"],
  ["python3", "test/independent/oracle/run.py", "--questions", "10000"],
  ["node", "test/security/run-isolation.ts"],
  ["node", "test/security/run-isolation.ts", "--postgres"],
  ["node", "test/accuracy/run.ts", "comparisons", "trends"],
  ["node", "bench/run.ts", "--quick"],
  ["node", "bench/run.ts", "--quick-table"],
  ["node", "test/fuzz/run.ts", "--seconds", WEEKLY_HOUR_SECONDS, "--decoder", DOORS],
  ["node", "test/faults/run.ts", "--gate", "nightly"],
  ["node", "test/postgres/run.ts", "--allow-missing"],
  ["node", "test/cluster/run.ts", "--allow-missing"],
  ["node", "test/deploy/image/run.ts", "--allow-missing"],
];

const PARTS: Readonly<Record<string, string>> = {
  "test/fuzz/run.ts": "doors",
  "test/faults/run.ts": "faults",
  "test/cluster/run.ts": "faults",
};

const { part } = parseArgs({ options: { part: { type: "string" } } }).values;
const chosen = STEPS.filter(
  ([, script = ""]) => part === undefined || (PARTS[script] ?? "others") === part,
);
if (chosen.length === 0) throw new Error(`no part ${part}; want doors, faults or others`);
const codes = chosen.map(([program = "", ...words]) => {
  console.log(`> ${program} ${words.join(" ")}`);
  const path = program === "node" ? process.execPath : program;
  return spawnSync(path, words, { stdio: "inherit" }).status ?? 1;
});
process.exitCode = codes.find((code) => code !== 0 && code !== 3) ?? Math.max(...codes);
