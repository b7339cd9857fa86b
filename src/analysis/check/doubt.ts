/** Whether rows that could not be read may turn what was judged. */

import type { Figures, SummaryFigures, UnreadRows } from "../../api/summary.ts";
import { OTHER_MEASUREMENTS } from "../../model/quality/row-quality.ts";
import { type Bounds, isBeyond, type Judged, type Limit, measuredBy } from "./limit.ts";

/** A figure is judged only if its smallest and its largest possible value agree. */
export function withDoubtOfValue(
  judged: Judged,
  possible: Bounds | undefined,
  { isTruncated }: UnreadRows,
): Judged {
  const { limit, outcome, measured } = judged;
  if (possible === undefined || measured === undefined) return judged;
  const isBroken = outcome === "broken";
  const { comparison, bound } = limit;
  // The bounds may both differ from a value between them.
  const mayEqual = comparison === "==" && possible[0] < bound && bound < possible[1];
  const isSame = !mayEqual && possible.every((value) => isBeyond(value, limit) === isBroken);
  // What is missing at the end of a file cannot mend what is wrong before it.
  if (isSame || (isBroken && isTruncated)) return judged;
  return { limit, measured, outcome: "notEvaluated", possible };
}

/** What is broken in the rows of a window that were read is so; others may lie in any window. */
export function withDoubtOfWindow(judged: Judged, possible: Bounds | undefined): Judged {
  return possible === undefined || judged.outcome !== "kept"
    ? judged
    : { ...judged, outcome: "notEvaluated", possible };
}

/** Rows that could not be read may have held values of any measure. `values`: how many the measure has. */
export function withDoubtOfMeasure(
  judged: Judged,
  { unread, overall }: SummaryFigures,
  values: number,
): Judged {
  const { rejectedRows, untimedRows, isTruncated } = unread;
  const { limit, outcome } = judged;
  const lost = unread.values
    .filter(({ name }) => name === limit.selector?.name || name === OTHER_MEASUREMENTS)
    .reduce((sum, each) => sum + each.values, 0);
  const shares = [
    shareOf(rejectedRows + untimedRows, overall.count + rejectedRows),
    shareOf(lost, values + lost),
  ];
  const isAllowed = Math.max(...shares) <= (limit.allowRejected ?? 0);
  if (outcome !== "kept" || (isAllowed && !isTruncated)) return judged;
  return { ...judged, outcome: "notEvaluated" };
}

function shareOf(part: number, whole: number): number {
  return part === 0 ? 0 : part / whole;
}

/** Growth is judged only if the smallest and the largest possible growth agree. */
export function withDoubt(
  judged: Judged,
  later: Bounds | undefined,
  base: Bounds | undefined,
): Judged {
  const { limit, outcome, comparison } = judged;
  if (later === undefined && base === undefined) return judged;
  if (comparison?.value === undefined || comparison.base === undefined) return judged;
  const possible = growthBetween(
    limit,
    base ?? [comparison.base, comparison.base],
    later ?? [comparison.value, comparison.value],
  );
  return isSure(limit, outcome, possible)
    ? judged
    : { ...judged, outcome: "notEvaluated", possible };
}

/** Smallest and largest growth, as a share; of errors the difference. */
export function growthBetween(limit: Limit, base: Bounds, later: Bounds): Bounds {
  const growth = (from: number, to: number): number => {
    if (limit.figure === "errors") return to - from;
    return from === to ? 0 : to / from - 1;
  };
  return [growth(base[1], later[0]), growth(base[0], later[1])];
}

function isSure(limit: Limit, outcome: Judged["outcome"], [least, most]: Bounds): boolean {
  if (outcome === "broken") return isBeyond(least, limit);
  return (outcome !== "kept" && outcome !== "inconclusive") || !isBeyond(most, limit);
}

/** Levels are not known better: of times as a share, of errors as a difference. */
const LEVEL_PRECISION = { times: 0.01, errors: 0.001 } as const;

/** A change is judged only if the bounds of the last run are as close as levels are known, or both beyond the limit. */
export function withDoubtOfChange(
  judged: Judged,
  possible: Bounds | undefined,
  figures: Figures | undefined,
): Judged {
  const { limit, outcome, change } = judged;
  const measured = figures && measuredBy(limit, figures);
  if (possible === undefined || measured === undefined) return judged;
  if (outcome === "broken" && change !== undefined) {
    const level: Bounds = [change.before, change.before];
    const [least, most] = growthBetween(limit, level, possible);
    const isUp = change.after > change.before;
    if (isBeyond(isUp ? least : -most, limit)) return judged;
  } else if (outcome !== "kept" || isClose(limit, measured, possible)) return judged;
  return { ...judged, outcome: "notEvaluated", possible };
}

function isClose({ figure }: Limit, measured: number, [least, most]: Bounds): boolean {
  if (figure === "errors") return most - least <= LEVEL_PRECISION.errors;
  return most - least <= measured * LEVEL_PRECISION.times;
}
