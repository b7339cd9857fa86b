import { useMemo } from "preact/hooks";
import type { Finding, Users } from "../../api/figures.ts";
import { type Grid, gridOf, valuesAt } from "../../charts/grid.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { windowAt } from "../../charts/draw-chart.ts";
import { type Stretch, nearestBegin } from "../../charts/marks.ts";
import type { ChartBox, ChartFlag, TimeChartProps } from "../../charts/time-chart-props.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import {
  type BaselineSeries,
  baselineRequests,
  baselineTimes,
  withBaseline,
} from "./baseline-lines.ts";
import {
  bandLines,
  byteLines,
  peakLines,
  requestLines,
  timeLines,
  userLines,
} from "./chart-lines.ts";
import { errorLines, type KnownKinds } from "./error-lines.ts";
import { HeightHandle } from "./height-handle.tsx";
import { CountCharts, perSecond } from "./count-charts.tsx";
import { type Statistic, endpointLines, hasBand } from "../endpoints/endpoint-lines.ts";
import { type LimitLines, withLimits } from "./limit-lines.ts";
import { type ChosenHeight, useChartHeights } from "./use-chart-heights.ts";
import { HeatmapCharts } from "./heatmap-chart.tsx";
import { logTimeTexts, timeTexts } from "../../format/axis-texts.ts";
import { type Quantity, bytesPerSecond, count, duration, share } from "../../format/numbers.ts";
import { Staying } from "../../charts/staying.tsx";
import { NumbersTable } from "./numbers-table.tsx";
import type { PreviewStand } from "./preview.ts";
import { timeResolution } from "./resolutions.ts";
import { useIsPart } from "../scope/holding.ts";
import { usePeaks } from "../scope/use-peaks.ts";
import type { Range } from "../scope/range.ts";
import { type Sheet, secondsOf } from "./sheet.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { Label } from "../../parts/label.tsx";
import { usePreviewed } from "./use-previewed.ts";
import type { LoadTestPart } from "../part.ts";

interface Mark {
  readonly second: number;
  readonly kind: Finding["kind"] | undefined;
}

export interface ChartsProps extends Pick<
  LoadTestPart,
  "range" | "whole" | "isGrowing" | "formatTime" | "clockOrigin"
> {
  readonly sheet: Sheet;
  /** Drawn behind the lines. */
  readonly baseline: BaselineSeries | undefined;
  readonly limits: LimitLines;
  readonly statistic: Statistic;
  readonly users: Users;
  /** Kinds of failures of the scope, as far as known. */
  readonly failures: KnownKinds | undefined;
  readonly isLogarithmic: boolean;
  /** Of response times; see `chosenHeightOf`. */
  readonly chosenHeight: ChosenHeight;
  /** Whether names at the ends of lines are long, in these or the charts below. */
  readonly areNamesLong: boolean;
  /** Whether heatmaps replace the lines of response times. */
  readonly isHeatmap: boolean;
  /** Seconds of findings, in their order. */
  readonly marks: readonly Mark[];
  /** What happened in the range. */
  readonly flags: readonly ChartFlag[];
  /** Called with a clicked second; `undefined`: this key may not write. */
  readonly onNote: ((second: number) => void) | undefined;
  /** The second after which nothing is known, if the range goes on. */
  readonly endsAt: number | undefined;
  /** Marked below the charts. */
  readonly rug: readonly Stretch[];
  readonly preview: PreviewStand;
  /** A point chosen in the lines, marked in all of them, and what a click does. */
  readonly point: Range | undefined;
  readonly onPoint: ((point: Range) => void) | undefined;
  /** A rectangle of the heatmap. */
  readonly box: ChartBox | undefined;
  readonly onBox: (box: ChartBox) => void;
  /** Names of hidden lines. */
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
  /** Whether the charts' data are shown as a table below. */
  readonly hasNumbers: boolean;
  /** Whether received bytes are drawn. */
  readonly areBytesShown: boolean;
  readonly onZoom: (from: number, until: number) => void;
  readonly onZoomOut: () => void;
}

/** Response time, requests and bytes of the scope, over a common time axis. */
export function Charts(props: ChartsProps) {
  const { sheet, isLogarithmic, isHeatmap } = props;
  const { heatmaps } = sheet;
  const isNarrow = useIsNarrow();
  const heights = useChartHeights(props.chosenHeight, isNarrow);
  const { seconds, times, countSeconds, requests, errors, bytes } = useChartColumns(
    props,
    isNarrow,
  );
  const { limits } = props;
  const limited = useMemo(() => {
    // Next to one line per endpoint, a threshold on all requests would be misleading.
    const own = sheet.each === undefined ? limits.times : [];
    return {
      times: withLimits(own, { seconds, lines: times, isLogarithmic }),
      requests: withLimits(limits.perSecond, { seconds: countSeconds, lines: requests }),
      errors: withLimits(limits.errors, { seconds: countSeconds, lines: errors }),
    };
  }, [limits, times, requests, errors, isLogarithmic]);
  const shared = {
    seconds,
    isNarrow,
    areNamesLong: props.areNamesLong,
    formatTime: props.formatTime,
    clockOrigin: props.clockOrigin,
    marks: useMemo(
      () =>
        props.marks.map(({ second, kind }) =>
          // A step changes response times, a burst of failures changes counts.
          nearestBegin(kind === "step" ? seconds : countSeconds, second),
        ),
      [props.marks, seconds, countSeconds],
    ),
    flags: props.flags,
    onNote: props.onNote,
    endsAt: props.endsAt,
    rug: props.rug,
    hidden: props.hidden,
    onToggle: props.onToggle,
    onZoom: props.onZoom,
    onZoomOut: props.onZoomOut,
  };
  const choosing = (of: readonly number[]) => ({
    box: props.point && { ...props.point, low: 0, high: Infinity },
    onChoose: (index: number) =>
      props.onPoint?.({ from: of[index] ?? 0, until: of[index + 1] ?? 0 }),
  });
  const areStrips = isHeatmap && heatmaps.length > 1;
  const hasBytes = bytes.some(hasValue);
  return (
    <>
      <div class="charts">
        <Staying>
          {isHeatmap ? (
            <HeatmapCharts
              {...shared}
              sheet={sheet}
              height={heights.times}
              box={props.box}
              onBox={props.onBox}
            />
          ) : (
            <PreviewedChart
              {...shared}
              {...choosing(seconds)}
              sheet={sheet}
              statistic={props.statistic}
              preview={props.preview}
              title="Response time"
              height={heights.times}
              lines={limited.times}
              formatValue={duration}
              axisTexts={isLogarithmic ? logTimeTexts : timeTexts}
              hasTimeAxis={isNarrow}
              hasMarkNumbers={true}
              isLogarithmic={isLogarithmic}
            />
          )}
        </Staying>
        {areStrips ? null : <HeightHandle height={heights.times} />}
        {areStrips ? null : (
          <CountCharts
            {...shared}
            {...(isHeatmap ? {} : choosing(countSeconds))}
            seconds={countSeconds}
            height={heights.counts}
            requests={limited.requests}
            errors={errors.length === 0 ? undefined : limited.errors}
            bytes={hasBytes ? bytes : undefined}
            areBytesShown={props.areBytesShown}
          />
        )}
      </div>
      <NumbersTable
        isShown={props.hasNumbers}
        seconds={countSeconds}
        formatTime={props.formatTime}
        columns={() => [
          ...times.map((line) => ({
            line: lineAt(countSeconds, seconds, line),
            format: duration,
          })),
          ...requests.map((line) => ({ line, format: line.scale ? whole : perSecond })),
          ...errors.map((line) => ({ line, format: share })),
          ...(hasBytes ? bytes.map((line) => ({ line, format: bytesPerSecond })) : []),
        ]}
      />
    </>
  );
}

function hasValue({ values }: ChartLine): boolean {
  return values.some((value) => value !== null);
}

/** A line with windows at `seconds`, resampled at other seconds. */
function lineAt(others: readonly number[], seconds: readonly number[], line: ChartLine): ChartLine {
  return { ...line, values: others.map((at) => line.values[windowAt(seconds, at)] ?? null) };
}

function whole(value: number): Quantity {
  return { digits: count(value), unit: "" };
}

interface ChartColumns {
  /** Window starts of response times. */
  readonly seconds: readonly number[];
  readonly times: readonly ChartLine[];
  /** Window starts of counts. */
  readonly countSeconds: readonly number[];
  readonly requests: readonly ChartLine[];
  readonly errors: readonly ChartLine[];
  readonly bytes: readonly ChartLine[];
}

function useChartColumns(props: ChartsProps, isNarrow: boolean): ChartColumns {
  const { sheet, baseline, statistic, users, isHeatmap } = props;
  const peaks = usePeaks(sheet, props.isGrowing);
  const { from, until } = props.range;
  const isPart = useIsPart(sheet.scope);
  return useMemo(() => {
    const { hashes } = sheet.scope;
    const isGrowing = props.isGrowing && until >= props.whole.until;
    const held = secondsOf(sheet, props.whole);
    const gridAt = (resolution: number): Grid => ({
      ...gridOf(from, until, resolution, held),
      isGrowing,
    });
    const [grid, countGrid] = [gridAt(timeResolution(sheet)), gridAt(sheet.countResolution)];
    const of = hashes.length > 1 ? `${count(hashes.length)} endpoints` : undefined;
    // Users of the whole load test, behind its requests; narrow screens have no room for their number.
    const hasUsers = hashes.length === 0 && sheet.merged.labels.length > 0 && !isNarrow;
    return {
      seconds: grid.seconds,
      times: [
        ...withBaseline(
          responseTimeLines(grid, sheet, statistic).filter(
            // A narrow header has room for three names.
            ({ name }) => !isNarrow || name !== "average",
          ),
          // Among the lines of several endpoints, that of all would mislead; a narrow header has no room for its name.
          baseline === undefined || sheet.each !== undefined || isNarrow
            ? undefined
            : baselineTimes(grid.seconds, baseline, sheet.merged.band && statistic),
        ),
        ...peakLines(grid, peaks, sheet.resolution),
      ],
      countSeconds: countGrid.seconds,
      requests: [
        ...requestLines(countGrid, sheet.counts, of),
        ...(baseline === undefined
          ? []
          : [baselineRequests(countGrid.seconds, baseline, sheet.each !== undefined || isHeatmap)]),
        ...(hasUsers ? userLines(countGrid, users, isPart) : []),
      ],
      errors: errorLines(countGrid, sheet.counts, props.failures, sheet.countResolution),
      bytes: byteLines(countGrid, sheet.counts, of),
    };
  }, [
    sheet,
    peaks,
    baseline,
    statistic,
    users,
    props.failures,
    isPart,
    from,
    until,
    props.whole.from,
    props.whole.until,
    props.isGrowing,
    isNarrow,
    isHeatmap,
  ]);
}

/** Each line, or all merged: a single endpoint in several lines, many with a band. */
function responseTimeLines(
  grid: Grid,
  { each, merged, lines }: Sheet,
  statistic: Statistic,
): readonly ChartLine[] {
  if (each !== undefined) return endpointLines(grid, each, lines, statistic);
  const { band } = merged;
  if (band !== undefined) return bandLines(grid, { ...merged, band }, statistic);
  return timeLines(grid, merged);
}

interface PreviewedChartProps extends TimeChartProps {
  readonly sheet: Sheet;
  /** Of several lines. */
  readonly statistic: Statistic;
  readonly preview: PreviewStand;
}

/** The chart of response times, with a temporary line for the endpoint pointed at. */
function PreviewedChart({ sheet, statistic, preview, ...chart }: PreviewedChartProps) {
  const { hashes } = sheet.scope;
  const drawn = sheet.lines.length > 0 || hasBand(hashes) ? statistic : "p95";
  // An endpoint that has a line needs no other.
  const previewed = usePreviewed(preview, sheet, drawn, hasBand(hashes) ? [] : hashes);
  const lines = useMemo((): readonly ChartLine[] => {
    const { series, resolution = 1 } = previewed ?? {};
    const column = drawn === "average" ? series?.avgLoadTime : series?.percentiles[drawn];
    const values = valuesAt(chart.seconds, series?.labels ?? [], resolution, column ?? []);
    return [...chart.lines, { name: drawn, values, color: "--ink", width: 1.5, isPreview: true }];
  }, [chart.lines, chart.seconds, previewed, drawn]);
  return (
    <div class="previewed">
      <TimeChart {...chart} lines={lines} />
      {previewed === undefined ? null : (
        <p class="preview-name" aria-hidden="true">
          {`${drawn} `}
          <Label label={previewed.series.label ?? ""} />
        </p>
      )}
    </div>
  );
}
