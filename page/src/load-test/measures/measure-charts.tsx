import { useMemo, useRef } from "preact/hooks";
import type { MeasureFacts, MeasurePoints } from "../../api/measures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, gridOf, type Values, valuesOn } from "../../charts/grid.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import type { TimeChartProps } from "../../charts/time-chart-props.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { timeTexts } from "../../format/axis-texts.ts";
import { duration } from "../../format/numbers.ts";
import { HEIGHT_NARROW } from "../charts/count-charts.tsx";
import type { Range } from "../scope/range.ts";
import { type MeasureGroup, seriesText } from "./measure-groups.ts";
import { axisTextsOf, quantityOf, secondsOf } from "./measure-values.ts";
import { type Phase, stackedLines } from "./phases.ts";
import { useMeasurePoints } from "./use-measure-points.ts";

/** What the charts above share with these. */
type SharedProps = Pick<
  TimeChartProps,
  | "areNamesLong"
  | "hidden"
  | "onToggle"
  | "formatTime"
  | "clockOrigin"
  | "marks"
  | "flags"
  | "endsAt"
  | "rug"
  | "onZoom"
  | "onZoomOut"
>;

export interface MeasureChartsProps extends SharedProps {
  /** Of the load test. */
  readonly id: string;
  readonly range: Range;
  /** Of the points, in seconds; `undefined`: nothing is shown. */
  readonly resolution: number | undefined;
  readonly version: number;
  /** A chart each. */
  readonly groups: readonly MeasureGroup[];
  /** Of one endpoint, in the order in which they pass. */
  readonly phases: readonly Phase[];
}

/** As many as there are colours. */
const LINES_MAX = 8;
const [HEIGHT, TIME_AXIS_HEIGHT] = [92, 22];

/** Measures over time, on the axis of the charts above; nothing if none is to be drawn. */
export function MeasureCharts({ resolution, ...props }: MeasureChartsProps) {
  if (resolution === undefined || props.groups.length + props.phases.length === 0) return null;
  return <Drawn {...props} resolution={resolution} />;
}

function Drawn(props: MeasureChartsProps & { readonly resolution: number }) {
  const { id, range, resolution, version, groups, phases, ...shared } = props;
  const isNarrow = useIsNarrow();
  const hairline = useRef<HTMLDivElement>(null);
  const grid = useMemo(
    () => gridOf(range.from, range.until, resolution),
    [range.from, range.until, resolution],
  );
  const series = [
    ...phases.map((phase) => phase.series),
    ...groups.flatMap((group) => group.series.slice(0, LINES_MAX)),
  ];
  const points = useMeasurePoints({ id, range, resolution, series, version });
  if (points === undefined) return null;
  const charts = [
    ...(phases.length === 0 ? [] : [phaseChart(phases, points, grid)]),
    ...groups.map((group) => groupChart(group, points, grid)),
  ];
  return (
    <section class="charts measure-charts" aria-label="Measures">
      <div class="hairline" ref={hairline} hidden />
      {charts.map(({ key, hint, ...chart }, index) => {
        const isLast = index === charts.length - 1;
        const height = HEIGHT + (isLast ? TIME_AXIS_HEIGHT : 0);
        return (
          <div key={key}>
            <h2>
              {chart.title}
              <span class="hint">{` ${hint}`}</span>
            </h2>
            <TimeChart
              {...shared}
              {...chart}
              seconds={grid.seconds}
              isNarrow={isNarrow}
              height={isNarrow ? HEIGHT_NARROW : height}
              hasTimeAxis={isNarrow || isLast}
              {...(isLast ? { hairline } : {})}
            />
          </div>
        );
      })}
    </section>
  );
}

interface Chart extends Pick<TimeChartProps, "title" | "lines" | "formatValue" | "axisTexts"> {
  readonly key: string;
  /** What its values are. */
  readonly hint: string;
}

type PointsByKey = ReadonlyMap<string, MeasurePoints>;

function phaseChart(phases: readonly Phase[], points: PointsByKey, grid: Grid): Chart {
  const parts = phases.map(({ name, series }) => {
    const values = valuesOf(series, points, grid);
    return { name, values: values.map((value) => inSeconds(series.unit, value)) };
  });
  return {
    key: "phases",
    title: "Phases",
    hint: "average",
    lines: stackedLines(parts),
    formatValue: duration,
    axisTexts: timeTexts,
  };
}

function inSeconds(unit: string, value: number | null): number | null {
  return value === null ? null : (secondsOf(unit, value) ?? null);
}

const HINTS = { counter: "per second", gauge: "average", rate: "share", distribution: "average" };

function groupChart(group: MeasureGroup, points: PointsByKey, grid: Grid): Chart {
  const { name, kind, series } = group;
  const more = series.length > LINES_MAX ? `, ${LINES_MAX} of ${series.length} series` : "";
  return {
    key: JSON.stringify([name, group.unit, kind]),
    title: name,
    hint: `${HINTS[kind]}${more}`,
    lines: series.slice(0, LINES_MAX).map((own, index): ChartLine => ({
      name: own.key,
      text: seriesText(own, group),
      values: valuesOf(own, points, grid),
      color: series.length === 1 ? "--p95" : `--s${index + 1}`,
      textColor: "--ink2",
      width: 1.5,
    })),
    formatValue: (value) => quantityOf(group, value),
    axisTexts: axisTextsOf(group),
  };
}

/** Of a counter what it grew per second, else the average of each interval. */
function valuesOf({ key, kind }: MeasureFacts, points: PointsByKey, grid: Grid): Values {
  const own = points.get(key);
  if (own === undefined) return grid.seconds.map(() => null);
  const { labels, counts, sums } = own;
  return valuesOn(grid, { labels }, (point, seconds) => {
    const [count = 0, sum = 0] = [counts[point], sums[point]];
    return kind === "counter" ? sum / seconds : sum / count;
  });
}
