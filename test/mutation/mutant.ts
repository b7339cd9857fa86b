/** One small change to a source file, which tests should notice. */

export interface Mutant {
  /** Its place in the list of its file. */
  readonly number: number;
  readonly line: number;
  /** What kind of change it is. */
  readonly operator: string;
  /** The text that is changed, and what stands there afterwards; empty: it is taken out. */
  readonly before: string;
  readonly after: string;
  /** Where the text stands in the file. */
  readonly start: number;
  readonly end: number;
  readonly form: Form;
}

/**
 * How a change is put beside the original: chosen by an expression, by a condition around a
 * statement, by leaving at the begin of a block, or by the name of what is called.
 */
type Form = "expression" | "statement" | "return" | "continue" | "name";

/** A change before it has its number. */
export type Change = Pick<Mutant, "operator" | "after" | "form"> & Partial<Pick<Mutant, Range>>;

type Range = "start" | "end";

/** The change as people read it, on one line. */
export function changeOf({ before, after }: Pick<Mutant, "before" | "after">): string {
  return `${oneLine(before)} → ${oneLine(after) || "(nothing)"}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
