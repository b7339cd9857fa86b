import { compareLabels } from "../model/label.ts";
import type { ComparedRow, Comparison, Verdict } from "./compare-judge.ts";

/** Those that became slower or fail more come first, then what is gone or new is last. */
const RANKS: Readonly<Record<Verdict, number>> = {
  slower: 0,
  unchanged: 1,
  faster: 2,
  tooFew: 3,
  gone: 4,
  new: 5,
};

/**
 * Orders rows for a reader who looks for trouble. Within a verdict the sure part of the change
 * counts, not the measured one, so that few requests cannot outrank many.
 */
export function worstFirst<Row extends LabelledRow>(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, rank: rankOf(row), grown: surelyGrown(row) }))
    .toSorted(
      (left, right) =>
        left.rank - right.rank ||
        right.grown - left.grown ||
        compareLabels(left.row.label, right.row.label),
    )
    .map(({ row }) => row);
}

interface LabelledRow extends ComparedRow {
  readonly label: string;
}

function rankOf({ verdict, errRate }: ComparedRow): number {
  return failsMore(errRate) ? RANKS.slower : RANKS[verdict];
}

/** Whether more requests fail, beyond noise. */
function failsMore({ isSignificant, change = 0 }: Comparison): boolean {
  return isSignificant === true && change > 0;
}

/** By how much some time has grown at least. */
function surelyGrown({ shift, avgLoadTime, p50, p95, p99 }: ComparedRow): number {
  const limits = [shift, avgLoadTime, p50, p95, p99].flatMap(({ low }) => low ?? []);
  return limits.length === 0 ? -1 : Math.max(...limits);
}
