import { UserError } from "./errors.ts";
import type { Role } from "./role.ts";

/** Labels as text: how long one may be, and the order in which answers list them. */

/** Longest label that is stored, in UTF-8 bytes. */
export const LABEL_BYTES_MAX = 1024;

/**
 * Labels of one load test, unless a setting says otherwise: more than people name, and as many as are
 * imported and read in bounded memory. Whole URLs that became labels can pass it.
 */
export const LABELS_MAX = 1_000_000;

const QUOTED_LENGTH = 100;

export const OTHER_LABEL = "(other)";

/** Rows that do not say what they are count as requests, as they do to the end elsewhere. */
const BY_ROLE: Readonly<Record<Role, string>> = {
  unclear: OTHER_LABEL,
  transaction: "(other transactions)",
  subresult: "(other sub-results)",
  request: OTHER_LABEL,
};

/** All of them. They never count against the limit of labels. */
export const OTHER_LABELS: readonly string[] = [...new Set(Object.values(BY_ROLE))];

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

/** The one for rows of this role. */
export function otherLabelFor(role: Role): string {
  return BY_ROLE[role];
}

export function isOtherLabel(label: string): boolean {
  return OTHER_LABELS.includes(label);
}

/** Labels that a load test has no room for; nothing of the batch that brought them is stored. */
export class TooManyLabels extends UserError {
  /** Those that are too many; without them there would be room for the others. */
  readonly labels: readonly string[];
  /** How many labels the load test may have. */
  readonly labelsMax: number;

  constructor(labels: readonly string[], labelsMax: number, message: string) {
    super("too-many-labels", message);
    this.labels = labels;
    this.labelsMax = labelsMax;
  }
}

export function tooManyLabels(
  loadTestId: string,
  labels: readonly string[],
  labelsMax: number,
): TooManyLabels {
  const [first = "", ...others] = labels;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const message =
    `cannot take label ${JSON.stringify(first.slice(0, QUOTED_LENGTH))}${more} into load test ` +
    `"${loadTestId}": it may have ${labelsMax} labels (setting labelsMax, --labels-max)`;
  return new TooManyLabels(labels, labelsMax, message);
}
