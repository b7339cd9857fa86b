/** How many labels a load test may have: a flood of them must not take the memory of the others. */

import { compareLabels, LABELS_MAX } from "../model/label.ts";
import { TooManyLabels } from "../model/too-many-labels.ts";

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

/**
 * Refuses labels that are `added` to so many `others` if they are too many. Throws
 * `too-many-labels`, with those for which there is no room.
 */
export function requireRoom(
  { max }: LabelLimit,
  loadTestId: string,
  { others, added }: { readonly others: number; readonly added: readonly string[] },
): void {
  const room = Math.max(0, max - others);
  if (added.length <= room) return;
  throw new TooManyLabels(loadTestId, added.toSorted(compareLabels).slice(room), max);
}

/** Refuses labels that would have one of the numbers beyond those that there are. */
export function requireNumbers(
  { max }: LabelLimit,
  loadTestId: string,
  { numbered, labels }: { readonly numbered: number; readonly labels: readonly string[] },
): void {
  if (numbered > 2 * max) throw new TooManyLabels(loadTestId, labels, max);
}

/** Tells of a load test that comes near its limit. */
export function noteLabels(
  { max, nearlyFull }: LabelLimit,
  loadTestId: string,
  { before, after }: { readonly before: number; readonly after: number },
): void {
  const many = NEARLY_FULL * max;
  if (before < many && after >= many) nearlyFull?.(loadTestId, after);
}
