/** A spelling of a filter, and how many endpoints contain it. */
export interface Spelling {
  readonly text: string;
  readonly endpoints: number;
}

/**
 * The spelling of a filter without matches that differs only in letter case and matches most labels;
 * `undefined` if there is none.
 */
export function otherCase(filter: string, labels: readonly string[]): Spelling | undefined {
  const pattern = new RegExp(filter.replaceAll(SYNTAX, String.raw`\$&`), "giu");
  const counts = new Map<string, number>();
  for (const label of labels) {
    // A label counts once per spelling.
    for (const text of new Set(label.match(pattern))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const spellings = [...counts].map(([text, endpoints]) => ({ text, endpoints }));
  return spellings.toSorted((left, right) => right.endpoints - left.endpoints)[0];
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
