import type { ComparedEndpoint, TimeFigure } from "../api/comparison.ts";
import { kindOf, rankOf } from "./verdicts.ts";

const SORT_COLUMNS = ["verdict", "label", "count", "base", "value", "change"] as const;

export type SortColumn = (typeof SORT_COLUMNS)[number];

/** The column with this name, or the one that shows the worst endpoints first. */
export function sortColumn(name: string | undefined): SortColumn {
  return SORT_COLUMNS.find((column) => column === name) ?? "verdict";
}

export interface RowOrder {
  readonly column: SortColumn;
  /** Descending: least, best, last. */
  readonly isReversed: boolean;
  readonly figure: TimeFigure;
}

/** Sorts endpoints by a column: numbers descending, labels ascending; ties by label. */
export function sortedRows(
  endpoints: readonly ComparedEndpoint[],
  { column, isReversed, figure }: RowOrder,
): readonly ComparedEndpoint[] {
  const direction = isReversed ? -1 : 1;
  const compare = column === "verdict" ? byVerdict(figure) : byNumber(numberOf(column, figure));
  return endpoints.toSorted((left, right) => {
    if (column === "label") return direction * byLabel(left, right);
    return direction * compare(left, right) || byLabel(left, right);
  });
}

type Compare = (left: ComparedEndpoint, right: ComparedEndpoint) => number;

/**
 * By kind, the worst first, then by the interval end nearest to 0, so that few requests cannot outrank many.
 */
function byVerdict(figure: TimeFigure): Compare {
  const sure = (row: ComparedEndpoint): number | undefined => {
    if (row.verdict === "new") return row.count.value;
    if (row.verdict === "gone") return row.count.base;
    if (row.verdict !== "faster") return row[figure].low;
    return row[figure].high === undefined ? undefined : -row[figure].high;
  };
  return (left, right) =>
    rankOf(kindOf(left)) - rankOf(kindOf(right)) || byNumber(sure)(left, right);
}

function numberOf(
  column: SortColumn,
  figure: TimeFigure,
): (row: ComparedEndpoint) => number | undefined {
  return (row) => {
    if (column === "count") return row.count.value;
    return row[figure][column === "base" || column === "value" ? column : "change"];
  };
}

/** Largest first, rows without a number last. */
function byNumber(numberOfRow: (row: ComparedEndpoint) => number | undefined): Compare {
  return (left, right) => {
    const [from, to] = [numberOfRow(left) ?? -Infinity, numberOfRow(right) ?? -Infinity];
    return from === to ? 0 : to - from;
  };
}

function byLabel({ label: left }: ComparedEndpoint, { label: right }: ComparedEndpoint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
