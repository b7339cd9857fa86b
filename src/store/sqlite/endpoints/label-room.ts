/** The limit of labels, held against what a load test will show: exact, within the write itself. */

import { NumberSet, numbersWhere } from "../../../model/number-set.ts";
import { countedLabels, mayBeNoted, noteLabels, requireRoom } from "../../label-limit.ts";
import type { PointBatch } from "../../store.ts";
import { numbersIn, setHas, sizeOfSet, uniteSets } from "./endpoint-set.ts";
import type { SqliteFile } from "../file.ts";
import type { LoadTestRow } from "../catalogue/load-test-rows.ts";
import { EMPTY_TALLY, type Tally } from "../catalogue/tally.ts";

type Limited = Pick<SqliteFile, "reading" | "labelLimit">;

/** Endpoint sets: what is added to what is there. */
interface AddedEndpoints {
  readonly before: () => readonly Uint8Array[];
  readonly added: Uint8Array;
  /** Of both together. */
  readonly after: Uint8Array;
  /** Labels in the order in which they came. @default as labels are sorted */
  readonly order?: readonly string[] | undefined;
}

/** For what readers see. Answers how many endpoints that are afterwards. Throws `too-many-labels`. */
export function showLabels(file: SqliteFile, row: LoadTestRow, endpoints: AddedEndpoints): number {
  requireLabelRoom(file, row, endpoints);
  const after = sizeOfSet(endpoints.after);
  if (mayBeNoted(file.labelLimit, { before: row.endpoints, after })) {
    noteLabels(file.labelLimit, row.id, {
      before: countedIn(file, row.number, uniteSets(endpoints.before())),
      after: countedIn(file, row.number, endpoints.after),
    });
  }
  return after;
}

/**
 * For a batch that no reader sees yet: within the write, so that it is known then for which of its
 * labels there is no room beside what readers see and what its source holds. `before` is what that
 * held, `counted` what it holds with the batch. Throws `too-many-labels`.
 */
export function requireStagedRoom(
  file: SqliteFile,
  row: LoadTestRow,
  {
    batch,
    before: own,
    counted,
    added,
  }: Readonly<Record<"before" | "counted" | "added", Tally>> & { readonly batch: PointBatch },
): void {
  // Mostly there is room in any case, and the other sources, of which there may be many, are not read.
  if (row.endpoints + sizeOfSet(counted.endpoints) <= file.labelLimit.max) return;
  const visible = file.writing.sources.visible(row.number).map(({ tally }) => tally.endpoints);
  requireLabelRoom(file, row, {
    before: () => [...visible, own.endpoints],
    added: added.endpoints,
    after: uniteSets([...visible, counted.endpoints]),
    order: batch.labels,
  });
}

/**
 * Refuses a batch before its labels get numbers, as far as is known by then: `texts` are those of
 * its labels that may have none. Throws `too-many-labels`.
 */
export function requireRoomAhead(
  { reading, labelLimit }: Limited,
  { number: loadTest, id, endpoints }: LoadTestRow,
  { visibility, sourceId, labels: order }: PointBatch,
  texts: readonly string[],
): void {
  const known = reading.endpoints.known(loadTest);
  const isUnknown = (text: string): boolean => known.numberOf(text) === undefined;
  const own = visibility === "staged" ? reading.sources.find(loadTest, sourceId) : undefined;
  const { endpoints: staged } = own?.tally ?? EMPTY_TALLY;
  const beside = endpoints + sizeOfSet(staged);
  if (beside + texts.length <= labelLimit.max) return;
  if (beside + new Set(texts.filter(isUnknown)).size <= labelLimit.max) return;
  // Another process may have numbered some of them, and they may be among the others.
  known.catchUp();
  if (visibility === "live") {
    const present = countedLabels(endpoints, (label) => !isUnknown(label));
    requireRoom(labelLimit, id, { present, added: texts.filter(isUnknown), order });
    return;
  }
  const sets = reading.sources.visible(loadTest).map(({ tally }) => tally.endpoints);
  const shown = uniteSets([...sets, staged]);
  const isShown = new NumberSet(numbersIn(shown));
  const added = texts.filter((text) => !isShown.has(known.numberOf(text) ?? -1));
  requireRoom(labelLimit, id, { present: countedIn({ reading }, loadTest, shown), added, order });
}

function requireLabelRoom(
  { reading, labelLimit }: Limited,
  { number: loadTest, id }: Pick<LoadTestRow, "number" | "id">,
  { before, added, after, order }: AddedEndpoints,
): void {
  if (sizeOfSet(after) <= labelLimit.max) return;
  const known = reading.endpoints.known(loadTest);
  known.catchUp();
  if (countedIn({ reading }, loadTest, after) <= labelLimit.max) return;
  const there = uniteSets(before());
  const others = new NumberSet(numbersIn(there));
  const further = numbersWhere(numbersIn(added), (number) => !others.has(number));
  const labels = Array.from(further, (number) => known.labels[number] as string);
  requireRoom(labelLimit, id, {
    present: countedIn({ reading }, loadTest, there),
    added: labels,
    order,
  });
}

/** How many endpoints of a set count against the limit. */
function countedIn({ reading }: Pick<Limited, "reading">, loadTest: number, set: Uint8Array) {
  const known = reading.endpoints.known(loadTest);
  return countedLabels(sizeOfSet(set), (label) => {
    const number = known.numberOf(label);
    return number !== undefined && setHas(set, number);
  });
}
