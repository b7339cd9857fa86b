import type { EndpointFigures, RowsRequest } from "../../api/figures.ts";

const SORT_COLUMNS = [
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
] as const satisfies readonly RowsRequest["sort"][];

export type SortColumn = (typeof SORT_COLUMNS)[number];

/** By what a table is sorted. */
export interface Sorting {
  readonly column: SortColumn;
  readonly isAscending: boolean;
}

/** The sorting that the address names, or the one that shows the worst endpoints first. */
export function sortingOf(name: string | undefined, order: string | undefined): Sorting {
  const column = SORT_COLUMNS.find((each) => each === name) ?? "p95";
  const isAscending = order === undefined ? isAscendingAtFirst(column) : order === "ascending";
  return { column, isAscending };
}

/** The sorting after a click on the head of a column: the other way round where it was that one. */
export function nextSorting({ column: last, isAscending }: Sorting, column: SortColumn): Sorting {
  return { column, isAscending: last === column ? !isAscending : isAscendingAtFirst(column) };
}

/** The parameters of the address for a sorting. */
export function sortingParameters({ column, isAscending }: Sorting) {
  const order = isAscending ? "ascending" : "descending";
  return { sort: column, order: isAscending === isAscendingAtFirst(column) ? undefined : order };
}

/** Text begins with A, numbers with the largest. */
export function isAscendingAtFirst(column: SortColumn): boolean {
  return column === "label";
}

/** The endpoints in this order; equal ones by label, those without the number last. */
export function sorted(
  endpoints: readonly EndpointFigures[],
  { column, isAscending }: Sorting,
): readonly EndpointFigures[] {
  const direction = isAscending ? 1 : -1;
  return endpoints.toSorted((left, right) => {
    if (column === "label") return direction * compareTexts(left.label, right.label);
    return (
      compareNumbers(left[column] ?? undefined, right[column] ?? undefined, direction) ||
      compareTexts(left.label, right.label)
    );
  });
}

function compareNumbers(
  left: number | undefined,
  right: number | undefined,
  direction: number,
): number {
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined);
  }
  return direction * (left - right);
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
