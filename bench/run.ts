/**
 * The benchmark: puts Tachograph beside what people would use instead, on the same work in the same
 * run, and writes what came out to bench/RESULTS.md. bench/README.md explains it.
 *
 *     npm run bench [-- scenario...] [--rounds 5] [--rows 5000000] [--quick] [--continue] [--before DIR]
 *
 * `--continue --rounds 0` only writes the sections anew, of rounds that were kept.
 *
 * Exit code 1: results differ, or a candidate failed. A target that is not reached is no failure.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { disagreements } from "./frame/disagreements.ts";
import { keepRounds, type KeptRounds, readKeptRounds } from "./frame/kept-rounds.ts";
import { describeMachine } from "./frame/machine.ts";
import { replaceSection } from "./frame/results-file.ts";
import { runRounds } from "./frame/run-rounds.ts";
import type { BenchContext, Scenario } from "./frame/scenario.ts";
import { renderSection } from "./frame/section.ts";
import { cacheFolder } from "./peers/cache.ts";
import { SCENARIOS } from "./scenarios.ts";

const RESULTS = path.join(import.meta.dirname, "RESULTS.md");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string" },
    rows: { type: "string" },
    quick: { type: "boolean", default: false },
    continue: { type: "boolean", default: false },
    before: { type: "string" },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
const rows = Number(values.rows ?? (values.quick ? 100_000 : 5_000_000));

for (const scenario of chosen(positionals)) await run(scenario);

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

async function run(scenario: Scenario): Promise<void> {
  const scratch = mkdtempSync(path.join(tmpdir(), "tachograph-bench-"));
  process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
  const log = (text: string) => console.error(`${scenario.name}: ${text}`);
  const context: BenchContext = {
    rows,
    isQuick: values.quick,
    before: values.before,
    scratch,
    dataFolder: cacheFolder("data"),
    log,
  };
  const file = path.join(cacheFolder("rounds"), `${scenario.name}-${rows}.json`);
  const kept = await measure(scenario, context, file);
  keepRounds(file, kept);
  const differences = disagreements(kept.candidates);
  const section = renderSection(scenario, { ...kept, disagreements: differences });
  console.log(section);
  if (
    differences.length > 0 ||
    kept.candidates.some(({ trouble }) => trouble?.startsWith("failed"))
  ) {
    process.exitCode = 1;
  }
  // A quick run shows that everything works; its figures say nothing.
  if (!values.quick) writeFileSync(RESULTS, replaceSection(readFileSync(RESULTS, "utf8"), section));
  rmSync(scratch, { recursive: true, force: true });
}

/** With `--continue` and no rounds: what was kept, as it is. */
async function measure(
  scenario: Scenario,
  context: BenchContext,
  file: string,
): Promise<KeptRounds> {
  const kept = values.continue ? readKeptRounds(file) : undefined;
  if (kept !== undefined && rounds === 0) return kept;
  // A check of the first piece holds for those that continue it.
  const checked = kept === undefined ? await scenario.check?.(context) : kept.checked;
  if (checked !== undefined) context.log(checked);
  const request = { roundCount: rounds, kept: kept?.candidates ?? [] };
  const candidates = await runRounds(scenario, request, context);
  const machine = describeMachine(new Date());
  return { machine, candidates, ...(checked === undefined ? {} : { checked }) };
}
