import type { EndpointFigures, RowsRequest } from "../../api/figures.ts";
import { type RarePercentile, tooFewFor } from "../../parts/too-few.ts";

export const SORT_COLUMNS = [
  "label",
  "count",
  "errRate",
  "avgLoadTime",
  "minLoadTime",
  "p50",
  "p90",
  "p95",
  "p99",
  "p999",
  "maxLoadTime",
  "kbPerSec",
  "impact",
] as const satisfies readonly RowsRequest["sort"][];

export type SortColumn = (typeof SORT_COLUMNS)[number];

/** A column of numbers of the table of endpoints. */
export type NumberColumn = Exclude<SortColumn, "label">;

const ALL: readonly (readonly [column: NumberColumn, text: string])[] = [
  ["count", "requests"],
  ["errRate", "failed"],
  ["avgLoadTime", "average"],
  ["minLoadTime", "min"],
  ["p50", "p50"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["p99", "p99"],
  ["p999", "p99.9"],
  ["maxLoadTime", "max"],
  ["kbPerSec", "KiB/s"],
  ["impact", "impact"],
];

/** Columns that are shown where they are requested, by their name in the address. */
const OPTIONAL: ReadonlyMap<string, NumberColumn> = new Map([
  ["p90", "p90"],
  ["p99.9", "p999"],
  ["min", "minLoadTime"],
  ["KiB/s", "kbPerSec"],
]);

/** What the table is sorted by, in words. */
export function columnText(column: SortColumn): string {
  return ALL.find(([each]) => each === column)?.[1] ?? "endpoint";
}

/** Names of columns that can be added, as they stand in the address. */
export const COLUMN_NAMES: readonly string[] = [...OPTIONAL.keys()];

/** The names in the address that are names of columns. */
export function requestedColumns(text: string | undefined): readonly string[] {
  const names = (text ?? "").split(",");
  return COLUMN_NAMES.filter((name) => names.includes(name));
}

/** The columns of the table from left to right, with those that are requested, and the one it is sorted by. */
export function columnsWith(
  requested: readonly string[],
  sortedBy: SortColumn,
): readonly (readonly [column: NumberColumn, text: string])[] {
  const hidden = new Set(
    [...OPTIONAL].flatMap(([name, column]) =>
      requested.includes(name) || column === sortedBy ? [] : column,
    ),
  );
  return ALL.filter(([column]) => !hidden.has(column));
}

const RARE: Readonly<Partial<Record<NumberColumn, RarePercentile>>> = {
  p90: "p90",
  p95: "p95",
  p99: "p99",
  p999: "p99.9",
};

/** Said of percentiles that the load tool computed itself. */
export const REPORTED = "reported by the load tool";

/** Where the percentile in a column comes from, unless it was computed; `undefined` for other columns. */
export function originText(
  column: NumberColumn,
  percentiles: EndpointFigures["percentiles"],
): string | undefined {
  if (!/^p\d/.test(column) || percentiles === "computed") return undefined;
  return percentiles === "reported" ? REPORTED : "not recorded: only averages are available";
}

/** Why the number in a column means little, with so many requests; `undefined` where it does not. */
export function fewFor(column: NumberColumn, requests: number): string | undefined {
  const percentile = RARE[column];
  return percentile && tooFewFor(percentile, requests);
}
