import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { Heatmap, Series } from "../../api/figures.ts";
import { between } from "../../charts/cursor.ts";
import { type Cell, cellAt, fullestCell, placeOnRamp, rampOf } from "../../charts/heat-cells.ts";
import { modesOf, wallOf } from "../../charts/heat-shape.ts";
import type { ReadoutRow } from "../../charts/readout.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import type { TimeChartProps } from "../../charts/time-chart-props.ts";
import { logTimeTexts } from "../../format/axis-texts.ts";
import { type Quantity, count, duration, share } from "../../format/numbers.ts";
import { Label } from "../../parts/label.tsx";
import { inRows } from "../box/box.ts";
import { RampKey } from "./chart-switches.tsx";
import type { Sheet } from "./sheet.ts";
import { heatStops } from "../../charts/colors.ts";

type Shared = Pick<
  TimeChartProps,
  | "seconds"
  | "isNarrow"
  | "formatTime"
  | "clockOrigin"
  | "marks"
  | "rug"
  | "areNamesLong"
  | "hidden"
  | "onToggle"
  | "onZoom"
  | "onZoomOut"
  | "box"
  | "onBox"
>;

interface HeatmapChartsProps extends Shared {
  /** Of a single heatmap. */
  readonly height: number;
  readonly sheet: Sheet;
}

const [HEIGHT_OF_TWO, HEIGHT_OF_MORE] = [168, 144];

/** Response times over time, overall or one strip per line. */
export function HeatmapCharts({ sheet, height, ...shared }: HeatmapChartsProps) {
  const { merged, each = [], heatmaps, lines } = sheet;
  const valueRange = useMemo(() => rangeOf(heatmaps), [heatmaps]);
  const [alone, second] = heatmaps;
  if (alone === undefined) return null;
  if (merged.labels.length > 0 && heatmaps.every((heatmap) => fullestCell(heatmap) === 0)) {
    return <p class="hint">Only averages were recorded: no distribution available.</p>;
  }
  if (second === undefined) {
    return (
      <HeatmapChart
        {...shared}
        valueRange={valueRange}
        heatmap={alone}
        series={merged}
        title="Distribution of response times"
        height={height}
        hasTimeAxis={shared.isNarrow}
        hasMarkNumbers={true}
      />
    );
  }
  return (
    <>
      {heatmaps.map((heatmap, index) => {
        const key = lines[index]?.key;
        const series = each.find(({ hash }) => hash === key);
        const isLowest = index === heatmaps.length - 1;
        return (
          <div key={key} class="strip">
            <p class="strip-head">
              <span class="label">
                <Label label={series?.label ?? ""} />
              </span>
              <span class="hint">{shapeText(heatmap)}</span>
              <RampKey most={fullestCell(heatmap)} />
            </p>
            <HeatmapChart
              {...shared}
              valueRange={valueRange}
              heatmap={heatmap}
              series={series}
              title={`Distribution of response times of ${series?.label ?? "an endpoint"}`}
              height={heatmaps.length === 2 ? HEIGHT_OF_TWO : HEIGHT_OF_MORE}
              hasTimeAxis={isLowest}
              hasMarkNumbers={index === 0}
            />
          </div>
        );
      })}
    </>
  );
}

const MODES_NAMED = ["two", "three"];

/**
 * `two modes: 73 % near 14 ms, 27 % near 95 ms`, `a wall at 2.00 to 2.24 s`; empty without such features.
 */
function shapeText(heatmap: Heatmap): string {
  const modes = modesOf(heatmap);
  const number = MODES_NAMED[modes.length - 2];
  const humps = modes.map(({ near, share: part }) => {
    const time = duration(near);
    return `${share(part).digits} % near ${time.digits} ${time.unit}`;
  });
  const wall = wallOf(heatmap);
  const edges = wall === undefined ? undefined : between(duration(wall[0]), duration(wall[1]));
  return [
    ...(number === undefined ? [] : [`${number} modes: ${humps.join(", ")}`]),
    ...(edges === undefined ? [] : [`a wall at ${edges.digits} ${edges.unit}`]),
  ].join("; ");
}

/** Space above and below the cells: a tenth of a decade. */
const SPARE = 1.26;

/** All heatmaps have the same axis. */
function rangeOf(heatmaps: readonly Heatmap[]): readonly [low: number, high: number] {
  const lows = heatmaps.flatMap(({ rows: [low = 0, next = 1] }) => {
    // The lowest row begins at 0, which a logarithmic axis does not have.
    return low === 0 ? next / 2 : low;
  });
  const highs = heatmaps.map(({ rows }) => rows.at(-1) ?? 1);
  return [Math.min(...lows) / SPARE, Math.max(...highs) * SPARE];
}

interface HeatmapChartProps
  extends Shared, Pick<TimeChartProps, "title" | "height" | "hasTimeAxis" | "hasMarkNumbers"> {
  readonly valueRange: readonly [low: number, high: number];
  readonly heatmap: Heatmap;
  /** Percentiles of the same columns; `undefined` if there are no requests. */
  readonly series: Series | undefined;
}

function HeatmapChart({ heatmap, series, ...chart }: HeatmapChartProps) {
  const { seconds, formatTime, onBox } = chart;
  const parts = useMemo(() => {
    const cellOf = (index: number, time: number): Cell | undefined =>
      cellAt(heatmap, columnOf(heatmap, seconds[index] ?? 0), time);
    return {
      fullestCell: fullestCell(heatmap),
      drawUnder: (drawn: uPlot) => drawHeatmap(drawn, heatmap),
      outlineAt: (index: number, time: number) => cellOf(index, time)?.range,
      readAt: (index: number, time: number | undefined): readonly ReadoutRow[] => {
        const [begin = 0, end = 0] = [seconds[index], seconds[index + 1]];
        const cell = time === undefined ? undefined : cellOf(index, time);
        return [
          { head: `${formatTime(begin)} to ${formatTime(end)}` },
          ...(cell === undefined ? [] : cellRows(cell)),
          ...columnRows(series, columnOf(heatmap, begin), cell === undefined),
        ];
      },
    };
  }, [heatmap, series, seconds, formatTime]);
  return (
    <TimeChart
      {...chart}
      {...parts}
      lines={NO_LINES}
      formatValue={duration}
      axisTexts={logTimeTexts}
      isLogarithmic={true}
      onBox={(box) => onBox?.(inRows(heatmap, box))}
      onChoose={(index, by) => {
        const [from = 0, until = 0] = [seconds[index], seconds[index + 1]];
        if (by === "keys") onBox?.({ from, until, low: 0, high: Infinity });
      }}
    />
  );
}

const NO_LINES: TimeChartProps["lines"] = [];

/** The second that names a column. */
function columnOf({ resolution }: Heatmap, second: number): number {
  return Math.max(1, second - (second % resolution));
}

function cellRows({ range, requests, all, slower }: Cell): readonly ReadoutRow[] {
  const { digits, unit } = between(duration(range[0]), duration(range[1]));
  const of = { digits: `${count(requests)} of ${count(all)}`, unit: "requests" };
  return [
    { name: `${digits} ${unit}`, value: of },
    { name: "slower than this", value: share(slower), isSecond: true },
  ];
}

/** A column's percentiles from the service, not read off its cells. */
function columnRows(
  series: Series | undefined,
  second: number,
  hasCount: boolean,
): readonly ReadoutRow[] {
  const point = series?.labels.indexOf(second) ?? -1;
  if (series === undefined || point < 0) return [];
  const { percentiles } = series;
  const names = Object.keys(percentiles);
  const value = joined(names.map((name) => duration(percentiles[name]?.[point])));
  const requests = { digits: count(series.count[point] ?? 0), unit: "" };
  return [
    ...(hasCount ? [{ name: "requests", value: requests }] : []),
    { name: names.join(" · "), value, isSecond: true },
  ];
}

/** `47 · 331 · 648 ms`; with a unit each if they differ. */
function joined(quantities: readonly Quantity[]): Quantity {
  const [{ unit } = { unit: "" }] = quantities;
  const isSame = quantities.every((each) => each.unit === unit);
  const texts = quantities.map((each) => (isSame ? each.digits : `${each.digits} ${each.unit}`));
  return { digits: texts.join(" · "), unit: isSame ? unit : "" };
}

const LEVELS = 64;

/** Draws cells into a chart with seconds on x and response times on y. */
function drawHeatmap(chart: uPlot, heatmap: Heatmap): void {
  const { ctx, bbox } = chart;
  const most = fullestCell(heatmap);
  const ramp = rampOf(heatStops(), LEVELS);
  const tops = heatmap.rows.map((time) => edge(chart, time, "y"));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const [index, second] of heatmap.labels.entries()) {
    const left = edge(chart, second, "x");
    const width = edge(chart, second + heatmap.resolution, "x") - left;
    for (const [row, requests] of heatmap.cells[index] ?? []) {
      const [bottom = 0, top = 0] = [tops[row], tops[row + 1]];
      ctx.fillStyle = ramp[Math.round(placeOnRamp(requests, most) * (LEVELS - 1))] ?? "";
      ctx.fillRect(left, top, width, bottom - top);
    }
  }
  ctx.restore();
}

/** Edges are on whole pixels, so cells neither overlap nor leave gaps. */
function edge(chart: uPlot, value: number, scale: "x" | "y"): number {
  return Math.round(chart.valToPos(value, scale, true));
}
