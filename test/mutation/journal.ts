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
  /** The test has met all mutants of these files that were alive. */
  | { readonly done: string; readonly of: readonly string[]; readonly reached: readonly string[] }
  /** The time was over in this test. */
  | { readonly late: string }
  /** The test waits for the round of the slow ones. */
  | { readonly postponed: string; readonly timeMs: number }
  /** The test fails on the original the second time it runs, so that it can tell nothing. */
  | { readonly unrepeatable: string }
  /** All tests of a file that take so long at most have done so. */
  | { readonly finished: string; readonly of: readonly string[]; readonly slowestMs: number }
  /** The mutants whose places are passed while the file is loaded. */
  | { readonly loaded: readonly string[]; readonly by: string }
  /** All tests were run with this mutant on from the start, and did not notice. */
  | { readonly survivedAlone: string };

export function note(file: string, entry: Entry): void {
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

export interface Progress {
  readonly killed: Map<string, { readonly by: string; readonly how: Killer }>;
  /** By mutant the test that passed it first. */
  readonly reached: Map<string, string>;
  /** By test the files whose mutants it has met. */
  readonly done: Map<string, ReadonlySet<string>>;
  /** By mutant the test file that loaded it first. */
  readonly loaded: Map<string, string>;
  readonly survivedAlone: Set<string>;
  /** By test file how slow tests have met all mutants of which files. */
  readonly finished: Map<string, { readonly of: ReadonlySet<string>; readonly slowestMs: number }>;
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

/** By each name what stands beside the first list with it. */
function firsts(lists: readonly ([] | [readonly string[], string])[]): Map<string, string> {
  const first = new Map<string, string>();
  for (const [names = [], by = ""] of lists) {
    for (const name of names) if (!first.has(name)) first.set(name, by);
  }
  return first;
}
