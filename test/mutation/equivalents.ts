/** Mutants that no test can notice, listed by hand in equivalents.json with the reason. */

import type { Mutant } from "./mutant.ts";
import { changeOf } from "./mutant.ts";

export interface Equivalent {
  readonly file: string;
  /** The line of the source it stands in, without the blanks around it. */
  readonly line: string;
  /** As reports show it: before → after. */
  readonly change: string;
  readonly reason: string;
}

/** Whether `mutant` of `file` is the one that `entry` means; several alike on one line are. */
export function isMeant(entry: Equivalent, file: string, mutant: Mutant, source: string): boolean {
  const line = source.split("\n")[mutant.line - 1]?.trim();
  return entry.file === file && entry.line === line && entry.change === changeOf(mutant);
}
