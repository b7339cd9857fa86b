import { useContext, useRef } from "preact/hooks";
import {
  type Failures,
  type Scope,
  type Series,
  askFailures,
  selectionOf,
} from "../../api/figures.ts";
import { type MeasureFacts, type MeasurePoints, askMeasureSeries } from "../../api/measures.ts";
import type { CheckedThreshold } from "../../api/thresholds.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, longestOf, type Values, valuesOn } from "../../charts/grid.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import type { TimeChartProps } from "../../charts/time-chart-props.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { numberTexts, timeTexts } from "../../format/axis-texts.ts";
import type { Facet } from "../../api/facets.ts";
import { FacetBar } from "../../facets/facet-chips.tsx";
import { duration } from "../../format/numbers.ts";
import { perSecond } from "../charts/count-charts.tsx";
import { HEIGHT_NARROW } from "../charts/use-chart-heights.ts";
import { type LimitLine, withLimits } from "../charts/limit-lines.ts";
import type { Sheet } from "../charts/sheet.ts";
import { HoldingContext, useIsPart } from "../scope/holding.ts";
import type { Range } from "../scope/range.ts";
import { codeLines, RESPONSES } from "./codes.ts";
import {
  type MeasureGroup,
  type MeasureLine,
  pointSeconds,
  seriesText,
  stepOf,
} from "./measure-groups.ts";
import { axisTextsOf, quantityOf, secondsOf } from "./measure-values.ts";
import { type Phase, hasOnlyMinutes, stackedLines } from "./phases.ts";
import {
  type DrawnPoints,
  gridWithin,
  useMeasurePoints,
  type Windows,
} from "./use-measure-points.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { LoadTestPart } from "../part.ts";

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

interface Drawable extends Pick<Sheet, "countResolution"> {
  /** `undefined`: there are no requests. */
  readonly counts: Series | undefined;
}

export interface MeasureChartsProps
  extends SharedProps, Pick<LoadTestPart, "scope" | "range" | "version"> {
  /** What the charts above show; `undefined`: nothing is shown. */
  readonly sheet: Drawable | undefined;
  /** A chart each. */
  readonly groups: readonly MeasureGroup[];
  /** Filter these groups. */
  readonly tags: readonly Facet[];
  readonly where: string | undefined;
  /** Of one endpoint, in the order in which they pass. */
  readonly phases: readonly Phase[];
  /** Whether codes of passed requests are recorded. */
  readonly hasCodes: boolean;
  /** All thresholds, including those on other figures. @default none */
  readonly limits?: readonly CheckedThreshold[];
}

/** As many as there are colours. */
const LINES_MAX = 8;
const HEIGHT = 114;

/** Measures over time, on the axis of the charts above; nothing if none is to be drawn. */
export function MeasureCharts({ sheet, ...props }: MeasureChartsProps) {
  const { groups, tags, phases, hasCodes } = props;
  const isEmpty = groups.length + tags.length + phases.length === 0 && !hasCodes;
  return isEmpty || sheet === undefined ? null : <Drawn {...props} sheet={sheet} />;
}

function Drawn(props: MeasureChartsProps & { readonly sheet: Drawable }) {
  const { scope, range, sheet, version, groups, tags, where, phases, hasCodes, ...more } = props;
  const { limits = [], ...shared } = more;
  const { counts, countResolution: resolution } = sheet;
  const isNarrow = useIsNarrow();
  const isPart = useIsPart(scope);
  const spaced = groups.map((group) => ({ group, seconds: pointSeconds(group, resolution) }));
  const series = [
    ...phases.map((phase) => ({ ...phase.series, resolution })),
    ...spaced.flatMap(({ group, seconds }) =>
      group.series.slice(0, LINES_MAX).map((line) => ({ ...line, resolution: seconds })),
    ),
  ];
  const points = useMeasurePoints({ id: scope.id, range, series, version });
  // Of points longer than the others it is not known when codes came.
  const isRecorded = hasCodes && counts?.windows === undefined;
  const codes = useCodes({ scope, range, resolution, version, isRecorded, counts });
  // Before the values come, their places are there.
  const gridOfLines = (lines: readonly MeasureFacts[], seconds: number): Grid => {
    const drawn = lines.find(({ key }) => points?.has(key));
    const own = points?.get(drawn?.key ?? "")?.asked;
    return gridWithin(range, own ?? { range, resolution: seconds });
  };
  const phaseGrid = gridOfLines(
    phases.map((phase) => phase.series),
    resolution,
  );
  const charts = [
    ...(points === undefined || phases.length === 0 ? [] : [phaseChart(phases, points, phaseGrid)]),
    ...(codes === undefined ? [] : codeCharts(codes, range)),
  ];
  const small = spaced.map(({ group, seconds }) =>
    groupChart(group, points ?? new Map(), gridOfLines(group.series, seconds), limits),
  );
  if (charts.length + small.length + tags.length === 0) return null;
  return (
    <section class="charts measure-charts" aria-label="Measures">
      <FacetBar facets={tags} where={where} parameter="tags" />
      {isPart ? <p class="hint">Measures have no facets: these are of the whole run.</p> : null}
      {charts.map(({ key, hint, ...chart }) => (
        <div key={key}>
          <Head title={chart.title} hint={hint} />
          <TimeChart
            {...shared}
            {...chart}
            isNarrow={isNarrow}
            height={isNarrow ? HEIGHT_NARROW : HEIGHT}
            hasTimeAxis
          />
        </div>
      ))}
      {small.length === 0 ? null : (
        <div class="small-charts">
          {small.map(({ key, hint, ...chart }) => (
            <div key={key} data-name={chart.title}>
              <Head title={chart.title} hint={hint} />
              <TimeChart {...shared} {...chart} isNarrow height={HEIGHT} hasTimeAxis />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function Head({ title, hint }: Pick<Chart, "title" | "hint">) {
  return (
    <h2 title={hint}>
      {title}
      <span class="hint">{` ${hint}`}</span>
    </h2>
  );
}

interface Chart extends Pick<
  TimeChartProps,
  "title" | "seconds" | "lines" | "formatValue" | "axisTexts"
> {
  readonly key: string;
  /** What its values are. */
  readonly hint: string;
}

type PointsByKey = ReadonlyMap<string, DrawnPoints>;

function phaseChart(phases: readonly Phase[], points: PointsByKey, grid: Grid): Chart {
  const parts = phases.map(({ name, series }) => {
    const values = valuesOf(series, points, grid);
    return { name, values: values.map((value) => inSeconds(series.unit, value)) };
  });
  return {
    key: "phases",
    title: "Phases",
    hint: "average per minute",
    seconds: grid.seconds,
    lines: stackedLines(parts),
    formatValue: duration,
    axisTexts: timeTexts,
  };
}

/** None if there was no code. */
function codeCharts(codes: Codes, range: Range): readonly Chart[] {
  const grid = gridWithin(range, codes);
  const lines = codeLines(codes.failed, codes.passed, codes.counts, grid);
  if (lines.length === 0) return [];
  return [
    {
      key: "codes",
      title: "Codes",
      hint: "per second: failed requests, and passed ones other than 200",
      seconds: grid.seconds,
      lines,
      formatValue: perSecond,
      axisTexts: numberTexts,
    },
  ];
}

function inSeconds(unit: string, value: number | null): number | null {
  return value === null ? null : (secondsOf(unit, value) ?? null);
}

const HINTS = { counter: "per second", gauge: "average", rate: "share", distribution: "average" };

function groupChart(
  group: MeasureGroup,
  points: PointsByKey,
  grid: Grid,
  checks: readonly CheckedThreshold[],
): Chart {
  const { name, kind, series } = group;
  const more = series.length > LINES_MAX ? `, ${LINES_MAX} of ${series.length} series` : "";
  const lines = series.slice(0, LINES_MAX).map((own, index): ChartLine => ({
    name: own.key,
    text: seriesText(own, group),
    values: valuesOf(own, points, grid),
    // The title says what a single line is.
    ...(series.length === 1 && { endText: "" }),
    color: series.length === 1 ? "--p95" : `--s${index + 1}`,
    textColor: "--ink2",
    width: 1.5,
  }));
  const byMinute = series.some(hasOnlyMinutes) ? "; per minute for endpoints" : "";
  return {
    key: JSON.stringify([name, group.unit, kind]),
    title: name,
    hint: `${group.hint ?? HINTS[kind]}${byMinute}${more}`,
    seconds: grid.seconds,
    lines: withLimits(limitsOn(group, checks), { seconds: grid.seconds, lines }),
    formatValue: (value) => quantityOf(group, value),
    axisTexts: axisTextsOf(group),
  };
}

/** The statistic that a chart draws. */
const DRAWN = { counter: ["rate"], gauge: ["avg"], rate: ["rate", "avg"], distribution: ["avg"] };

/** Thresholds on the statistic that is drawn, in the unit of the measure. */
function limitsOn(
  { name, kind, unit }: MeasureGroup,
  checks: readonly CheckedThreshold[],
): readonly LimitLine[] {
  return checks.flatMap((each) => {
    const { failIf: text, measure, figure, bound } = each;
    if (measure !== name || !DRAWN[kind].includes(figure) || each.kind !== "value") return [];
    const isPercent = each.unit === "share" && unit === "%";
    const scale = each.unit === "seconds" ? (secondsOf(unit, 1) ?? 1) : isPercent ? 0.01 : 1;
    return [{ text, figure, value: bound / scale }];
  });
}

/**
 * The growth per second of a counter, else the average of each interval, or what is left of a whole. The growth of a counter
 * is that since its previous value, which may lie before a window that is cut.
 */
export function valuesOf(line: MeasureLine, points: PointsByKey, grid: Grid): Values {
  const { key, kind, restOf, parts = 1 } = line;
  const own = points.get(key);
  if (own === undefined) return grid.seconds.map(() => null);
  const { counts, sums } = own;
  const longest = longestOf(grid);
  return valuesOn(grid, own, (point, seconds) => {
    const [count = 0, sum = 0] = [counts[point], sums[point]];
    const grown = Math.max(seconds, Math.min(longest, (count / parts) * stepOf(line)));
    const value = kind === "counter" ? sum / grown : sum / count;
    return restOf === undefined ? value : Math.max(0, restOf - value / parts);
  });
}

interface CodesRequest extends Pick<LoadTestPart, "scope" | "range" | "version"> {
  /** Length of an interval in seconds. */
  readonly resolution: number;
  /** Whether codes of passed requests were recorded; otherwise nothing is requested. */
  readonly isRecorded: boolean;
  /** Requests in these intervals. */
  readonly counts: Series | undefined;
}

interface Codes extends Windows {
  readonly scope: Scope;
  readonly counts: Series;
  readonly failed: Pick<Failures, "kinds">;
  readonly passed: readonly MeasurePoints[];
}

/** Requests how often responses of the selected endpoints, or of all, had each code. */
function useCodes(request: CodesRequest): Codes | undefined {
  const { scope, range, resolution, version, counts } = request;
  const { measureSeconds } = useContext(HoldingContext);
  const isRecorded =
    counts !== undefined && request.isRecorded && resolution % measureSeconds === 0;
  const { value } = useAnswer(
    "codes",
    isRecorded ? JSON.stringify([scope, range, resolution]) : "",
    async (signal): Promise<Omit<Codes, "counts">> => {
      const [failed, ...passed] = await Promise.all([
        scope.outcome === "passed"
          ? { kinds: [] }
          : askFailures({ ...scope, ...range }, resolution, signal),
        ...askPassed(request, measureSeconds, signal),
      ]);
      return { scope, range, resolution, failed, passed: passed.flat() };
    },
    { version },
  );
  // Until codes at other intervals come, the requests are those of the same intervals.
  const last = useRef(counts);
  if (value === undefined || value.resolution === resolution) last.current = counts;
  const isOfScope = value !== undefined && selectionOf(value.scope) === selectionOf(scope);
  if (!isRecorded || !isOfScope || last.current === undefined) return undefined;
  return { ...value, counts: last.current };
}

function askPassed(
  { scope, range: { from, until }, resolution }: CodesRequest,
  measureSeconds: number,
  signal: AbortSignal,
) {
  const { id, hashes, outcome } = scope;
  const range = { from: from - (from % measureSeconds), until };
  if (outcome === "failed") return [];
  return (hashes.length === 0 ? [undefined] : hashes).map((hash) =>
    askMeasureSeries({ id, ...range }, { name: RESPONSES, hash }, resolution, signal),
  );
}
