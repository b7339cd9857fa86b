/**
 * Runs the real program under faults that it must survive: kills, power cuts, full disks, delays, bit
 * flips (docs/internals/reliability/fault-runs.md).
 *
 *     npm run task faults [-- [--gate fast|nightly|release] [--rounds 200] [--seed 7] [--list] [--out FILE] [--table FILE] [C1 C4 ...]]
 *
 * Exit code 1: something did not hold. 3: a program that a fault needs is missing.
 * `--out` writes the counts of results as JSON, `--table` the results into the table of a document (docs/reliability.md).
 */

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { FAULTS } from "./faults.ts";
import type { Fault, FaultResult, Gate } from "./frame/fault.ts";
import { countsOf, describeResult } from "./frame/report.ts";
import { runFault } from "./frame/run-fault.ts";
import { writeTable } from "./frame/write-table.ts";

// An exit, unlike the signal itself, also ends the processes of a run.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const GATES: readonly Gate[] = ["fast", "nightly", "release"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gate: { type: "string", default: "fast" },
    rounds: { type: "string" },
    seed: { type: "string" },
    list: { type: "boolean", default: false },
    out: { type: "string" },
    table: { type: "string" },
  },
});
const gate = gateNamed(values.gate);
const seed = Number(values.seed ?? Date.now() % 1_000_000);

if (values.list) {
  for (const { id, title, rounds } of FAULTS)
    console.log(`${id.padEnd(4)} ${rounds[gate]}  ${title}`);
} else {
  const results = await runAll(chosen(positionals));
  if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(countsOf(results)));
  if (values.table !== undefined) writeTable(values.table, results, seed);
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  // A run that failed may have left writers under way.
  if (outcomes.has("failed")) process.exit(1);
  process.exit(outcomes.has("missing") ? 3 : 0);
}

function gateNamed(name: string): Gate {
  const named = GATES.find((each) => each === name);
  if (named === undefined) throw new Error(`no gate "${name}"; there are: ${GATES.join(", ")}`);
  return named;
}

function chosen(ids: readonly string[]): readonly Fault[] {
  const unknown = ids.filter((id) => FAULTS.every((fault) => fault.id !== id));
  if (unknown.length > 0) throw new Error(`no fault ${unknown.join(", ")}; --list shows them`);
  if (ids.length > 0) return FAULTS.filter(({ id }) => ids.includes(id));
  return FAULTS.filter(({ rounds }) => rounds[gate] > 0);
}

async function runAll(faults: readonly Fault[]): Promise<FaultResult[]> {
  console.log(`${faults.length} fault runs, gate ${gate}, seed ${seed}`);
  const results: FaultResult[] = [];
  for (const fault of faults) {
    const rounds = Number(values.rounds ?? Math.max(fault.rounds[gate], 1));
    const log = (text: string): void => console.error(`  ${fault.id}: ${text}`);
    const result = await runFault(fault, rounds, seed, log);
    console.log(describeResult(result));
    results.push(result);
  }
  return results;
}
