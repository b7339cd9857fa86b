import type { MeasureSeriesJson } from "../api/measures.ts";
import type { MeasureTable } from "../model/measures/measure-table.ts";
import { distributionOf, extremesOf, totalOf } from "./measure-figures.ts";

type Series = MeasureSeriesJson["series"][number];

const MINUTE = 60;

/** Returns the figures of a table of one series by intervals, which begin at multiples of their length. Throws `sum-too-large`. */
export function intervalsOf(
  table: MeasureTable,
  resolutionSeconds: number,
): Omit<Series, "name" | "unit" | "kind" | "tags" | "endpoint"> {
  const { series, sums, gauges } = table;
  const runs = runsOf(sums.second, resolutionSeconds);
  const totals = runs.map(({ from, until }) => totalOf(sums, from, until));
  const columns = {
    seconds: runs.map(({ begin }) => begin),
    count: totals.map(({ count }) => count),
    sum: totals.map(({ sum }) => sum),
    mean: totals.map(({ sum, count }) => sum / count),
  };
  const kind = series[0]?.kind;
  if (kind === "distribution") {
    return { ...columns, distribution: distributionsOf(table, resolutionSeconds) };
  }
  if (kind !== "gauge") return columns;
  const extremes = runs.map(({ from, until }) => extremesOf(gauges, from, until));
  return {
    ...columns,
    min: extremes.map(({ min }) => min ?? null),
    max: extremes.map(({ max }) => max ?? null),
    last: runs.map(({ until }) => gauges.last[until - 1] as number),
  };
}

interface Run {
  /** Second at which the interval begins. */
  readonly begin: number;
  /** Rows, half open. */
  readonly from: number;
  readonly until: number;
}

function runsOf(second: Uint32Array, resolutionSeconds: number): readonly Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < second.length;) {
    const at = second[from] as number;
    const begin = at - (at % resolutionSeconds);
    let until = from + 1;
    while (until < second.length && (second[until] as number) < begin + resolutionSeconds)
      until += 1;
    runs.push({ begin, from, until });
    from = until;
  }
  return runs;
}

function distributionsOf(
  { sums, histograms }: MeasureTable,
  resolutionSeconds: number,
): Series["distribution"] {
  const resolution = Math.ceil(resolutionSeconds / MINUTE) * MINUTE;
  const runs = runsOf(histograms.minute, resolution);
  const counts = new Map(
    runsOf(sums.second, resolution).map(({ begin, from, until }) => [
      begin,
      totalOf(sums, from, until).count,
    ]),
  );
  const figures = runs.map(({ begin, from, until }) =>
    distributionOf(histograms, from, until, counts.get(begin) ?? 0),
  );
  const column = (name: "min" | "max" | "p50" | "p95" | "p99") =>
    figures.map((each) => each[name] ?? null);
  return {
    resolution,
    seconds: runs.map(({ begin }) => begin),
    min: column("min"),
    max: column("max"),
    p50: column("p50"),
    p95: column("p95"),
    p99: column("p99"),
  };
}
