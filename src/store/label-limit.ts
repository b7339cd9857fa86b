import {
  compareLabels,
  LABELS_MAX,
  OVERFLOW_LABELS,
  isOverflowLabel,
  tooManyLabels,
} from "../model/label.ts";

export interface LabelLimit {
  /**
   * Labels of one load test that readers see. Twice as many may get a number, since labels of imports
   * that failed, or that are not published yet, have one too.
   */
  readonly max: number;
  /** Called each time that a load test comes to four fifths of `max`. */
  readonly nearlyFull?: ((loadTestId: string, labels: number) => void) | undefined;
}

export const DEFAULT_LABEL_LIMIT: LabelLimit = { max: LABELS_MAX };

const NEARLY_FULL = 0.8;

interface AddedLabels {
  /** How many labels there are already, without overflow labels. */
  readonly present: number;
  /** Further labels, each any number of times. */
  readonly added: readonly string[];
  /** Labels in the order in which they came: the first find room. @default by label */
  readonly order?: readonly string[] | undefined;
}

/** Overflow labels always have room. Throws `too-many-labels`, with the labels over the limit. */
export function requireRoom(
  { max }: LabelLimit,
  loadTestId: string,
  { present, added, order }: AddedLabels,
): void {
  const room = Math.max(0, max - present);
  if (added.length <= room) return;
  const counted = new Set(added.filter((label) => !isOverflowLabel(label)));
  if (counted.size <= room) return;
  throw tooManyLabels(loadTestId, inOrder(counted, order).slice(room), max);
}

function inOrder(labels: ReadonlySet<string>, order: readonly string[] | undefined): string[] {
  if (order === undefined) return [...labels].toSorted(compareLabels);
  const ordered = order.map((label) => label.toWellFormed()).filter((label) => labels.has(label));
  return [...new Set(ordered)];
}

/**
 * `numbered` labels would have a number with these `labels`; overflow labels, which it does not
 * count, always get one. Throws `too-many-labels`, with all of `labels` that count.
 */
export function requireNumbers(
  { max }: LabelLimit,
  loadTestId: string,
  { numbered, labels }: { readonly numbered: number; readonly labels: readonly string[] },
): void {
  if (numbered <= 2 * max) return;
  const counted = labels.filter((label) => !isOverflowLabel(label));
  if (counted.length > 0) throw tooManyLabels(loadTestId, counted, max);
}

/** How many of `count` labels count against the limit, where `has` says which are among them. */
export function countedLabels(count: number, has: (label: string) => boolean): number {
  return count - OVERFLOW_LABELS.filter(has).length;
}

/** How many labels there were, and are. */
interface Growth {
  readonly before: number;
  readonly after: number;
}

/** Reports a load test that comes near its limit. Counts do not include overflow labels. */
export function noteLabels(
  { max, nearlyFull }: LabelLimit,
  loadTestId: string,
  { before, after }: Growth,
): void {
  const nearlyAll = NEARLY_FULL * max;
  if (before < nearlyAll && after >= nearlyAll) nearlyFull?.(loadTestId, after);
}

/** Whether `noteLabels` may have something to report; these counts may include overflow labels. */
export function mayBeNoted({ max }: LabelLimit, { before, after }: Growth): boolean {
  const nearlyAll = NEARLY_FULL * max;
  return after >= nearlyAll && before < nearlyAll + OVERFLOW_LABELS.length;
}
