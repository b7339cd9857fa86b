/** Labels in the memory store: each gets a number, as long as there is room. */

import { type LabelLimit, noteLabels, requireNumbers, requireRoom } from "./label-limit.ts";
import { type NumbersOfLabels, storedLabel, usedIndexes } from "./labels.ts";
import { endpointsIn, type MemoryPart } from "./memory-snapshot.ts";
import type { PointBatch } from "./store.ts";

/** The labels of one load test. */
export interface NumberedLabels {
  readonly loadTestId: string;
  /** Endpoint numbers by label. */
  readonly numbers: Map<string, number>;
  readonly limit: LabelLimit;
}

/** The endpoint numbers of the batch. Throws `too-many-labels`. */
export function numberLabels(
  { loadTestId, numbers, limit }: NumberedLabels,
  batch: PointBatch,
  visible: readonly MemoryPart[],
): NumbersOfLabels {
  const used = usedIndexes(batch);
  const texts = Array.from(used, (index) => storedLabel(batch, index));
  const labels = [...new Set(texts)].filter((label) => !numbers.has(label));
  if (batch.visibility === "live") {
    requireRoom(limit, loadTestId, { others: endpointsIn(visible).size, added: labels });
  }
  const numbered = numbers.size + labels.length;
  if (labels.length > 0) requireNumbers(limit, loadTestId, { numbered, labels });
  for (const label of labels) numbers.set(label, numbers.size);
  const byIndex = new Uint32Array(batch.labels.length);
  for (const [at, label] of texts.entries()) {
    byIndex[used[at] as number] = numbers.get(label) as number;
  }
  return { used, numbers: byIndex };
}

/** Refuses parts that would show too many labels beside others. Throws `too-many-labels`. */
export function requireLabelRoom(
  { loadTestId, numbers, limit }: NumberedLabels,
  others: readonly MemoryPart[],
  added: readonly MemoryPart[],
): void {
  const before = endpointsIn(others);
  const further = new Set([...endpointsIn(added)].filter((number) => !before.has(number)));
  const labels = [...numbers].filter(([, number]) => further.has(number)).map(([label]) => label);
  requireRoom(limit, loadTestId, { others: before.size, added: labels });
}

/** The same for what readers see, and tells of a load test that comes near its limit. */
export function showLabels(
  labels: NumberedLabels,
  others: readonly MemoryPart[],
  added: readonly MemoryPart[],
): void {
  requireLabelRoom(labels, others, added);
  const before = endpointsIn(others).size;
  const after = endpointsIn([...others, ...added]).size;
  noteLabels(labels.limit, labels.loadTestId, { before, after });
}
