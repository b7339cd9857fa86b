/** Labels of the memory store: each gets a number until the limit is reached. */

import {
  FACET_LIMITS,
  hasOtherValue,
  isOtherSeries,
  isShared,
  labelOfSeries,
  otherSeries,
  partsOfSeries,
  seriesName,
  withoutWidest,
} from "../../../src/model/series/facets.ts";
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
  const given = Array.from(used, (index) => storedLabel(batch, index));
  const texts = fitting({ loadTestId, numbers, limit }, given);
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
  const merged = new Map<number, string>();
  for (const [at, text] of texts.entries()) {
    const name = given[at] as string;
    if (name !== text && !hasOtherValue(name)) merged.set(used[at] as number, labelOfSeries(name));
  }
  return { used, numbers: byIndex, merged };
}

/** Series over twice the limits have no value of the facet with the most, and over four times, all are one. */
function fitting({ numbers, limit }: NumberedLabels, given: readonly string[]): string[] {
  const { facetCombinationsMax, facetSeriesMax } = limit.facets ?? FACET_LIMITS;
  const byLabel = Map.groupBy(numbers.keys(), labelOfSeries);
  let further = numbers.size - byLabel.size;
  return given.map((name) => {
    const own = byLabel.get(labelOfSeries(name)) ?? [];
    const isRoom = (times: number) =>
      own.length < times * facetCombinationsMax && further < times * facetSeriesMax;
    const fits = (each: string) =>
      own.length === 0 ||
      own.includes(each) ||
      isRoom(isShared(partsOfSeries(each).facets) ? 4 : 2);
    const { label, facets } = partsOfSeries(name);
    const sizeOf = (facet: string) =>
      new Set(own.map((each) => new Map(partsOfSeries(each).facets).get(facet))).size;
    const fewer = seriesName(label, withoutWidest(facets, sizeOf));
    const shared = facets.length > 1 && fits(fewer) ? fewer : own.find(isOtherSeries);
    const text = fits(name) ? name : (shared ?? otherSeries(name));
    if (own.includes(text)) return text;
    byLabel.set(labelOfSeries(name), [...own, text]);
    if (own.length > 0) further += 1;
    return text;
  });
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
