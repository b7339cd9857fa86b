/**
 * The results so far, one JSON object per line; an interrupted run continues from here. Lines are only valid
 * for the version of the sources that they name.
 */

import { appendFileSync, existsSync, readFileSync } from "node:fs";

export type Killer = "failed" | "timed out";

export type Entry =
  /** Test `by` detected the mutant. */
  | { readonly killed: string; readonly by: string; readonly how: Killer }
  /** Written before each trial, to identify a mutant that ends the process. */
  | { readonly tries: string; readonly in: string }
  /** A test failed on the original after this mutant: it is tried in a new process. */
  | { readonly suspect: string }
  /** The test has run with all surviving mutants of these files. */
  | { readonly done: string; readonly of: readonly string[]; readonly reached: readonly string[] }
  /** The time limit was reached in this test. */
  | { readonly late: string }
  /** The test is left for the round of slow tests. */
  | { readonly postponed: string; readonly timeMs: number }
  /** The test fails on the original when run a second time, so it cannot be used. */
  | { readonly unrepeatable: string }
  /** All tests of a file that take at most `slowestMs` have run. */
  | { readonly finished: string; readonly of: readonly string[]; readonly slowestMs: number }
  /** The mutants whose places are executed while the file is loaded. */
  | { readonly loaded: readonly string[]; readonly by: string }
  /** All tests passed with this mutant on from the start. */
  | { readonly survivedAlone: string };

export function note(file: string, entry: Entry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

export interface Progress {
  readonly killed: Map<string, { readonly by: string; readonly how: Killer }>;
  /** The first test that reached each mutant. */
  readonly reached: Map<string, string>;
  /** The files whose mutants each test has run with. */
  readonly done: Map<string, ReadonlySet<string>>;
  /** The first test file that loaded each mutant. */
  readonly loaded: Map<string, string>;
  readonly survivedAlone: Set<string>;
  /**
   * For each test file, the files whose mutants it has run with, and the slowest tests included.
   */
  readonly finished: Map<string, { readonly of: ReadonlySet<string>; readonly slowestMs: number }>;
  readonly suspects: Set<string>;
  readonly unrepeatable: Set<string>;
  /** Durations of slow tests. */
  readonly timeMs: Map<string, number>;
  /** The mutant that was on when the process ended early, if it did. */
  readonly last: { readonly mutant: string; readonly test: string } | undefined;
}

export function readProgress(file: string): Progress {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  // The last line may be incomplete.
  const entries = lines.slice(0, -1).map((line) => JSON.parse(line) as Entry);
  const last = entries.at(-1);
  return {
    killed: new Map(entries.flatMap((entry) => ("killed" in entry ? [[entry.killed, entry]] : []))),
    reached: firsts(
      entries.map((entry) => ("reached" in entry ? [entry.reached, entry.done] : [])),
    ),
    loaded: firsts(entries.map((entry) => ("loaded" in entry ? [entry.loaded, entry.by] : []))),
    done: new Map(
      entries.flatMap((entry) => ("done" in entry ? [[entry.done, new Set(entry.of)]] : [])),
    ),
    survivedAlone: new Set(
      entries.flatMap((entry) => ("survivedAlone" in entry ? [entry.survivedAlone] : [])),
    ),
    suspects: new Set(entries.flatMap((entry) => ("suspect" in entry ? [entry.suspect] : []))),
    unrepeatable: new Set(
      entries.flatMap((entry) => ("unrepeatable" in entry ? [entry.unrepeatable] : [])),
    ),
    finished: new Map(
      entries.flatMap((entry) =>
        "finished" in entry
          ? [[entry.finished, { of: new Set(entry.of), slowestMs: entry.slowestMs }]]
          : [],
      ),
    ),
    timeMs: new Map(
      entries.flatMap((entry) => ("postponed" in entry ? [[entry.postponed, entry.timeMs]] : [])),
    ),
    last: last !== undefined && "tries" in last ? { mutant: last.tries, test: last.in } : undefined,
  };
}

/** For each name, the value beside the first list that contains it. */
function firsts(lists: readonly ([] | [readonly string[], string])[]): Map<string, string> {
  const first = new Map<string, string>();
  for (const [names = [], by = ""] of lists) {
    for (const name of names) if (!first.has(name)) first.set(name, by);
  }
  return first;
}
