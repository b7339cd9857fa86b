import { UserError } from "./errors.ts";
import { isShown, type Role, type StoredRole } from "./role.ts";

/** In UTF-8 bytes. */
export const LABEL_BYTES_MAX = 1024;

/** Default limit of labels per load test: more than people name, and importable in bounded memory. */
export const LABELS_MAX = 1_000_000;

const QUOTED_LENGTH = 100;

export const OVERFLOW_LABEL = "(other)";

/** Rows without a role count as requests. */
const BY_ROLE: Readonly<Record<Role, string>> = {
  unclear: OVERFLOW_LABEL,
  transaction: "(other transactions)",
  subresult: "(other sub-results)",
  request: OVERFLOW_LABEL,
};

const HIDDEN_OVERFLOW_LABEL = "(other left out)";

/** They never count against the label limit. */
export const OVERFLOW_LABELS: readonly string[] = [
  ...new Set([...Object.values(BY_ROLE), HIDDEN_OVERFLOW_LABEL]),
];

/** Compares by UTF-8 bytes, which is code point order. */
export function compareLabels(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const leftUnit = left.charCodeAt(at);
    const rightUnit = right.charCodeAt(at);
    if (leftUnit !== rightUnit) return rankOfUnit(leftUnit) - rankOfUnit(rightUnit);
  }
  return left.length - right.length;
}

/** Surrogates rank after U+E000 to U+FFFF. */
function rankOfUnit(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** From this unit on, code point order may differ from unit order. */
const HIGH_UNIT = /[\ud800-\uffff]/;

/** In code point order; sorting by units, where the order is the same, takes an eighth of the time. */
export function sortLabels(labels: readonly string[]): readonly string[] {
  return labels.some((label) => HIGH_UNIT.test(label))
    ? labels.toSorted(compareLabels)
    : labels.toSorted();
}

export function overflowLabelFor(role: StoredRole): string {
  return isShown(role) ? BY_ROLE[role] : HIDDEN_OVERFLOW_LABEL;
}

export function isOverflowLabel(label: string): boolean {
  return OVERFLOW_LABELS.includes(label);
}

/** Labels over the limit; nothing of their batch is stored. */
export class TooManyLabels extends UserError {
  /** Those over the limit; the others would fit. */
  readonly labels: readonly string[];
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

/** Returns whether a label matches one of the patterns, in which `*` stands for any characters, also none. Takes linear time for each pattern with one. */
export function labelMatcher(patterns: readonly string[]): (label: string) => boolean {
  const split = patterns.map((pattern) => pattern.split("*")).filter(({ length }) => length > 1);
  const whole = new Set(patterns.filter((pattern) => !pattern.includes("*")));
  return (label) => whole.has(label) || split.some((parts) => matchesParts(label, parts));
}

/** Of at least two parts. The first fitting place of each leaves the most room for the next. */
function matchesParts(label: string, parts: readonly string[]): boolean {
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!label.startsWith(first) || !label.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = label.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at + last.length <= label.length;
}
