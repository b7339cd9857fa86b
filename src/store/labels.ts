import { releaseMemory } from "../concurrency/release-memory.ts";
import { UserError } from "../model/errors.ts";
import { FACETS_BYTES_MAX, labelOfSeries } from "../model/series/facets.ts";
import { LABEL_BYTES_MAX } from "../model/label.ts";
import { labelsOfMeasures } from "../model/measures/measure-table.ts";
import { endpointsOfRuns, factsOf } from "../model/point-facts.ts";
import { labelsOfReported } from "../model/reported-percentiles.ts";
import type { PointBatch } from "./store.ts";

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
