/**
 * Rounds of earlier runs, kept in the cache: with `--continue` a long measurement can be made in
 * pieces, each with all candidates in turn.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { CandidateRounds } from "./run-rounds.ts";

export function keptRounds(file: string): readonly CandidateRounds[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as CandidateRounds[]) : [];
}

export function keepRounds(file: string, candidates: readonly CandidateRounds[]): void {
  writeFileSync(file, JSON.stringify(candidates));
}
