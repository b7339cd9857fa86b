import { useMemo } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { Pair } from "../api/comparison.ts";
import type { Series } from "../api/figures.ts";
import type { LoadTestDetail } from "../api/load-tests.ts";
import type { ChartLine } from "../charts/chart-line.ts";
import type { ChartFlag } from "../charts/time-chart-props.ts";
import { TimeChart } from "../charts/time-chart.tsx";
import { useIsNarrow } from "../charts/use-is-narrow.ts";
import { numberTexts, timeTexts } from "../format/axis-texts.ts";
import { duration } from "../format/numbers.ts";
import { afterStart } from "../format/times.ts";
import { perSecond } from "../load-test/charts/count-charts.tsx";
import { type DrawnLine, looksOf } from "../load-test/endpoints/endpoint-lines.ts";
import { useEvents } from "../load-test/events/use-events.ts";
import { toggleIn } from "../parts/toggled.ts";
import { Words } from "../parts/words.tsx";
import { aligned, type AlignedSide } from "./aligned-lines.ts";
import { type ShownPart, type Statistic, STATISTICS } from "./shown-part.ts";
import { type ComparedLine, lengthOf } from "./use-compare-answers.ts";

interface ComparedOverTimeProps {
  readonly both: Pair<LoadTestDetail>;
  readonly part: ShownPart;
  readonly series: readonly ComparedLine[] | undefined;
  /** Seconds of a point. */
  readonly resolution: number;
  /** What the overall figures consist of, in words. */
  readonly whole: string;
  /** Names of hidden lines, separated by commas. */
  readonly hiddenNames: string;
}

/** One statistic of both over time, aligned at their start. */
export function ComparedOverTime(props: ComparedOverTimeProps) {
  const { part, series, resolution, hiddenNames } = props;
  const { statistic } = part;
  const hidden = useMemo(() => new Set(hiddenNames.split(",")), [hiddenNames]);
  return (
    <section class="compared-time" aria-label={titleOf(statistic)}>
      <div class="section-head">
        <h2>{titleOf(statistic)}</h2>
        <span class="hint">
          {["since start", `${afterStart(resolution)} per point`, props.whole]
            .filter((text) => text !== "")
            .join(", ")}
        </span>
        <span class="switches">
          <Words
            label="Statistic"
            choices={STATISTICS.map((each) => [each, each])}
            chosen={statistic}
            onChoose={(each) => changeParameters({ statistic: each === "p95" ? undefined : each })}
          />
        </span>
      </div>
      {series === undefined ? (
        <div class="chart-place" />
      ) : (
        <Chart {...props} series={series} hidden={hidden} />
      )}
    </section>
  );
}

function titleOf(statistic: Statistic): string {
  if (statistic === "requests/s") return "Requests/s";
  if (statistic === "failed/s") return "Failed/s";
  return `${statistic === "average" ? "Average" : statistic} response time`;
}

const HEIGHTS = { wide: 138, narrow: 184 };

interface ChartProps extends ComparedOverTimeProps {
  readonly series: readonly ComparedLine[];
  readonly hidden: ReadonlySet<string>;
}

function Chart({ both, part, series, resolution, hidden }: ChartProps) {
  const { compared, statistic } = part;
  const isNarrow = useIsNarrow();
  const { skipStart, until } = compared;
  const drawn = useMemo(() => {
    const side = (pair: Pair<Series>, which: "base" | "later"): AlignedSide => {
      const start = both[which].from ?? 0;
      const end = Math.min(until ?? Infinity, lengthOf(both[which]));
      const range = { from: start + skipStart, until: start + Math.max(end, skipStart) };
      return { series: pair[which], start, range };
    };
    const columns = series.map((pair, index) => {
      const sides = [side(pair, "base"), side(pair, "later")];
      const { seconds, values: own } = aligned(sides, resolution, valueOf(statistic));
      const values = { base: own[0] ?? [], later: own[1] ?? [] };
      const { line } = pair;
      const lines =
        line === undefined
          ? linesOf(values.base, values.later, statistic)
          : valueLinesOf(values, line, index);
      return { seconds, lines };
    });
    return { seconds: columns[0]?.seconds ?? [], lines: columns.flatMap(({ lines }) => lines) };
  }, [both, series, resolution, statistic, skipStart, until]);
  const isTime = statistic !== "requests/s" && statistic !== "failed/s";
  const flags = useFlags(both);
  return (
    <div class="charts">
      <TimeChart
        {...drawn}
        title={`${titleOf(statistic)} of both runs`}
        height={isNarrow ? HEIGHTS.narrow : HEIGHTS.wide}
        isNarrow={isNarrow}
        hidden={hidden}
        onToggle={(name) => toggleIn("hidden", hidden, name)}
        areNamesLong={series.length > 1}
        formatValue={isTime ? duration : perSecond}
        axisTexts={isTime ? timeTexts : numberTexts}
        formatTime={afterStart}
        hasTimeAxis={true}
        flags={flags}
        hasMarkNumbers={flags.length > 0}
        onZoom={(from, end) => zoom(from, end, both)}
        onZoomOut={() => changeParameters({ skipStart: undefined, until: undefined })}
      />
    </div>
  );
}

const ALWAYS = { from: 0, until: Infinity };

/** Events of both since their starts. */
function useFlags({ base, later }: Pair<LoadTestDetail>): readonly ChartFlag[] {
  const [ofBase, ofLater] = [useEvents(base.id, ALWAYS, 0), useEvents(later.id, ALWAYS, 0)];
  return useMemo(() => {
    const flags = (events: readonly ChartFlag[], start: number | null, prefix = "") =>
      events.map(({ second, until, text }) => ({
        second: second - (start ?? 0),
        until: until && until - (start ?? 0),
        text: `${prefix}${text}`,
      }));
    return [...flags(ofBase, base.from, "base: "), ...flags(ofLater, later.from)].toSorted(
      (one, other) => one.second - other.second,
    );
  }, [ofBase, ofLater, base.from, later.from]);
}

export function valueOf(statistic: Statistic) {
  return (series: Series, point: number, seconds: number): number | null => {
    if (statistic === "requests/s") return (series.count[point] ?? 0) / seconds;
    if (statistic === "failed/s") return (series.errCount[point] ?? 0) / seconds;
    if (statistic === "average") return series.avgLoadTime[point] ?? null;
    return series.percentiles[statistic]?.[point] ?? null;
  };
}

function linesOf(
  base: ChartLine["values"],
  later: ChartLine["values"],
  statistic: Statistic,
): readonly ChartLine[] {
  const color = statistic === "failed/s" ? "--err" : "--p95";
  return [
    { name: "base", values: base, color: "--avg", width: 1 },
    { name: "this", values: later, color, width: 1.75 },
  ];
}

/** One colour for both runs: the base is thin and dotted, and has the name of the other. */
function valueLinesOf(
  { base, later }: Pair<ChartLine["values"]>,
  line: DrawnLine,
  index: number,
): readonly ChartLine[] {
  const { key, text = key } = line;
  const looks = looksOf(line, index);
  const dotted = { width: 1, dash: [2, 3], endText: "" };
  return [
    { ...looks, ...dotted, name: `${key} base`, text: `${text}, base`, values: base },
    { ...looks, name: key, text, values: later },
  ];
}

/** Seconds since the start, of both. */
function zoom(from: number, until: number, { base, later }: Pair<LoadTestDetail>): void {
  const whole = Math.max(lengthOf(base), lengthOf(later));
  changeParameters({
    skipStart: from === 0 ? undefined : String(from),
    until: until >= whole ? undefined : String(until),
  });
}
