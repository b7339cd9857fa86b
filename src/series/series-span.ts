import { lowerBound, viewSeries } from "../model/columns.ts";
import type { OutcomeColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";

/** Returns a view of the points of a series, ascending by second, within the range. */
export function spanOf(points: OutcomeColumns, range: SecondRange): OutcomeColumns {
  const from = lowerBound(points.second, range.from);
  return viewSeries(points, from, Math.max(from, lowerBound(points.second, range.until)));
}
