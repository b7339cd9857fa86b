import type { ParentFigures } from "../../api/figures.ts";
import { fewFor, type NumberColumn, SORT_COLUMNS, type SortColumn } from "./endpoint-columns.ts";

export interface Sorting {
  readonly column: SortColumn;
  readonly isAscending: boolean;
}

/** The order in the URL, or the one that shows the worst endpoints first. */
export function sortingOf(name: string | undefined, order: string | undefined): Sorting {
  const column = SORT_COLUMNS.find((each) => each === name) ?? "p95";
  const isAscending = order === undefined ? isAscendingAtFirst(column) : order === "ascending";
  return { column, isAscending };
}

/** The order after a click on a column header: reversed if it was already that column. */
export function nextSorting({ column: last, isAscending }: Sorting, column: SortColumn): Sorting {
  return { column, isAscending: last === column ? !isAscending : isAscendingAtFirst(column) };
}

export function sortingParameters({ column, isAscending }: Sorting) {
  const order = isAscending ? "ascending" : "descending";
  return { sort: column, order: isAscending === isAscendingAtFirst(column) ? undefined : order };
}

/** Text ascending, numbers descending first. */
export function isAscendingAtFirst(column: SortColumn): boolean {
  return column === "label";
}

/**
 * Impact in seconds: total time its requests took beyond the endpoint's own median; `null` if unknown.
 */
export function impactOf({
  count,
  untimedCount,
  avgLoadTime,
  p50,
}: Pick<ParentFigures, "count" | "untimedCount" | "avgLoadTime" | "p50">): number | null {
  if (avgLoadTime === null || p50 === null) return null;
  return (count - untimedCount) * Math.max(0, avgLoadTime - p50);
}

/**
 * The sorted endpoints; ties by label. Those with too few requests for the number come after the others,
 * those without it last.
 */
export function sorted<Row extends ParentFigures>(
  endpoints: readonly Row[],
  { column, isAscending }: Sorting,
): readonly Row[] {
  const direction = isAscending ? 1 : -1;
  return endpoints.toSorted((left, right) => {
    if (column === "label") return direction * compareTexts(left.label, right.label);
    return (
      placeOf(left, column) - placeOf(right, column) ||
      direction * (numberOf(left, column) - numberOf(right, column)) ||
      compareTexts(left.label, right.label)
    );
  });
}

function numberOf(figures: ParentFigures, column: NumberColumn): number {
  return (column === "impact" ? impactOf(figures) : figures[column]) ?? 0;
}

/** 0: a reliable number, 1: too few requests, 2: none. */
function placeOf(figures: ParentFigures, column: NumberColumn): number {
  const value = column === "impact" ? impactOf(figures) : figures[column];
  if (value === null || value === undefined) return 2;
  return fewFor(column, figures.count) === undefined ? 0 : 1;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
