/** One small change to a source file, which tests should detect. */

export interface Mutant {
  /** Its index in the list of its file. */
  readonly number: number;
  readonly line: number;
  /** The kind of change. */
  readonly operator: string;
  /** The replaced text; `after` replaces it, and is empty if the text is removed. */
  readonly before: string;
  readonly after: string;
  /** Offset of the text in the file. */
  readonly start: number;
  readonly end: number;
  readonly form: Form;
}

/**
 * How the original and the change are combined: by a conditional expression, by a condition around a
 * statement, by leaving the block at its beginning, or by replacing the name of a callee.
 */
type Form = "expression" | "statement" | "return" | "continue" | "name";

/** A change without a number. */
export type Change = Pick<Mutant, "operator" | "after" | "form"> & Partial<Pick<Mutant, Range>>;

type Range = "start" | "end";

/** The change on one line, for reports. */
export function changeOf({ before, after }: Pick<Mutant, "before" | "after">): string {
  return `${oneLine(before)} → ${oneLine(after) || "(nothing)"}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
