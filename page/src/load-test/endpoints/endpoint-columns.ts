import type { EndpointFigures, RowsRequest } from "../../api/figures.ts";
import { type RarePercentile, tooFewFor } from "../../parts/too-few.ts";

/** Those that the service can sort by, too. */
const FIGURES = [
  "label",
  "count",
  "reqPerSec",
  "errRate",
  "avgLoadTime",
  "minLoadTime",
  "p50",
  "p90",
  "p95",
  "p99",
  "p999",
  "maxLoadTime",
  "receivedBytesPerSec",
  "impact",
] as const satisfies readonly RowsRequest["sort"][];

/** `worst`: what failed too much, then by p95; `change`: that of the p95 since the baseline. */
export const SORT_COLUMNS = [...FIGURES, "change", "worst"] as const;

export type SortColumn = (typeof SORT_COLUMNS)[number];

/** A numeric column of the endpoint table. */
export type NumberColumn = Exclude<SortColumn, "label" | "worst">;

/** The nearest column by which the service sorts. */
export function servedColumn(column: SortColumn): RowsRequest["sort"] {
  return FIGURES.find((each) => each === column) ?? "p95";
}

const ALL: readonly (readonly [column: NumberColumn, text: string])[] = [
  ["count", "requests"],
  ["reqPerSec", "throughput"],
  ["errRate", "failed"],
  ["avgLoadTime", "average"],
  ["minLoadTime", "min"],
  ["p50", "p50"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["change", "p95 change"],
  ["p99", "p99"],
  ["p999", "p99.9"],
  ["maxLoadTime", "max"],
  ["receivedBytesPerSec", "received/s"],
  ["impact", "impact"],
];

export const NUMBER_COLUMNS: readonly NumberColumn[] = ALL.map(([column]) => column);

/** Optional columns, by their name in the URL. */
const OPTIONAL: ReadonlyMap<string, NumberColumn> = new Map([
  ["p90", "p90"],
  ["p99.9", "p999"],
  ["min", "minLoadTime"],
  ["received/s", "receivedBytesPerSec"],
]);

/** From this share of failed requests on, an endpoint is among the worst. */
export const FAILED_WORST = 0.05;

/** The sort order in words. */
export function columnText(column: SortColumn): string {
  if (column === "change") return "change against the baseline";
  return ALL.find(([each]) => each === column)?.[1] ?? "endpoint";
}

/** URL names of optional columns. */
export const COLUMN_NAMES: readonly string[] = [...OPTIONAL.keys()];

/** The valid column names in the URL. */
export function requestedColumns(text: string | undefined): readonly string[] {
  const names = (text ?? "").split(",");
  return COLUMN_NAMES.filter((name) => names.includes(name));
}

/**
 * The table's columns from left to right, with the optional ones requested, the one it is sorted by, and the change since a
 * baseline. `isSplit`: rows of a label are compared with each other, which the impact does not: a region that is slow
 * throughout has none.
 */
export function columnsWith(
  requested: readonly string[],
  sortedBy: SortColumn,
  isSplit = false,
  hasBaseline = false,
): readonly (readonly [column: NumberColumn, text: string])[] {
  const hidden = new Set<SortColumn>(isSplit ? ["impact"] : []);
  for (const [name, column] of OPTIONAL) if (!requested.includes(name)) hidden.add(column);
  return ALL.filter(([column]) => {
    if (column === "change") return hasBaseline;
    return column === sortedBy || !hidden.has(column);
  });
}

const RARE: Readonly<Partial<Record<NumberColumn, RarePercentile>>> = {
  p90: "p90",
  p95: "p95",
  change: "p95",
  p99: "p99",
  p999: "p99.9",
};

/** Note on percentiles computed by the load tool. */
export const REPORTED = "reported by the load tool";

/** The source of a column's percentile, unless it was computed; `undefined` for other columns. */
export function originText(
  column: NumberColumn,
  percentiles: EndpointFigures["percentileOrigin"],
): string | undefined {
  if (!/^p\d/.test(column) || percentiles === "computed") return undefined;
  return percentiles === "reported" ? REPORTED : "not recorded: only averages are available";
}

/** Why a column's number means little for so few requests; `undefined` if it does not. */
export function fewFor(column: NumberColumn, requests: number): string | undefined {
  const percentile = RARE[column];
  return percentile && tooFewFor(percentile, requests);
}
