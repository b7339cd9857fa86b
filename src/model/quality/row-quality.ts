/** Rows of a source that are not counted as they were written. */

import { isCount } from "../json-text.ts";
import { addExactly } from "../exact.ts";
import { LABEL_BYTES_MAX } from "../label.ts";
import { OTHER_VALUE } from "../series/facets.ts";
import { REPAIRS, type RepairedRows, addRepairedRows } from "./repairs.ts";

export const CHECKED_FIGURES = ["requests", "failedRequests"] as const;

/** A total in a file that differs from what was counted in it. */
export interface Discrepancy {
  readonly figure: (typeof CHECKED_FIGURES)[number];
  readonly reported: number;
  readonly counted: number;
}

export interface Measurement {
  /** At most `LABEL_BYTES_MAX` characters. */
  readonly name: string;
  readonly values: number;
}

/** What was made of the rows of a source that are not counted as they were written. */
export interface RowQuality {
  /** Rows of which not even the outcome can be read: they are not counted. */
  readonly rejectedRows: number;
  /** Counted rows with an unknown value. Absent if empty. */
  readonly repairedRows?: RepairedRows | undefined;
  /** At most one per figure. Absent if empty. */
  readonly discrepancies?: readonly Discrepancy[] | undefined;
  /** Measurements of line protocol that were stored as measures, at most `MEASUREMENTS_MAX`. Absent if empty. */
  readonly measurements?: readonly Measurement[] | undefined;
  /** Values of measures that could not be read or stored, by measure, at most `MEASUREMENTS_MAX`. Absent if empty. */
  readonly unreadValues?: readonly Measurement[] | undefined;
  /** Requests by label that were left out on demand, at most `MEASUREMENTS_MAX`. Absent if empty. */
  readonly ignored?: readonly Measurement[] | undefined;
  /** Requests by label of which a facet counts as `(other)`, at most `MEASUREMENTS_MAX`. Absent if empty. */
  readonly otherFacets?: readonly Measurement[] | undefined;
}

/** Further ones count under `OTHER_MEASUREMENTS`. */
export const MEASUREMENTS_MAX = 50;
export const OTHER_MEASUREMENTS = "(other)";

const MEASUREMENT_LISTS = ["measurements", "unreadValues", "ignored", "otherFacets"] as const;

/** Adds up what parts of a source say; `undefined` if all rows are counted as written. Cuts names. Throws `sum-too-large`. */
export function addRowQuality(
  parts: readonly (Partial<RowQuality> | undefined)[],
): RowQuality | undefined {
  const all = parts.filter((part) => part !== undefined);
  const rejectedRows = all.reduce((sum, part) => addExactly(sum, part.rejectedRows ?? 0), 0);
  const repairedRows = addRepairedRows(all.map((part) => part.repairedRows ?? {}));
  const discrepancies = largest(all.flatMap((part) => part.discrepancies ?? []));
  const lists = MEASUREMENT_LISTS.flatMap((name) => {
    const sums = addMeasurements(all.flatMap((part) => part[name] ?? []));
    return sums.length === 0 ? [] : [[name, sums] as const];
  });
  const hasRepairs = Object.keys(repairedRows).length > 0;
  if (rejectedRows + discrepancies.length + lists.length === 0 && !hasRepairs) return undefined;
  return {
    rejectedRows,
    ...(hasRepairs && { repairedRows }),
    ...(discrepancies.length > 0 && { discrepancies }),
    ...Object.fromEntries(lists),
  };
}

/** The largest difference of each figure. */
function largest(all: readonly Discrepancy[]): readonly Discrepancy[] {
  const sizeOf = ({ reported, counted }: Discrepancy) => Math.abs(reported - counted);
  return CHECKED_FIGURES.flatMap((wanted) =>
    all
      .filter(({ figure }) => figure === wanted)
      .toSorted((left, right) => sizeOf(right) - sizeOf(left))
      .slice(0, 1),
  );
}

/** Cuts names, which senders may have made longer than is stored. Throws `sum-too-large`. */
export function addMeasurements(all: Iterable<Measurement>): readonly Measurement[] {
  const values = new Map<string, number>();
  for (const { name: given, values: added } of all) {
    const name =
      given.length > LABEL_BYTES_MAX ? given.slice(0, LABEL_BYTES_MAX).toWellFormed() : given;
    const isNew = !values.has(name) && values.size >= MEASUREMENTS_MAX - 1;
    const counted = isNew ? OTHER_MEASUREMENTS : name;
    values.set(counted, addExactly(values.get(counted) ?? 0, added));
  }
  return [...values].map(([name, sum]) => ({ name, values: sum }));
}

/** The largest of the counts that are added up. */
export function largestCount(quality: RowQuality): number {
  const lists = MEASUREMENT_LISTS.flatMap((name) => quality[name] ?? []);
  const repaired = Object.values(quality.repairedRows ?? {});
  return Math.max(quality.rejectedRows, ...repaired, ...lists.map(({ values }) => values));
}

/** Says how many requests count as `(other)` by a facet, such as `1,234 requests of 3 labels`. */
export function otherFacetsText(counts: readonly Measurement[]): string {
  const requests = counts.reduce((sum, { values }) => sum + values, 0);
  const isMore = counts.some(({ name }) => name === OTHER_MEASUREMENTS);
  const labels = isMore ? `more than ${counts.length - 1}` : `${counts.length}`;
  const label = counts.length === 1 ? "label" : "labels";
  return requests === 1
    ? `1 request of ${labels} ${label} counts as ${OTHER_VALUE} by its facets`
    : `${requests.toLocaleString("en-US")} requests of ${labels} ${label} count as ${OTHER_VALUE} by their facets`;
}

/** Whether it is one with known members only. */
export function isRowQuality(value: unknown): value is RowQuality {
  if (!isObject(value)) return false;
  const { rejectedRows, repairedRows = {}, discrepancies = [] } = value;
  return (
    isCount(rejectedRows) &&
    isObject(repairedRows) &&
    Object.entries(repairedRows).every(([kind, rows]) => isRepair(kind) && isCount(rows)) &&
    isListOf(discrepancies, CHECKED_FIGURES.length, isDiscrepancy) &&
    MEASUREMENT_LISTS.every((name) => isListOf(value[name] ?? [], MEASUREMENTS_MAX, isMeasurement))
  );
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null;
}

function isRepair(kind: string): boolean {
  return REPAIRS.some((known) => known === kind);
}

function isListOf(value: unknown, most: number, isItem: (item: Members) => boolean): boolean {
  if (!Array.isArray(value) || value.length > most) return false;
  return value.every((item: unknown) => isObject(item) && isItem(item));
}

function isDiscrepancy({ figure, reported, counted }: Members): boolean {
  return CHECKED_FIGURES.some((known) => known === figure) && isCount(reported) && isCount(counted);
}

/** Names are labels, cut at as many characters as a label may have bytes. */
function isMeasurement({ name, values }: Members): boolean {
  return typeof name === "string" && name.length <= LABEL_BYTES_MAX && isCount(values);
}

/** `0.5%` as 0.005; `undefined` unless it is from 0 to 100 %. */
export function shareOf(text: string): number | undefined {
  const [, number] = /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text.trim()) ?? [];
  const share = number === undefined ? Number.NaN : Number(`${number}e-2`);
  return share <= 1 ? share : undefined;
}
