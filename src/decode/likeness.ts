/** One thing that people give by mistake, or that is not read. */
export interface Likeness {
  /** Continues "it looks like". */
  readonly what: string;
  /** Has to be found in the text of the head, all of them. */
  readonly signs: readonly RegExp[];
  /** What the user can do, as a clause. */
  readonly cure?: string;
}

export const ONLY_TOTALS = "it holds totals of the whole run, not its requests";
