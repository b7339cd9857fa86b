/** Labels as text: how long one may be, and the order in which answers list them. */

/** Longest label that is stored, in UTF-8 bytes. */
export const LABEL_BYTES_MAX = 1024;

/**
 * Labels of one load test, unless a setting says otherwise: more than people name, and as many as are
 * imported and read in bounded memory. Whole URLs that became labels can pass it.
 */
export const LABELS_MAX = 1_000_000;

/** Orders labels by their UTF-8 bytes, which is the order of their code points. */
export function compareLabels(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const leftUnit = left.charCodeAt(at);
    const rightUnit = right.charCodeAt(at);
    if (leftUnit !== rightUnit) return rankOfUnit(leftUnit) - rankOfUnit(rightUnit);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above U+FFFF: they rank after U+E000 to U+FFFF. */
function rankOfUnit(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** A unit from which on labels may be in another order than their units. */
const HIGH_UNIT = /[\ud800-\uffff]/;

/** Sorts labels; mostly their units are in the same order, which takes an eighth of the time. */
export function sortLabels(labels: readonly string[]): readonly string[] {
  return labels.some((label) => HIGH_UNIT.test(label))
    ? labels.toSorted(compareLabels)
    : labels.toSorted();
}
