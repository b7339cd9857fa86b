import type { ParentFigures } from "../../api/figures.ts";
import {
  FAILED_WORST,
  type NumberColumn,
  SORT_COLUMNS,
  type SortColumn,
} from "./endpoint-columns.ts";

export interface Sorting {
  readonly column: SortColumn;
  readonly isAscending: boolean;
}

/** The p95 of endpoints in the baseline, by hash; `undefined` without one. */
export type BaselineTimes = ReadonlyMap<string, number> | undefined;

/** The order in the URL, or the one that shows the worst endpoints first: by p95 if only a part of all is listed. */
export function sortingOf(
  name: string | undefined,
  order: string | undefined,
  isPart = false,
): Sorting {
  const chosen = SORT_COLUMNS.find((each) => each === name) ?? "worst";
  const column = chosen === "worst" && isPart ? "p95" : chosen;
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

/** Change of the p95 since the baseline, 0.1 for 10 % more; `null` if either is unknown. */
function changeOf(
  { hash, p95 }: Pick<ParentFigures, "p95"> & { readonly hash?: string },
  baseline: BaselineTimes,
): number | null {
  const base = baseline?.get(hash ?? "");
  return p95 === null || p95 === undefined || !base ? null : p95 / base - 1;
}

/** The sorted endpoints by the number shown, those without it last; ties by label. */
export function sorted<Row extends ParentFigures>(
  endpoints: readonly Row[],
  { column, isAscending }: Sorting,
  baseline?: BaselineTimes,
): readonly Row[] {
  const direction = isAscending ? 1 : -1;
  return endpoints.toSorted((left, right) => {
    if (column === "label") return direction * compareTexts(left.label, right.label);
    const byFailures = column === "worst" ? failuresOf(left) - failuresOf(right) : 0;
    const figure = column === "worst" ? "p95" : column;
    const [one, other] = [numberOf(left, figure, baseline), numberOf(right, figure, baseline)];
    return (
      direction * byFailures ||
      Number(one === null) - Number(other === null) ||
      direction * ((one ?? 0) - (other ?? 0)) ||
      compareTexts(left.label, right.label)
    );
  });
}

/** The share of failed requests, if it is too large. */
function failuresOf({ errRate }: ParentFigures): number {
  return errRate >= FAILED_WORST ? errRate : 0;
}

/** What a column shows; `null` if unknown. */
export function numberOf(
  figures: ParentFigures,
  column: NumberColumn,
  baseline?: BaselineTimes,
): number | null {
  if (column === "impact") return impactOf(figures);
  return (column === "change" ? changeOf(figures, baseline) : figures[column]) ?? null;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
