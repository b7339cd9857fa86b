/** The labels of a batch as every store keeps them. */

import { UserError } from "../model/errors.ts";
import { LABEL_BYTES_MAX } from "../model/label.ts";
import type { PointBatch } from "./store.ts";

/**
 * The labels that points or failures of the batch use, by their index in `batch.labels`: well-formed Unicode
 * (a lone surrogate becomes U+FFFD) and not too long. Throws `label-too-long`.
 */
export function usedLabels(batch: PointBatch): ReadonlyMap<number, string> {
  const used = new Map<number, string>();
  for (const endpoint of [batch.points.endpoint, batch.failures?.counts.endpoint ?? []]) {
    let last: number | undefined;
    for (let row = 0; row < endpoint.length; row++) {
      const index = endpoint[row] as number;
      if (index === last) continue;
      last = index;
      if (!used.has(index)) used.set(index, storedLabel(batch, index));
    }
  }
  return used;
}

function storedLabel(batch: PointBatch, index: number): string {
  const label = batch.labels[index]?.toWellFormed();
  if (label === undefined) {
    throw new Error(`BUG: a row has label ${index} of ${batch.labels.length}`);
  }
  const bytes = Buffer.byteLength(label);
  if (bytes > LABEL_BYTES_MAX) {
    throw new UserError(
      "label-too-long",
      `cannot store batch ${batch.sequence} of load test "${batch.loadTestId}": label ` +
        `"${label.slice(0, 40)}…" has ${bytes} bytes, at most ${LABEL_BYTES_MAX} are allowed`,
    );
  }
  return label;
}
