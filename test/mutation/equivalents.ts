/** Mutants that no test can detect, listed by hand in equivalents.json with the reason. */

import type { Mutant } from "./mutant.ts";
import { changeOf } from "./mutant.ts";

export interface Equivalent {
  readonly file: string;
  /** Its source line, trimmed. */
  readonly line: string;
  /** As printed in reports: before → after. */
  readonly change: string;
  readonly reason: string;
}

/** Whether `entry` is about `mutant` of `file`; an entry covers all equal changes on its line. */
export function isMeant(entry: Equivalent, file: string, mutant: Mutant, source: string): boolean {
  const line = source.split("\n")[mutant.line - 1]?.trim();
  return entry.file === file && entry.line === line && entry.change === changeOf(mutant);
}
