import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { Heatmap, Series } from "../api/figures.ts";
import { drawHeatmap } from "../charts/draw-heatmap.ts";
import { type Cell, cellAt } from "../charts/heat-cells.ts";
import type { ReadoutRow } from "../charts/readout.ts";
import { TimeChart, type TimeChartProps } from "../charts/time-chart.tsx";
import { logTimeTexts } from "../format/axis-texts.ts";
import { count, duration, share } from "../format/numbers.ts";

interface HeatmapChartProps extends Pick<
  TimeChartProps,
  | "seconds"
  | "formatTime"
  | "marks"
  | "areNamesLong"
  | "hidden"
  | "onToggle"
  | "onZoom"
  | "onZoomOut"
> {
  readonly heatmap: Heatmap;
  /** Percentiles of the same columns. */
  readonly series: Series;
}

/** How many requests took how long, over time: what lines hide. */
export function HeatmapChart({ heatmap, series, ...shared }: HeatmapChartProps) {
  const { seconds, formatTime } = shared;
  const parts = useMemo(() => {
    const [low = 0, next = 1] = heatmap.rows;
    return {
      // The lowest row of all begins at 0, which a logarithmic axis does not have.
      valueRange: [low === 0 ? next / 2 : low, heatmap.rows.at(-1) ?? 1] as const,
      drawUnder: (chart: uPlot) => drawHeatmap(chart, heatmap),
      readAt: (index: number, time: number): readonly ReadoutRow[] => {
        const [begin = 0, end = 0] = [seconds[index], seconds[index + 1]];
        const when: ReadoutRow = ["", `${formatTime(begin)} to ${formatTime(end)}`];
        const cell = cellAt(heatmap, begin, time);
        return [when, ...cellRows(cell), ...percentileRows(series, begin)];
      },
    };
  }, [heatmap, series, seconds, formatTime]);
  return (
    <TimeChart
      {...shared}
      {...parts}
      title="Distribution of response times"
      height={262}
      lines={NO_LINES}
      formatValue={timeText}
      axisTexts={logTimeTexts}
      hasTimeAxis={false}
      hasMarkNumbers={true}
      isLogarithmic={true}
    />
  );
}

const NO_LINES: TimeChartProps["lines"] = [];

function cellRows(cell: Cell | undefined): readonly ReadoutRow[] {
  if (cell === undefined) return [];
  const slower = share(cell.slower);
  return [
    [
      `${timeText(cell.range[0])} to ${timeText(cell.range[1])}`,
      `${count(cell.requests)} of ${count(cell.all)} requests`,
    ],
    ["slower than this", `${slower.digits} ${slower.unit}`],
  ];
}

function percentileRows({ labels, percentiles }: Series, second: number): readonly ReadoutRow[] {
  const point = labels.indexOf(second);
  if (point < 0) return [];
  const names = Object.keys(percentiles);
  const texts = names.map((name) => timeText(percentiles[name]?.[point] ?? 0));
  return [[names.join(" · "), texts.join(" · ")]];
}

function timeText(seconds: number): string {
  const { digits, unit } = duration(seconds);
  return `${digits} ${unit}`;
}
