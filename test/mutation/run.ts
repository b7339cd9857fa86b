/**
 * Mutation testing: npm run task test:mutation -- [GROUP...] [--seconds N] [--fresh]
 *
 * Makes small changes to the files of each group and checks that its tests detect them. Continues an
 * earlier run, unless --fresh; stops after --seconds. Exit code 1: too few were detected or the list
 * of equivalent mutants is stale; 3: not finished.
 */

import { readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Equivalent } from "./equivalents.ts";
import { GROUPS, WANTED_PERCENT } from "./groups.ts";
import { printTable, printUnnoticed, type GroupResult } from "./print.ts";
import { runGroup } from "./run-group.ts";
import { recordOutcome, scorePercent } from "./verdicts.ts";

// Exiting also ends the started processes.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(3));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: "string" }, fresh: { type: "boolean", default: false } },
});

const unknown = positionals.filter((name) => !GROUPS.some((group) => group.name === name));
if (unknown.length > 0) throw new Error(`no group is called ${unknown.join(", ")}`);

const equivalents = JSON.parse(
  readFileSync("test/mutation/equivalents.json", "utf8"),
) as readonly Equivalent[];
const until = values.seconds === undefined ? undefined : Date.now() + Number(values.seconds) * 1000;

const results: GroupResult[] = [];
for (const group of GROUPS) {
  if (positionals.length > 0 && !positionals.includes(group.name)) continue;
  const journal = `node_modules/.cache/tachograph-mutation/${group.name}.jsonl`;
  if (values.fresh) rmSync(journal, { force: true });
  const run = await runGroup(group, equivalents, { journal, until });
  results.push({ name: group.name, run, ...recordOutcome(run, equivalents) });
}

for (const result of results) printUnnoticed(result);
printTable(results);
process.exitCode = exitCode();

function exitCode(): number {
  if (results.some(({ run }) => run.isUnfinished)) return 3;
  const isGood = results.every(
    ({ judged, stale }) => scorePercent(judged) >= WANTED_PERCENT && stale.length === 0,
  );
  return isGood ? 0 : 1;
}
