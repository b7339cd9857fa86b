/**
 * The benchmark: puts Tachograph beside what people would use instead, on the same work in the same
 * run, and writes what came out to bench/RESULTS.md. bench/README.md explains it.
 *
 *     npm run task bench [-- scenario...] [--rounds 5] [--rows 5000000] [--quick] [--continue] [--before DIR]
 *     npm run task bench -- --quick-table [--write]
 *
 * `--continue --rounds 0` rewrites the sections from stored rounds. `--quick-table` measures what the
 * one table needs, within ten minutes, and compares it with that of bench/RESULTS.md.
 *
 * Exit code 1: results differ, a candidate failed, or a row of the quick table lost more than 10 %. A target that is not
 * reached is no failure. 3: peers of the quick table are missing.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { disagreements } from "./frame/disagreements.ts";
import {
  headlineRows,
  headlines,
  losses,
  renderHeadlines,
  replaceHeadlines,
  withHeadlinesOnly,
} from "./frame/headlines.ts";
import { saveRounds, type SavedRounds, readSavedRounds } from "./frame/saved-rounds.ts";
import { commitOf, describeMachine } from "./frame/machine.ts";
import { replaceSection } from "./frame/results-file.ts";
import { runRounds } from "./frame/run-rounds.ts";
import type { BenchContext, Scenario } from "./frame/scenario.ts";
import { NOT_MEASURED, renderSection } from "./frame/section.ts";
import type { Table } from "./frame/table.ts";
import { cacheFolder } from "./peers/cache.ts";
import { SCENARIOS } from "./scenarios.ts";

const RESULTS = path.join(import.meta.dirname, "RESULTS.md");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    rows: { type: "string" },
    quick: { type: "boolean", default: false },
    "quick-table": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    continue: { type: "boolean", default: false },
    before: { type: "string" },
  },
});
/** For everything that is not stored. */
const ROOM = mkdtempSync(path.join(tmpdir(), "tachograph-bench-"));
process.on("exit", () => rmSync(ROOM, { recursive: true, force: true }));

const isTable = values["quick-table"];
const rounds = Number(values.rounds ?? (values.quick ? 1 : isTable ? 3 : 5));
const rows = Number(values.rows ?? (values.quick ? 100_000 : 5_000_000));
const measured = `${new Date().toISOString().slice(0, 10)} ${commitOf(import.meta.dirname) ?? ""}`;

if (isTable) await runTable(chosen(positionals));
else await runAll(chosen(positionals));

function chosen(names: readonly string[]): readonly Scenario[] {
  const unknown = names.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    const known = SCENARIOS.map(({ name }) => name).join(", ");
    throw new Error(`there is no scenario ${unknown.join(", ")}; there are: ${known}`);
  }
  // Without a name: all that belong to the benchmark, not those that are for special occasions.
  if (names.length === 0) return SCENARIOS.filter(({ isSpecial }) => isSpecial !== true);
  return SCENARIOS.filter(({ name }) => names.includes(name));
}

async function runAll(scenarios: readonly Scenario[]): Promise<void> {
  const table: (readonly string[])[] = [];
  for (const scenario of scenarios) {
    const kept = await run(scenario);
    const section = renderSection(scenario, kept);
    const own = headlineRows(scenario, kept.candidates, measured);
    table.push(...own);
    console.log(section);
    // A quick run shows that everything works; its figures say nothing.
    if (!values.quick) write((results) => replaceSection(results, section), own);
  }
  console.log(renderHeadlines(table));
}

async function runTable(scenarios: readonly Scenario[]): Promise<void> {
  const before = readFileSync(RESULTS, "utf8");
  const table: (readonly string[])[] = [];
  for (const whole of scenarios.filter((each) => headlines(each).length > 0)) {
    const scenario = withHeadlinesOnly(whole);
    let { candidates } = await run(scenario);
    const rowsNow = (): Table => headlineRows(scenario, candidates, measured);
    // One that seems to have lost is measured again: the machine may have been busy. Who writes the table sees to that.
    const hasLost = losses(before, rowsNow()).length > 0;
    if (hasLost && !values.write) ({ candidates } = await run(scenario, candidates));
    table.push(...rowsNow());
  }
  console.log(renderHeadlines(table));
  const lost = losses(before, table);
  for (const loss of lost) console.error(`lost more than 10 %: ${loss}`);
  if (values.write) write((results) => results, table);
  if (lost.length > 0 && !values.write) process.exitCode = 1;
  else if (table.some((row) => row.includes(NOT_MEASURED))) process.exitCode ??= 3;
}

function write(change: (results: string) => string, table: Table): void {
  const changed = change(readFileSync(RESULTS, "utf8"));
  writeFileSync(RESULTS, replaceHeadlines(changed, table, SCENARIOS));
}

interface Run extends SavedRounds {
  readonly disagreements: readonly string[];
}

/** Adds rounds to those given, or with `--continue` to the stored ones. */
async function run(scenario: Scenario, earlier?: SavedRounds["candidates"]): Promise<Run> {
  const scratch = mkdtempSync(path.join(ROOM, "scenario-"));
  const log = (text: string) => console.error(`${scenario.name}: ${text}`);
  const context: BenchContext = {
    rows,
    isQuick: values.quick,
    isTable,
    before: values.before,
    scratch,
    dataFolder: cacheFolder("data"),
    log,
  };
  const kept = await measure(scenario, context, earlier);
  const differences = disagreements(kept.candidates);
  if (
    differences.length > 0 ||
    kept.candidates.some(({ trouble }) => trouble?.startsWith("failed"))
  ) {
    process.exitCode = 1;
  }
  rmSync(scratch, { recursive: true, force: true });
  return { ...kept, disagreements: differences };
}

/** With `--continue` and no rounds: what was kept, as it is. */
async function measure(
  scenario: Scenario,
  context: BenchContext,
  earlier: SavedRounds["candidates"] | undefined,
): Promise<SavedRounds> {
  const file = path.join(cacheFolder("rounds"), `${scenario.name}-${rows}.json`);
  const kept = values.continue ? readSavedRounds(file) : undefined;
  if (kept !== undefined && rounds === 0) return kept;
  // A check of the first piece holds for those that continue it.
  const checked = kept === undefined ? await check(scenario, context) : kept.checked;
  const request = { roundCount: rounds, kept: earlier ?? kept?.candidates ?? [] };
  const candidates = await runRounds(scenario, request, context);
  const machine = describeMachine(new Date());
  const all = { machine, candidates, ...(checked === undefined ? {} : { checked }) };
  if (!isTable) saveRounds(file, all);
  return all;
}

/** Not for the quick table: that takes minutes, and the quick run does it, too. */
async function check(scenario: Scenario, context: BenchContext): Promise<string | undefined> {
  if (isTable) return undefined;
  const checked = await scenario.check?.(context);
  if (checked !== undefined) context.log(checked);
  return checked;
}
