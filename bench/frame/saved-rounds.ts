/**
 * Rounds of earlier runs, kept in the cache: with `--continue` a long measurement can be made in
 * pieces, each with all candidates in turn.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { CandidateRounds } from "./run-rounds.ts";

export interface SavedRounds {
  /** What was compared before the first of them. */
  readonly checked?: string;
  /** The machine, the program and the time of the last of them, in one sentence. */
  readonly machine: string;
  readonly candidates: readonly CandidateRounds[];
}

export function readSavedRounds(file: string): SavedRounds | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as SavedRounds) : undefined;
}

export function saveRounds(file: string, kept: SavedRounds): void {
  writeFileSync(file, JSON.stringify(kept));
}
