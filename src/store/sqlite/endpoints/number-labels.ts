import {
  FACET_LIMITS,
  FACETS_BEGIN,
  hasOtherValue,
  isOtherSeries,
  isShared,
  labelOfSeries,
  otherSeries,
  partsOfSeries,
  seriesName,
  withoutWidest,
} from "../../../model/series/facets.ts";
import { sortLabels } from "../../../model/label.ts";
import { type Endpoint, unknownLoadTest } from "../../../model/load-test.ts";
import {
  type LabelLimit,
  type NumbersOfLabels,
  countedLabels,
  requireNumbers,
  storedLabel,
  usedIndexes,
} from "../../label-limit.ts";
import type { PointBatch } from "../../store.ts";
import type { SqliteFile } from "../file.ts";
import { hashOf, type KnownEndpoints } from "./known-endpoints.ts";
import { sizeOfSet } from "../../block/endpoint-set.ts";
import { requireLabelRoom } from "./label-room.ts";
import type { LoadTestRow } from "../catalogue/load-test-rows.ts";
import { EMPTY_TALLY } from "../catalogue/tally.ts";

/** Labels numbered in one write: some milliseconds. */
const LABELS_AT_ONCE = 4096;

/** What numbering needs of a store. */
export interface LabelNumbering {
  readonly known: KnownEndpoints;
  readonly labelLimit: LabelLimit;
  /** Caches all endpoints committed until now. Throws `damaged-store`. */
  readonly catchUp: () => Promise<void>;
  /** Checks the limit before the write, as far as it is known. Throws `too-many-labels`. */
  readonly requireRoom: (added: readonly string[]) => unknown;
  /** Numbers distinct labels, in order, and caches the numbers. `knownBefore`: endpoints known when the labels were unknown. */
  readonly give: (unknown: readonly string[], knownBefore: number) => Promise<void>;
}

/**
 * Returns the endpoint numbers of the batch, numbering new labels. Throws `too-many-labels` before numbering
 * any label if the batch exceeds the limit, so that a flood of such batches leaves nothing behind.
 */
export async function numberLabels(
  batch: PointBatch,
  { known, labelLimit, catchUp, requireRoom, give }: LabelNumbering,
): Promise<NumbersOfLabels> {
  const used = usedIndexes(batch);
  const table = known.tableOf(batch.labels);
  const others = used.filter((index) => !table.knows(index, batch.labels[index]));
  if (others.length === 0) return { used, numbers: table.numbers };
  const given = Array.from(others, (index) => storedLabel(batch, index));
  const hashes = given.map((text) => hashOf(text));
  const isUnknown = (text: string, at: number): boolean =>
    known.numberOf(text, hashes[at]) === undefined;
  if (given.some(isUnknown)) await catchUp();
  const texts = fittingSeries(known, given, labelLimit);
  const knownBefore = known.labels.length;
  const unknown = distinct(texts.filter(isUnknown));
  await requireRoom(unknown);
  await give(unknown, knownBefore);
  const merged = new Map<number, string>();
  for (const [at, text] of texts.entries()) {
    const index = others[at] as number;
    table.learn(index, known.numberOf(text, hashes[at]) as number);
    const name = given[at] as string;
    // Who made a series of other values has counted it.
    if (name !== text && !hasOtherValue(name)) merged.set(index, labelOfSeries(name));
  }
  return { used, numbers: table.numbers, merged };
}

/** Series beyond the limits, and those of failed imports once more, join the other ones of their label: first those of its widest facet. */
function fittingSeries(
  known: KnownEndpoints,
  names: readonly string[],
  { facets: { facetCombinationsMax: ofLabel, facetSeriesMax: ofRun } = FACET_LIMITS }: LabelLimit,
): readonly string[] {
  if (!names.some((name) => name.includes(FACETS_BEGIN))) return names;
  const added = new Map<string, Set<string>>();
  let further = known.furtherSeries;
  return names.map((name) => {
    const label = labelOfSeries(name);
    const own = added.get(label) ?? new Set();
    added.set(label, own);
    const isThere = (each: string): boolean => own.has(each) || known.numberOf(each) !== undefined;
    if (isThere(name)) return name;
    const there = known.seriesOf(label).length + own.size;
    const isRoom = (each: string): boolean => {
      const times = isShared(partsOfSeries(each).facets) ? 4 : 2;
      return there < times * ofLabel && further < times * ofRun;
    };
    const fits = (each: string): boolean => there === 0 || isRoom(each) || isThere(each);
    const fewer = fits(name) ? name : fewerFacets(namesOf(known, own, label), name);
    const fitting = fits(fewer) ? fewer : otherOf(namesOf(known, own, label), name);
    if (there > 0 && !isThere(fitting)) further += 1;
    own.add(fitting);
    return fitting;
  });
}

function namesOf(known: KnownEndpoints, own: ReadonlySet<string>, label: string): string[] {
  return [...known.seriesOf(label).map((number) => known.labels[number] as string), ...own];
}

/** One series of a label, whatever its facets are called: names can be forged without end. */
function otherOf(there: readonly string[], name: string): string {
  return there.find((each) => isOtherSeries(each)) ?? otherSeries(name);
}

function fewerFacets(there: readonly string[], name: string): string {
  const { label, facets } = partsOfSeries(name);
  if (facets.length === 1) return name;
  const pairs = there.flatMap((each) => partsOfSeries(each).facets);
  const valuesOf = (facet: string): number =>
    new Set(pairs.flatMap(([own, value]) => (own === facet ? [value] : []))).size;
  return seriesName(label, withoutWidest(facets, valuesOf));
}

export function numberingOf(file: SqliteFile, row: LoadTestRow, batch: PointBatch): LabelNumbering {
  const { number: loadTest, id: loadTestId } = row;
  const known = file.reading.endpoints.known(loadTest);
  return {
    known,
    labelLimit: file.labelLimit,
    catchUp: () => known.catchUpInTurns(),
    requireRoom: (added) => requireRoomAhead(file, row, batch, added),
    give: (unknown, knownBefore) =>
      giveNumbers(file, { loadTest, loadTestId, known, knownBefore }, unknown),
  };
}

/** Checks what is known before the write. Throws `too-many-labels`. */
function requireRoomAhead(
  file: SqliteFile,
  row: LoadTestRow,
  { visibility, sourceId, labels: order }: PointBatch,
  added: readonly string[],
): void {
  const { sources } = file.reading;
  const source = visibility === "staged" ? sources.find(row.number, sourceId) : undefined;
  const { endpoints: own } = source?.tally ?? EMPTY_TALLY;
  requireLabelRoom(file, row, {
    atMost: row.endpoints + sizeOfSet(own) + added.length,
    before: () => [...sources.visible(row.number).map(({ tally }) => tally.endpoints), own],
    added,
    order,
  });
}

interface Numbering {
  readonly loadTest: number;
  readonly loadTestId: string;
  readonly known: KnownEndpoints;
  readonly knownBefore: number;
}

/** Numbers labels in their order, so that endpoints read after each other share blocks. */
async function giveNumbers(
  { writing, queue, labelLimit }: SqliteFile,
  { loadTest, loadTestId, known, knownBefore }: Numbering,
  unknown: readonly string[],
): Promise<void> {
  for (let from = 0; from < unknown.length; from += LABELS_AT_ONCE) {
    const number = (): readonly Endpoint[] => {
      if (writing.loadTests.get(loadTest) === undefined) throw unknownLoadTest(loadTestId);
      const wanted = unknown.slice(from, from + LABELS_AT_ONCE);
      // Other batches may have added some of them meanwhile.
      const isAlone = known.labels.length === knownBefore + from;
      const labels = isAlone
        ? wanted
        : wanted.filter((label) => known.numberOf(label) === undefined);
      const endpoints = writing.endpoints.number(loadTest, labels, known.labels.length);
      requireFewNumbers(labelLimit, { loadTestId, known, endpoints, labels: unknown.slice(from) });
      return endpoints;
    };
    // The batch that uses the numbers is synced after them.
    known.remember(await queue.write(number, 0, false));
  }
}

interface Numbered {
  readonly loadTestId: string;
  readonly known: KnownEndpoints;
  /** Those with a number after the known ones. */
  readonly endpoints: readonly Endpoint[];
  /** Labels that are being numbered. */
  readonly labels: readonly string[];
}

/** Throws `too-many-labels` if more labels have a number than two full load tests would. */
export function requireFewNumbers(
  limit: LabelLimit,
  { loadTestId, known, endpoints, labels }: Numbered,
): void {
  if (known.labels.length + endpoints.length <= 2 * limit.max) return;
  const isKnown = (label: string) => known.seriesOf(label).length > 0;
  const added = new Set(
    endpoints.map(({ label }) => labelOfSeries(label)).filter((label) => !isKnown(label)),
  );
  const count = known.labels.length - known.furtherSeries + added.size;
  const numbered = countedLabels(count, (label) => isKnown(label) || added.has(label));
  requireNumbers(limit, loadTestId, { numbered, labels });
}

/** In order. */
function distinct(labels: readonly string[]): readonly string[] {
  const sorted = sortLabels(labels);
  return sorted.filter((label, at) => label !== sorted[at - 1]);
}
