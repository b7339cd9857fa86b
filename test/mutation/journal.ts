/**
 * What is known so far, one JSON line after the other: a run that was stopped goes on from here.
 * Lines are only valid for the sources they were written about.
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";

export type Killer = "failed" | "timed out";

export type Entry =
  /** Test `by` tells the mutant from the original. */
  | { readonly killed: string; readonly by: string; readonly how: Killer }
  /** Where tests have got to, so that a mutant at which the process stops can be told. */
  | { readonly tries: string; readonly in: string }
  /** A mutant after which a test failed on the original: it is tried in a fresh process. */
  | { readonly suspect: string }
  /** The test has met all mutants that were alive. */
  | { readonly done: string; readonly reached: readonly string[] }
  /** The time was over in this test. */
  | { readonly late: string }
  /** The test waits for the round of the slow ones. */
  | { readonly postponed: string; readonly timeMs: number }
  /** The test fails on the original the second time it runs, so that it can tell nothing. */
  | { readonly unrepeatable: string }
  /** The mutants whose places are passed while the file is loaded. */
  | { readonly loaded: readonly string[] }
  /** All tests were run with this mutant on from the start, and did not notice. */
  | { readonly survivedLoad: string };

export function note(file: string, entry: Entry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

export interface Progress {
  readonly killed: Map<string, { readonly by: string; readonly how: Killer }>;
  readonly reached: Set<string>;
  readonly done: Set<string>;
  readonly loaded: Set<string>;
  readonly survivedLoad: Set<string>;
  readonly suspects: Set<string>;
  readonly unrepeatable: Set<string>;
  /** How long slow tests take. */
  readonly timeMs: Map<string, number>;
  /** The mutant that was on when the process stopped, if it did. */
  readonly last: { readonly mutant: string; readonly test: string } | undefined;
}

export function readProgress(file: string): Progress {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  // The last line may be torn.
  const entries = lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
  const last = entries.at(-1);
  return {
    killed: new Map(entries.flatMap((entry) => ("killed" in entry ? [[entry.killed, entry]] : []))),
    reached: new Set(entries.flatMap((entry) => ("reached" in entry ? entry.reached : []))),
    loaded: new Set(entries.flatMap((entry) => ("loaded" in entry ? entry.loaded : []))),
    done: new Set(entries.flatMap((entry) => ("done" in entry ? [entry.done] : []))),
    survivedLoad: new Set(
      entries.flatMap((entry) => ("survivedLoad" in entry ? [entry.survivedLoad] : [])),
    ),
    suspects: new Set(entries.flatMap((entry) => ("suspect" in entry ? [entry.suspect] : []))),
    unrepeatable: new Set(
      entries.flatMap((entry) => ("unrepeatable" in entry ? [entry.unrepeatable] : [])),
    ),
    timeMs: new Map(
      entries.flatMap((entry) => ("postponed" in entry ? [[entry.postponed, entry.timeMs]] : [])),
    ),
    last: last !== undefined && "tries" in last ? { mutant: last.tries, test: last.in } : undefined,
  };
}
