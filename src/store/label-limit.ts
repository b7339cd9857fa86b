import { releaseMemory } from "../concurrency/release-memory.ts";
import { UserError } from "../model/errors.ts";
import {
  LABELS_MAX,
  LABEL_BYTES_MAX,
  OVERFLOW_LABELS,
  compareLabels,
  isOverflowLabel,
  tooManyLabels,
} from "../model/label.ts";
import { labelsOfMeasures } from "../model/measures/measure-table.ts";
import { endpointsOfRuns, factsOf } from "../model/point-facts.ts";
import { labelsOfReported } from "../model/reported-percentiles.ts";
import {
  FACETS_BYTES_MAX,
  FACET_LIMITS,
  type FacetLimits,
  labelOfSeries,
} from "../model/series/facets.ts";
import type { PointBatch } from "./store.ts";

export interface LabelLimit {
  /** Limit of the visible labels of a load test. Twice as many may be numbered: failed and unpublished imports number labels, too. */
  readonly max: number;
  /** Of series. Twice as many may be numbered. */
  readonly facets?: FacetLimits | undefined;
  /** Called whenever a load test reaches four fifths of `max`; `project` is empty for load tests outside projects. */
  readonly nearlyFull?: ((loadTestId: string, labels: number, project: string) => void) | undefined;
}

export const DEFAULT_LABEL_LIMIT: LabelLimit = { max: LABELS_MAX, facets: FACET_LIMITS };

const NEARLY_FULL = 0.8;

interface AddedLabels {
  readonly present: number;
  /** Additional labels, possibly repeated. */
  readonly added: readonly string[];
  /** Labels in the order of arrival: the first ones are accepted. @default by label */
  readonly order?: readonly string[] | undefined;
}

/** Overflow labels are always accepted. Throws `too-many-labels`, with the labels over the limit. */
export function requireRoom(
  { max }: LabelLimit,
  loadTestId: string,
  { present, added, order }: AddedLabels,
): void {
  const room = Math.max(0, max - present);
  if (added.length <= room) return;
  const counted = new Set(added.map(labelOfSeries).filter((label) => !isOverflowLabel(label)));
  if (counted.size <= room) return;
  const over = new Set(inOrder(counted, order?.map(labelOfSeries)).slice(room));
  const refused = added.filter((series) => over.has(labelOfSeries(series)));
  throw tooManyLabels(loadTestId, inOrder(new Set(refused), order), max);
}

function inOrder(labels: ReadonlySet<string>, order: readonly string[] | undefined): string[] {
  if (order === undefined) return [...labels].toSorted(compareLabels);
  const ordered = order.map((label) => label.toWellFormed()).filter((label) => labels.has(label));
  return [...new Set(ordered)];
}

/** Throws `too-many-labels`, with all of `labels` but overflow labels, if `numbered` would be too many. */
export function requireNumbers(
  { max }: LabelLimit,
  loadTestId: string,
  { numbered, labels }: { readonly numbered: number; readonly labels: readonly string[] },
): void {
  if (numbered <= 2 * max) return;
  const counted = labels.filter((label) => !isOverflowLabel(label));
  if (counted.length > 0) throw tooManyLabels(loadTestId, counted, max);
}

/** Returns how many of `count` labels count against the limit, given which ones exist (`has`). */
export function countedLabels(count: number, has: (label: string) => boolean): number {
  return count - OVERFLOW_LABELS.filter(has).length;
}

interface Growth {
  readonly before: number;
  readonly after: number;
}

/** Reports a load test that approaches its limit. Counts do not include overflow labels. */
export function noteLabels(
  { max, nearlyFull }: LabelLimit,
  { id, project }: { readonly id: string; readonly project: string },
  { before, after }: Growth,
): void {
  const nearlyAll = NEARLY_FULL * max;
  if (before < nearlyAll && after >= nearlyAll) nearlyFull?.(id, after, project);
}

/** Whether `noteLabels` may report something; these counts may include overflow labels. */
export function mayBeNoted({ max }: LabelLimit, { before, after }: Growth): boolean {
  const nearlyAll = NEARLY_FULL * max;
  return after >= nearlyAll && before < nearlyAll + OVERFLOW_LABELS.length;
}

/** Returns the endpoint numbers of a batch, by the index of labels in `batch.labels`. */
export interface NumbersOfLabels {
  /** Indexes used by rows of the batch. */
  readonly used: Uint32Array;
  /** By index; entries of unused labels are undefined. */
  readonly numbers: Uint32Array;
  /** By index the label of series beyond the limits, which have the number of another one. @default none */
  readonly merged?: ReadonlyMap<number, string>;
}

/** Returns the indexes of labels used by rows of the batch, ascending. */
export function usedIndexes({
  labels,
  points,
  failures,
  reported,
  measures,
}: PointBatch): Uint32Array {
  const isUsed = new Uint8Array(labels.length);
  let count = 0;
  const ofReported = reported === undefined ? [] : labelsOfReported(reported);
  const ofPoints = endpointsOfRuns(points, factsOf(points).runs);
  const ofMeasures = measures === undefined ? [] : labelsOfMeasures(measures);
  const ofFailures = failures?.counts.endpoint ?? [];
  for (const endpoint of [ofPoints, ofFailures, ofReported, ofMeasures]) {
    for (let row = 0; row < endpoint.length; row++) {
      const index = endpoint[row] as number;
      if (isUsed[index] === 0) count += 1;
      else if (isUsed[index] === undefined) throw noSuchLabel(index, labels);
      isUsed[index] = 1;
    }
  }
  const used = new Uint32Array(count);
  let at = 0;
  for (let index = 0; index < isUsed.length; index++) if (isUsed[index] === 1) used[at++] = index;
  releaseMemory(isUsed);
  return used;
}

/** Returns a label as stored: well-formed Unicode (a lone surrogate becomes U+FFFD). Throws `label-too-long`. */
export function storedLabel(batch: PointBatch, index: number): string {
  const label = batch.labels[index]?.toWellFormed();
  if (label === undefined) throw noSuchLabel(index, batch.labels);
  const bytes = Buffer.byteLength(labelOfSeries(label));
  if (bytes > LABEL_BYTES_MAX || Buffer.byteLength(label) > bytes + FACETS_BYTES_MAX) {
    throw new UserError(
      "label-too-long",
      `cannot store batch ${batch.sequence} of load test "${batch.loadTestId}": label ` +
        `"${label.slice(0, 40)}…" has ${bytes} bytes, at most ${LABEL_BYTES_MAX} are allowed`,
    );
  }
  return label;
}

function noSuchLabel(index: number, labels: readonly string[]): Error {
  return new Error(`BUG: a row has label ${index} of ${labels.length}`);
}
