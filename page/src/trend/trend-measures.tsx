import type { MeasureTrend, Trend } from "../api/trend.ts";
import { TimeChart } from "../charts/time-chart.tsx";
import type { TimeChartProps } from "../charts/time-chart-props.ts";
import { change, inWords } from "../format/changes.ts";
import { runsText } from "../format/numbers.ts";
import { axisTextsOf, quantityOf } from "../load-test/measures/measure-values.ts";
import { drawn } from "./trend-lines.ts";

interface TrendMeasuresProps {
  readonly trend: Trend;
  /** What the charts above share with these. */
  readonly shared: Omit<
    TimeChartProps,
    "title" | "height" | "lines" | "formatValue" | "axisTexts" | "hasTimeAxis"
  >;
  readonly height: number;
}

type Statistic = MeasureTrend["changes"][number]["statistic"];

const LINES: readonly (readonly [Statistic, name: string, color: string])[] = [
  ["p99", "p99", "--p99"],
  ["max", "maximum", "--p99"],
  ["p95", "p95", "--p95"],
  ["rate", "per second", "--p95"],
  ["mean", "average", "--avg"],
  ["p50", "p50", "--p50"],
];

const NAMES = new Map(LINES.map(([statistic, name]) => [statistic, name]));

/** More series of a selector have no chart. */
const CHARTS_MAX = 20;

/** A chart for each measure, under what changed in words; nothing if none was asked for. */
export function TrendMeasures({ trend, shared, height }: TrendMeasuresProps) {
  const { measures, loadTests } = trend;
  if (measures === undefined) return null;
  if (measures.length === 0) return <p class="hint">No run has this measure.</p>;
  return (
    <>
      {measures.slice(0, CHARTS_MAX).map((measure) => {
        const title = titleOf(measure);
        const places = measure.changes.map(({ loadTestId }) =>
          loadTests.findIndex(({ id }) => id === loadTestId),
        );
        return (
          <div key={title}>
            <h2>
              {title} <span class="hint">{missingText(measure)}</span>
            </h2>
            <Changes measure={measure} />
            <TimeChart
              {...shared}
              title={title}
              height={height}
              lines={LINES.flatMap(([statistic, name, color]) => {
                const values = measure[statistic];
                return values === undefined ? [] : [{ name, color, values: drawn(values) }];
              })}
              marks={[...new Set(places)].map((at) => at - 0.5)}
              formatValue={(value) => quantityOf(measure, value)}
              axisTexts={axisTextsOf(measure)}
              hasTimeAxis={true}
            />
          </div>
        );
      })}
      {measures.length > CHARTS_MAX ? (
        <p class="hint">{`and ${measures.length - CHARTS_MAX} more: narrow the measure by a tag`}</p>
      ) : null}
    </>
  );
}

const SIGNS = {
  worse: ["▲", "slower"],
  better: ["▼", "faster"],
  changed: ["≠", "neutral"],
} as const;

function Changes({ measure }: { readonly measure: MeasureTrend }) {
  return (
    <>
      {measure.changes.map(({ loadTestId, statistic, verdict, before, after, change: by }) => {
        const [sign, kind] = SIGNS[verdict];
        const [from, to] = [before, after].map((value) => inWords(quantityOf(measure, value)));
        const size = by === undefined || measure.kind === "rate" ? "" : ` (${inWords(change(by))})`;
        return (
          <p key={`${loadTestId} ${statistic}`} class="measure-change">
            <span class={`sign ${kind}`}>{sign}</span>
            {`${verdict} since ${loadTestId}: ${NAMES.get(statistic)} ${from} → ${to}${size}`}
          </p>
        );
      })}
    </>
  );
}

function missingText({ count }: MeasureTrend): string {
  const without = count.filter((each) => each === null).length;
  return without === 0 ? "" : `${runsText(without)} without it`;
}

function titleOf({ name, endpoint, tags }: MeasureTrend): string {
  const pairs = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
  return [name, ...(endpoint === undefined ? [] : [endpoint.label]), ...pairs].join(" ");
}
