import type { EndpointFigures } from "../api/figures.ts";

const SORT_COLUMNS = [
  "label",
  "count",
  "errRate",
  "avgLoadTime",
  "p50",
  "p95",
  "p99",
  "maxLoadTime",
  "kbPerSec",
] as const;

export type SortColumn = (typeof SORT_COLUMNS)[number];

/** The column of this name, or the one that shows the worst endpoints first. */
export function sortColumn(name: string | undefined): SortColumn {
  return SORT_COLUMNS.find((column) => column === name) ?? "p95";
}

/** The endpoints by a column; equal ones by label. */
export function sorted(
  endpoints: readonly EndpointFigures[],
  column: SortColumn,
  isAscending: boolean,
): readonly EndpointFigures[] {
  const direction = isAscending ? 1 : -1;
  return endpoints.toSorted((left, right) => {
    if (column === "label") return -direction * compare(left.label, right.label);
    const difference = (left[column] ?? -1) - (right[column] ?? -1);
    return direction * difference || compare(left.label, right.label);
  });
}

function compare(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
