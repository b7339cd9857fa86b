import { changeOf } from "./mutant.ts";
import type { GroupRun } from "./run-group.ts";
import { scorePercent, type Verdict, type Verdicts } from "./verdicts.ts";

export interface GroupResult extends Verdicts {
  readonly name: string;
  readonly run: GroupRun;
}

const VERDICTS: readonly Verdict[] = [
  "killed",
  "timed out",
  "survived",
  "not covered",
  "equivalent",
];

/** Lists undetected mutants by file and line, and errors in the list of equivalents. */
export function printUnnoticed({ name, judged, stale, run }: GroupResult): void {
  for (const { file, mutant, verdict } of judged) {
    if (verdict !== "survived" && verdict !== "not covered") continue;
    const { line, operator } = mutant;
    console.log(`${file}:${line} ${verdict}: ${operator}: ${changeOf(mutant)}`);
  }
  for (const { file, line, change } of stale) {
    console.log(`equivalents.json: no mutant alive is ${change} in "${line}" of ${file}`);
  }
  for (const test of run.progress.unrepeatable) {
    console.log(`${name}: cannot be run twice in one process, and was left out: ${test}`);
  }
}

/** Prints a table of counts, a line for each group. */
export function printTable(results: readonly GroupResult[]): void {
  console.log(`\n| group | mutants | ${VERDICTS.join(" | ")} | detected |`);
  console.log(`| --- ${"| ---: ".repeat(VERDICTS.length + 2)}|`);
  for (const { name, judged, run } of results) {
    const counts = VERDICTS.map((wanted) => judged.filter((one) => one.verdict === wanted).length);
    const score = `${scorePercent(judged).toFixed(1)} %${run.isUnfinished ? " (unfinished)" : ""}`;
    console.log(`| ${name} | ${judged.length} | ${counts.join(" | ")} | ${score} |`);
  }
}
