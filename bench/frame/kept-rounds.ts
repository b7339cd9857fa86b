/**
 * Rounds of earlier runs, kept in the cache: with `--continue` a long measurement can be made in
 * pieces, each with all candidates in turn.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { CandidateRounds } from "./run-rounds.ts";

export interface KeptRounds {
  /** What was compared before the first of them. */
  readonly checked?: string;
  /** The machine, the program and the time of the last of them, in one sentence. */
  readonly machine: string;
  readonly candidates: readonly CandidateRounds[];
}

export function readKeptRounds(file: string): KeptRounds | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as KeptRounds) : undefined;
}

export function keepRounds(file: string, kept: KeptRounds): void {
  writeFileSync(file, JSON.stringify(kept));
}
