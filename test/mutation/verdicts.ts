/** The outcome of each mutant of a group. */

import { readFileSync } from "node:fs";
import { type Equivalent, isMeant } from "./equivalents.ts";
import { findMutants } from "./find-mutants.ts";
import type { Mutant } from "./mutant.ts";
import type { GroupRun } from "./run-group.ts";
import { nameIn } from "./task.ts";

export type Verdict = "killed" | "timed out" | "survived" | "not covered" | "equivalent";

export interface Judged {
  readonly file: string;
  readonly mutant: Mutant;
  /** The source line, as in `equivalents.json`. */
  readonly line: string;
  readonly verdict: Verdict;
}

export interface Verdicts {
  readonly judged: readonly Judged[];
  /** Entries for these files that match no surviving mutant. */
  readonly stale: readonly Equivalent[];
}

export function recordOutcome(run: GroupRun, equivalents: readonly Equivalent[]): Verdicts {
  const judged: Judged[] = [];
  const used = new Set<Equivalent>();
  for (const file of Object.keys(run.task.files)) {
    const source = readFileSync(file, "utf8");
    const lines = source.split("\n").map((line) => line.trim());
    for (const mutant of findMutants(source)) {
      const found = verdictOf(run, file, mutant);
      const isAlive = found === "survived" || found === "not covered";
      const meant = isAlive
        ? equivalents.filter((entry) => isMeant(entry, file, mutant, source))
        : [];
      for (const entry of meant) used.add(entry);
      const verdict = meant.length > 0 ? "equivalent" : found;
      judged.push({ file, mutant, line: lines[mutant.line - 1] ?? "", verdict });
    }
  }
  const stale = equivalents.filter(
    (entry) => run.task.files[entry.file] !== undefined && !used.has(entry),
  );
  return { judged, stale };
}

function verdictOf({ task, progress }: GroupRun, file: string, mutant: Mutant): Verdict {
  const name = nameIn(task, { file, number: mutant.number });
  const killed = progress.killed.get(name);
  if (killed !== undefined) return killed.how === "timed out" ? "timed out" : "killed";
  return progress.reached.has(name) || progress.loaded.has(name) ? "survived" : "not covered";
}

/** Percentage of the mutants detected by tests, without those listed as equivalent. */
export function scorePercent(judged: readonly Judged[]): number {
  const noticeable = judged.filter(({ verdict }) => verdict !== "equivalent");
  const noticed = noticeable.filter(
    ({ verdict }) => verdict === "killed" || verdict === "timed out",
  );
  return noticeable.length === 0 ? 100 : (100 * noticed.length) / noticeable.length;
}
