/** A spelling of a filter, and how many endpoints contain it. */
export interface Spelling {
  readonly text: string;
  readonly endpoints: number;
}

/**
 * How a filter that no label contains would have to be written, where letter case is all that stands in
 * the way: as most of the labels have it. `undefined` where it is not that.
 */
export function otherCase(filter: string, labels: readonly string[]): Spelling | undefined {
  const pattern = new RegExp(filter.replaceAll(SYNTAX, String.raw`\$&`), "giu");
  const counts = new Map<string, number>();
  for (const label of labels) {
    // A label counts once for a spelling, however often it has it.
    for (const text of new Set(label.match(pattern))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const spellings = [...counts].map(([text, endpoints]) => ({ text, endpoints }));
  return spellings.toSorted((left, right) => right.endpoints - left.endpoints)[0];
}

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
