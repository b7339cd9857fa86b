import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { changeParameters } from "../address/use-address.ts";
import type { Trend } from "../api/trend.ts";
import { color } from "../charts/colors.ts";
import type { Stretch } from "../charts/marks.ts";
import { TimeChart } from "../charts/time-chart.tsx";
import { useIsNarrow } from "../charts/use-is-narrow.ts";
import { numberTexts, timeTexts } from "../format/axis-texts.ts";
import { count, duration, type Quantity, runsText, share } from "../format/numbers.ts";
import { NumbersTable } from "../load-test/charts/numbers-table.tsx";
import { Off } from "../parts/off-button.tsx";
import { Label } from "../parts/label.tsx";
import { focusFirst } from "../parts/move-focus.ts";
import { toggleIn } from "../parts/toggled.ts";
import { ChosenLoadTest } from "./chosen-load-test.tsx";
import {
  changedAt,
  failedLines,
  loadTestAt,
  placesOf,
  requestLines,
  type Subject,
  timeLines,
  valueTimeLines,
} from "./trend-lines.ts";
import type { ValueTrend } from "./use-value-trends.ts";
import { TrendMeasures } from "./trend-measures.tsx";
import { axisText, loadTestText } from "./trend-times.ts";

interface TrendChartsProps {
  readonly series: string | undefined;
  readonly trend: Trend;
  readonly subject: Subject;
  /** Drawn instead of the overall line. */
  readonly values: readonly ValueTrend[] | undefined;
  /** Position of the chosen load test. */
  readonly chosen: number | undefined;
  readonly parameters: ReadonlyMap<string, string>;
  /** Called when the baseline changed. */
  readonly onPinned: () => void;
}

const HEIGHTS = { times: 222, failed: 92, requests: 92 };
const HEIGHT_NARROW = 184;

/** Figures of one endpoint, or overall, over the load tests of a series. */
export function TrendCharts(props: TrendChartsProps) {
  const { series, trend, subject, chosen, parameters } = props;
  const { loadTests } = trend;
  const values = subject.hash === undefined ? props.values : undefined;
  const isNarrow = useIsNarrow();
  const hiddenNames = parameters.get("hidden") ?? "";
  const drawn = useMemo(() => {
    const hidden = new Set(hiddenNames.split(","));
    return {
      hidden,
      seconds: placesOf(loadTests.length),
      times: values ? valueTimeLines(values) : timeLines(trend, subject, hidden),
      failed: failedLines(trend, subject),
      requests: requestLines(trend, subject),
      marks: changedAt(trend, subject).map((at) => at - 0.5),
    };
  }, [trend, subject.hash, values, hiddenNames]);
  const texts = useMemo(() => textsOf(trend, series), [trend, series]);
  const rug = useMemo(() => failedPlaces(trend), [trend]);
  const baselineAt = loadTests.findIndex(({ id }) => id === trend.baseline);
  const drawUnder = useMemo(
    () => (chart: uPlot) => drawColumns(chart, { baselineAt, chosen }),
    [baselineAt, chosen],
  );
  const heightOf = (chart: keyof typeof HEIGHTS) => (isNarrow ? HEIGHT_NARROW : HEIGHTS[chart]);
  const shared = {
    ...texts,
    seconds: drawn.seconds,
    marks: drawn.marks,
    hidden: drawn.hidden,
    drawUnder,
    isNarrow,
    areNamesLong: values !== undefined,
    rug,
    onToggle: (name: string) => toggleIn("hidden", drawn.hidden, name),
    onZoom: (from: number, until: number) => zoom(trend, from, until),
    onZoomOut: () => changeParameters({ since: undefined, upTo: undefined }),
    onChoose: (index: number, by: "pointer" | "keys") => choose(trend, index, by),
  };
  const hasNumbers = parameters.get("numbers") === "shown";
  return (
    <section class="trend-charts" aria-label="Statistics of the runs">
      <div class="section-head">
        <h2>
          <Title trend={trend} subject={subject} />
        </h2>
        <span class="hint">
          {hintOf(trend, { by: values && parameters.get("by"), baselineAt, failed: rug.length })}
        </span>
      </div>
      <ChosenLoadTest {...props} />
      <div class="charts">
        <TimeChart
          {...shared}
          title="Response time"
          height={heightOf("times")}
          lines={drawn.times}
          formatValue={duration}
          axisTexts={timeTexts}
          hasTimeAxis={isNarrow}
          hasMarkNumbers={true}
        />
        <h2>Failed</h2>
        <TimeChart
          {...shared}
          title="Failed requests"
          height={heightOf("failed")}
          lines={drawn.failed}
          formatValue={share}
          axisTexts={percentTexts}
          hasTimeAxis={isNarrow}
        />
        <h2>Requests</h2>
        <TimeChart
          {...shared}
          title="Requests"
          height={heightOf("requests")}
          lines={drawn.requests}
          formatValue={whole}
          axisTexts={numberTexts}
          hasTimeAxis={true}
        />
        <TrendMeasures trend={trend} shared={shared} height={heightOf("times") / 1.5} />
      </div>
      <NumbersTable
        isShown={hasNumbers}
        head="run"
        seconds={drawn.seconds}
        formatTime={texts.formatTime}
        columns={() => [
          ...named(drawn.requests).map((line) => ({ line, format: whole })),
          ...named(drawn.failed).map((line) => ({ line, format: share })),
          ...named(drawn.times).map((line) => ({ line, format: duration })),
        ]}
      />
    </section>
  );
}

/** Of the load tests that failed their thresholds. */
function failedPlaces({ loadTests }: Trend): readonly Stretch[] {
  return loadTests.flatMap(({ verdict }, at) =>
    verdict === "failed" ? [[at - 0.5, at + 0.5]] : [],
  );
}

function named(lines: ReturnType<typeof timeLines>): ReturnType<typeof timeLines> {
  return lines.filter(({ isPreview = false }) => !isPreview);
}

function whole(value: number): Quantity {
  return { digits: count(value), unit: "" };
}

function percentTexts(values: readonly number[]): readonly string[] {
  return numberTexts(values.map((value) => value * 100)).map((text) =>
    text === "0" ? text : `${text} %`,
  );
}

/** Names of positions, at the cursor and along the axis. */
function textsOf({ loadTests }: Trend, series: string | undefined) {
  return {
    formatTime: (place: number): string => {
      const loadTest = loadTests[loadTestAt(place)];
      return loadTest === undefined ? "" : loadTestText(loadTest, series);
    },
    formatTick: (place: number): string => {
      const loadTest = loadTests[loadTestAt(place)];
      return loadTest === undefined ? "" : axisText(loadTest.startedAt, loadTests);
    },
  };
}

function hintOf(
  { baseline }: Trend,
  { by, baselineAt, failed }: { by: string | undefined; baselineAt: number; failed: number },
): string {
  return [
    by === undefined ? "" : `p95 by ${by}`,
    baselineAt < 0 ? "" : `shaded: the baseline ${baseline}`,
    failed === 0 ? "" : `red: ${runsText(failed)} failed thresholds`,
  ]
    .filter((text) => text !== "")
    .join(" · ");
}

interface TitleProps {
  readonly trend: Trend;
  readonly subject: Subject;
}

function Title({ trend: { endpoints }, subject: { hash } }: TitleProps) {
  const endpoint = endpoints.find((each) => each.hash === hash);
  if (endpoint === undefined) return <>All endpoints</>;
  return (
    <span class="chip set" title={endpoint.label}>
      <span class="text">
        <Label label={endpoint.label} role={endpoint.role} />
      </span>
      <Off label="All endpoints" onClick={() => changeParameters({ endpoint: undefined })} />
    </span>
  );
}

interface Columns {
  /** -1 if the baseline is not among the load tests. */
  readonly baselineAt: number;
  readonly chosen: number | undefined;
}

/** Positions of the baseline and the chosen load test. */
function drawColumns(chart: uPlot, { baselineAt, chosen }: Columns): void {
  const { ctx, bbox } = chart;
  const fill = (at: number, property: string): void => {
    const [left, right] = [at - 0.5, at + 0.5].map((place) => chart.valToPos(place, "x", true));
    if (left === undefined || right === undefined) return;
    ctx.fillStyle = color(property);
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
  };
  ctx.save();
  if (baselineAt >= 0) fill(baselineAt, "--tint");
  if (chosen !== undefined) fill(chosen, "--line");
  ctx.restore();
}

/** From the first position of a drag to the end of its last. */
function zoom({ loadTests }: Trend, from: number, until: number): void {
  const [first, last] = [loadTestAt(from), loadTestAt(until) - 1];
  if (first === 0 && last === loadTests.length - 1) return;
  changeParameters({
    ...(first === 0 ? {} : { since: loadTests[first]?.id }),
    ...(last === loadTests.length - 1 ? {} : { upTo: loadTests[last]?.id }),
  });
}

/** Shows the actions for a load test above the charts; keyboard users continue there. */
function choose({ loadTests }: Trend, index: number, by: "pointer" | "keys"): void {
  changeParameters({ at: loadTests[index]?.id }, "replace");
  if (by === "keys") focusFirst(document.querySelector(".chosen-load-test .actions"));
}
