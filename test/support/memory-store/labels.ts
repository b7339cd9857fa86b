/** Labels of the memory store: each gets a number until the limit is reached. */

import { labelOfSeries } from "../../../src/model/series/facets.ts";
import {
  type LabelLimit,
  type NumbersOfLabels,
  countedLabels,
  noteLabels,
  requireNumbers,
  requireRoom,
  storedLabel,
  usedIndexes,
} from "../../../src/store/label-limit.ts";
import { endpointsIn, type MemoryPart } from "./snapshot.ts";
import type { PointBatch } from "../../../src/store/store.ts";

/** The labels of one load test. */
export interface NumberedLabels {
  readonly loadTestId: string;
  /** Endpoint numbers by label. */
  readonly numbers: Map<string, number>;
  readonly limit: LabelLimit;
}

/**
 * The endpoint numbers of a batch that becomes visible beside other parts. Throws `too-many-labels`.
 */
export function numberLabels(
  { loadTestId, numbers, limit }: NumberedLabels,
  batch: PointBatch,
  others: readonly MemoryPart[],
): NumbersOfLabels {
  const used = usedIndexes(batch);
  const texts = Array.from(used, (index) => storedLabel(batch, index));
  const labels = [...new Set(texts)].filter((label) => !numbers.has(label));
  requireLabelRoom({ loadTestId, numbers, limit }, others, { labels: texts, order: batch.labels });
  const known = new Set([...numbers.keys(), ...labels].map(labelOfSeries));
  const numbered = countedLabels(known.size, (label) => known.has(label));
  if (labels.length > 0) requireNumbers(limit, loadTestId, { numbered, labels });
  for (const label of labels) numbers.set(label, numbers.size);
  const byIndex = new Uint32Array(batch.labels.length);
  for (const [at, label] of texts.entries()) {
    byIndex[used[at] as number] = numbers.get(label) as number;
  }
  return { used, numbers: byIndex };
}

/** Warns when a load test comes close to its limit. Throws `too-many-labels`. */
export function showLabels(
  labels: NumberedLabels,
  others: readonly MemoryPart[],
  added: readonly MemoryPart[],
): void {
  const shown = endpointsIn(added);
  const texts = [...labels.numbers].filter(([, number]) => shown.has(number));
  requireLabelRoom(labels, others, { labels: texts.map(([label]) => label) });
  noteLabels(
    labels.limit,
    { id: labels.loadTestId, project: "" },
    {
      before: countedIn(labels, others),
      after: countedIn(labels, [...others, ...added]),
    },
  );
}

/** How many of the labels in `parts` count against the limit. */
function countedIn({ numbers }: NumberedLabels, parts: readonly MemoryPart[]): number {
  const shown = labelsIn(numbers, parts);
  return countedLabels(shown.size, (label) => shown.has(label));
}

/** The labels of the endpoints in `parts`. */
function labelsIn(
  numbers: ReadonlyMap<string, number>,
  parts: readonly MemoryPart[],
): ReadonlySet<string> {
  const shown = endpointsIn(parts);
  const names = [...numbers].filter(([, number]) => shown.has(number));
  return new Set(names.map(([name]) => labelOfSeries(name)));
}

interface ShownLabels {
  readonly labels: readonly string[];
  readonly order?: readonly string[];
}

/** Throws `too-many-labels` if the new labels and those of other parts exceed the limit. */
function requireLabelRoom(
  { loadTestId, numbers, limit }: NumberedLabels,
  parts: readonly MemoryPart[],
  { labels, order }: ShownLabels,
): void {
  const shown = labelsIn(numbers, parts);
  const present = countedLabels(shown.size, (label) => shown.has(label));
  const added = labels.filter((name) => !shown.has(labelOfSeries(name)));
  requireRoom(limit, loadTestId, { present, added, order });
}
