import type { Series } from "../../api/figures.ts";
import { statisticOf } from "../endpoints/endpoint-lines.ts";
import type { Range } from "../scope/range.ts";
import type { Sheet } from "./sheet.ts";

/** From this multiple of the middle value on, the highest one would flatten a linear chart. */
const RATIO_MAX = 20;

/** Whether the axis of response times is logarithmic: as the URL says, else if one value would flatten all lines. */
export function isLogarithmicIn(
  parameters: ReadonlyMap<string, string>,
  sheet: Pick<Sheet, "merged" | "each"> | undefined,
  { from, until }: Range,
): boolean {
  const chosen = parameters.get("scale");
  if (chosen === "log" || chosen === "linear" || sheet === undefined) return chosen === "log";
  const { merged, each } = sheet;
  const statistic = statisticOf(parameters.get("statistic"));
  const columnsOf = ({ percentiles, avgLoadTime }: Series) => {
    if (each === undefined) return Object.values(percentiles);
    return [statistic === "average" ? avgLoadTime : (percentiles[statistic] ?? [])];
  };
  const values = (each ?? [merged])
    .flatMap((series) => {
      const isIn = series.labels.map((second) => second >= from && second < until);
      return columnsOf(series).flatMap((column) => column.filter((_, point) => isIn[point]));
    })
    .flatMap((value) => value ?? [])
    .toSorted((left, right) => left - right);
  const [middle = 0, highest = 0] = [values[Math.floor(values.length / 2)], values.at(-1)];
  return highest > RATIO_MAX * middle;
}
