/** Rows that are counted although something of them cannot be read. */

import { addExactly } from "../exact.ts";

/** What is unknown of a row that is counted. */
export const REPAIRS = [
  "label-shortened",
  "time-unknown",
  "start-unknown",
  "fields-misplaced",
  "size-unknown",
  "text-undecodable",
  "repeats-unknown",
] as const;

export type RepairKind = (typeof REPAIRS)[number];

/** Each at least 1. */
export type RepairedRows = Readonly<Partial<Record<RepairKind, number>>>;

/** For people; the number of rows precedes it. */
export const REPAIR_TEXTS: Readonly<Record<RepairKind, string>> = {
  "label-shortened": "with a shortened name",
  "time-unknown": "without a readable response time",
  "start-unknown": "without a readable start",
  "fields-misplaced": "with missing or misplaced fields",
  "size-unknown": "without a readable size",
  "text-undecodable": "with a name that is not UTF-8",
  "repeats-unknown": "that may have come before: too many load tests sent spans at once to know",
};

const OF_NAMES_AND_SIZES: ReadonlySet<RepairKind> = new Set([
  "label-shortened",
  "size-unknown",
  "text-undecodable",
]);

/** Whether more than a name or a size is unknown, so that the row is no base for others. */
export function isDoubtful(kind: RepairKind): boolean {
  return !OF_NAMES_AND_SIZES.has(kind);
}

/** Throws `sum-too-large`. */
export function addRepairedRows(all: readonly RepairedRows[]): RepairedRows {
  const counts = REPAIRS.map((kind) => {
    return [kind, all.reduce((sum, rows) => addExactly(sum, rows[kind] ?? 0), 0)] as const;
  });
  return Object.fromEntries(counts.filter(([, rows]) => rows > 0));
}
