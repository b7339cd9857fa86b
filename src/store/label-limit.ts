/** How many labels a load test may have: a flood of them must not take the memory of the others. */

import {
  compareLabels,
  LABELS_MAX,
  OTHER_LABELS,
  isOtherLabel,
  tooManyLabels,
} from "../model/label.ts";

export interface LabelLimit {
  /**
   * Labels that one load test shows. Twice as many may get a number, since those of imports that
   * failed, or that are not published yet, have one too.
   */
  readonly max: number;
  /** Told when a load test comes to four fifths of `max`: once for each time. */
  readonly nearlyFull?: ((loadTestId: string, labels: number) => void) | undefined;
}

export const DEFAULT_LABEL_LIMIT: LabelLimit = { max: LABELS_MAX };

const NEARLY_FULL = 0.8;

interface AddedLabels {
  /** Labels that there are already, without those of `OTHER_LABELS`. */
  readonly others: number;
  /** Further ones, each any number of times. */
  readonly added: readonly string[];
  /** Labels in the order in which they came: the first of them find room. @default as labels are sorted */
  readonly order?: readonly string[] | undefined;
}

/**
 * Refuses labels if they are too many; those of `OTHER_LABELS` never are. Throws `too-many-labels`,
 * with those for which there is no room.
 */
export function requireRoom(
  { max }: LabelLimit,
  loadTestId: string,
  { others, added, order }: AddedLabels,
): void {
  const room = Math.max(0, max - others);
  if (added.length <= room) return;
  const counted = new Set(added.filter((label) => !isOtherLabel(label)));
  if (counted.size <= room) return;
  throw tooManyLabels(loadTestId, inOrder(counted, order).slice(room), max);
}

function inOrder(labels: ReadonlySet<string>, order: readonly string[] | undefined): string[] {
  if (order === undefined) return [...labels].toSorted(compareLabels);
  const ordered = order.map((label) => label.toWellFormed()).filter((label) => labels.has(label));
  return [...new Set(ordered)];
}

/**
 * Refuses `labels`, the last of which would have one of the numbers beyond those that there are;
 * those of `OTHER_LABELS`, which `numbered` does not count, always get one.
 */
export function requireNumbers(
  { max }: LabelLimit,
  loadTestId: string,
  { numbered, labels }: { readonly numbered: number; readonly labels: readonly string[] },
): void {
  if (numbered <= 2 * max) return;
  const counted = labels.filter((label) => !isOtherLabel(label));
  if (counted.length > 0) throw tooManyLabels(loadTestId, counted, max);
}

/** How many of `count` labels count against the limit, where `has` says which are among them. */
export function countedLabels(count: number, has: (label: string) => boolean): number {
  return count - OTHER_LABELS.filter(has).length;
}

/** How many labels there were, and are. */
interface Growth {
  readonly before: number;
  readonly after: number;
}

/** Tells of a load test that comes near its limit, where those of `OTHER_LABELS` are not counted. */
export function noteLabels(
  { max, nearlyFull }: LabelLimit,
  loadTestId: string,
  { before, after }: Growth,
): void {
  const many = NEARLY_FULL * max;
  if (before < many && after >= many) nearlyFull?.(loadTestId, after);
}

/** Whether `noteLabels` may have something to tell where all labels are counted. */
export function mayBeNoted({ max }: LabelLimit, { before, after }: Growth): boolean {
  const many = NEARLY_FULL * max;
  return after >= many && before < many + OTHER_LABELS.length;
}
