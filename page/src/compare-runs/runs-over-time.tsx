import { useContext, useMemo } from "preact/hooks";
import { useAddress } from "../address/use-address.ts";
import type { ComparedRun, ComparedRuns } from "../api/comparison.ts";
import { askMerged, type Series } from "../api/figures.ts";
import { useAnswer } from "../api/use-answer.ts";
import type { ChartLine } from "../charts/chart-line.ts";
import { TimeChart } from "../charts/time-chart.tsx";
import { useIsNarrow } from "../charts/use-is-narrow.ts";
import { aligned } from "../compare/aligned-lines.ts";
import { numberTexts, timeTexts } from "../format/axis-texts.ts";
import { duration, share } from "../format/numbers.ts";
import { afterStart } from "../format/times.ts";
import { endpointColor } from "../load-test/endpoints/endpoint-lines.ts";
import { HoldingContext } from "../load-test/scope/holding.ts";
import { resolutionFor } from "../load-test/scope/scope.ts";
import { toggleIn } from "../parts/toggled.ts";
import { EventList } from "../load-test/events/event-list.tsx";
import { eventsOfRuns } from "./runs-events.ts";
import type { RunStatistic, ShownRuns } from "./shown-runs.ts";

interface RunsOverTimeProps {
  readonly compared: ComparedRuns;
  readonly shown: ShownRuns;
}

const BESIDE_CHART_PIXELS = 176;
const HEIGHTS = { wide: 220, narrow: 200 };

/** A line for each run, all aligned at their start: of the chosen endpoint, or of all requests. */
export function RunsOverTime({ compared, shown }: RunsOverTimeProps) {
  const { parameters } = useAddress();
  const { hash, statistic } = shown;
  const isNarrow = useIsNarrow();
  const chosen = compared.endpoints.find((each) => each.hash === hash);
  const runs = compared.loadTests.filter(({ until }) => until !== undefined);
  const { drawn, resolution } = useRunLines(compared, runs, shown);
  const flags = useMemo(() => eventsOfRuns(compared), [compared]);
  const hidden = new Set((parameters.get("hidden") ?? "").split(","));
  if (runs.length === 0) return <p class="hint">Runs without timestamps cannot be overlaid.</p>;
  const title = `${statistic} of ${chosen?.label ?? "all requests"}`;
  return (
    <section class="compared-time" aria-label="Runs over time">
      <div class="section-head">
        <h2 title={chosen?.label}>{title}</h2>
        <span class="hint">{`since start, ${afterStart(resolution)} per point`}</span>
      </div>
      {drawn === undefined ? (
        <div class="chart-place" />
      ) : (
        <TimeChart
          {...drawn}
          title={`${title}, by run`}
          height={isNarrow ? HEIGHTS.narrow : HEIGHTS.wide}
          isNarrow={isNarrow}
          hidden={hidden}
          onToggle={(name) => toggleIn("hidden", hidden, name)}
          areNamesLong={true}
          formatValue={statistic === "failed" ? share : duration}
          axisTexts={statistic === "failed" ? shareTexts : timeTexts}
          formatTime={afterStart}
          hasTimeAxis={true}
          flags={flags}
          hasMarkNumbers={flags.length > 0}
          onZoom={stay}
          onZoomOut={stay}
        />
      )}
      <EventList events={flags} formatTime={afterStart} onEdit={undefined} />
    </section>
  );
}

/** The lines of `runs`; `undefined` until they are known. */
function useRunLines(compared: ComparedRuns, runs: readonly ComparedRun[], shown: ShownRuns) {
  const { hash, statistic, request } = shown;
  const { where, by, skipStart = 0 } = request;
  const row = compared.endpoints.find((each) => each.hash === hash);
  const resolution = resolutionFor(
    Math.max(1, Math.max(0, ...runs.map(lengthOf)) - skipStart),
    Math.max(...(row?.cells ?? compared.overall).map(({ count }) => count)),
    innerWidth - BESIDE_CHART_PIXELS,
    useContext(HoldingContext).grainSeconds,
  );
  const question = JSON.stringify([runs.map(({ id }) => id), row?.hash, resolution, where, by]);
  const { value, question: answered } = useAnswer("runs over time", question, (signal) =>
    Promise.all(
      runs.map(({ id }) => {
        const hashes = row === undefined ? [] : [row.hash];
        const scope = { id, filter: "", hashes, from: undefined, until: undefined, where, by };
        return askMerged(scope, resolution, signal);
      }),
    ),
  );
  const drawn = useMemo(() => {
    if (value === undefined || answered !== question) return undefined;
    const sides = runs.map((run, at) => {
      const range = { from: run.startedAt + skipStart, until: run.startedAt + lengthOf(run) };
      return { series: value[at] as Series, start: run.startedAt, range };
    });
    const { seconds, values } = aligned(sides, resolution, valueOf(statistic));
    return { seconds, lines: values.map((own, at) => lineOf(own, at, compared, runs)) };
  }, [value, question, answered, statistic]);
  return { drawn, resolution };
}

/** The whole runs are compared. */
function stay(): void {}

function lengthOf({ startedAt, until = startedAt }: ComparedRun): number {
  return until - startedAt + 1;
}

function shareTexts(values: readonly number[]): readonly string[] {
  return numberTexts(values.map((value) => value * 100)).map((text) => `${text} %`);
}

/** The base is grey and dotted. */
function lineOf(
  values: ChartLine["values"],
  at: number,
  { loadTests }: ComparedRuns,
  runs: readonly ComparedRun[],
): ChartLine {
  const { id, value } = runs[at] as ComparedRun;
  const number = loadTests.findIndex((each) => each.id === id);
  const name = `${number + 1}`;
  const text = `${name} ${value ?? id}`;
  if (number === 0) return { name, text, values, color: "--avg", width: 1.5, dash: [2, 3] };
  const looks = { color: endpointColor((number - 1) % COLORS), textColor: "--ink2", width: 1.5 };
  return { ...looks, name, text, values, ...(number > COLORS && { dash: [6, 3] }) };
}

/** Runs beyond these are dashed. */
const COLORS = 8;

function valueOf(statistic: RunStatistic) {
  return (series: Series, point: number): number | null => {
    const requests = series.count[point] ?? 0;
    if (statistic === "failed") {
      return requests === 0 ? null : (series.errCount[point] ?? 0) / requests;
    }
    if (statistic === "average") return series.avgLoadTime[point] ?? null;
    return series.percentiles[statistic]?.[point] ?? null;
  };
}
