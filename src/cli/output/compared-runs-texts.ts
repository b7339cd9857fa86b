import type {
  ComparedCell,
  ComparedMeasureCell,
  ComparedMeasureRow,
  ComparedRuns,
} from "../../api/compare.ts";
import { MEASURE_WORDS, messagesOf, VERDICT_WORDS, withRole } from "./comparison-texts.ts";
import {
  formatChange,
  formatCount,
  formatDuration,
  formatMeasured,
  formatMilliseconds,
  formatSecond,
  formatShare,
} from "./format-quantity.ts";

/** What the cells of endpoints show. */
export const SHOWN_STATISTICS = ["p95", "p50", "p99", "average", "failed", "shift"] as const;

export type ShownStatistic = (typeof SHOWN_STATISTICS)[number];

const FIGURE_OF = { average: "avgLoadTime", failed: "errRate" } as const;

export interface ComparedRunsTexts {
  readonly runs: readonly (readonly string[])[];
  /** A row for each endpoint, whose columns are the numbers of the runs. */
  readonly endpoints: readonly (readonly string[])[];
  /** The same of measures; empty if no run has any. */
  readonly measures: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

const HEAD = ["RUN", "VERDICT", "REQUESTS", "FAILED", "SHIFT", "AVG", "P50", "P95", "P99"];

/** Shows at most `limit` endpoints and measures; `show` makes foreign text safe to print. */
export function comparedRunsTexts(
  compared: ComparedRuns,
  statistic: ShownStatistic,
  limit: number,
  show: (text: string) => string,
): ComparedRunsTexts {
  const { loadTests, overall, endpoints, measures = [], leftOut } = compared;
  const rows = endpoints.slice(0, limit);
  const hidden = endpoints.length - rows.length + leftOut.endpoints;
  const ofMeasures = measures.slice(0, limit).map((row) => measureTexts(row, statistic, show));
  const hiddenMeasures = measures.length - ofMeasures.length + (leftOut.measures ?? 0);
  const numbers = loadTests.map((_, at) => `${at + 1}`);
  return {
    runs: [
      [...HEAD, "STARTED", "ID"],
      ...overall.map((cell, at) => [
        at === 0 ? "1 base" : `${at + 1}`,
        cell.verdict === undefined ? "" : VERDICT_WORDS[cell.verdict],
        `${cell.count}`,
        ...(["failed", "shift", "average", "p50", "p95", "p99"] as const).map((each) =>
          cellText(cell, each),
        ),
        ...runTexts(loadTests[at], show),
      ]),
    ],
    endpoints: [
      [...numbers, `${statistic.toUpperCase()} OF ENDPOINT`],
      ...rows.map(({ cells, label, role }) => [
        ...cells.map((cell) => signOf(cell) + cellText(cell, statistic)),
        withRole(show(label), role),
      ]),
    ],
    measures: measures.length === 0 ? [] : [[...numbers, "MEASURE"], ...ofMeasures],
    notes: [
      ...(hidden === 0 ? [] : [`${formatCount(hidden, "endpoint")} not shown`]),
      ...(hiddenMeasures === 0 ? [] : [`${formatCount(hiddenMeasures, "measure")} not shown`]),
      ...(leftOut.loadTests === 0
        ? []
        : [`${formatCount(leftOut.loadTests, "other run")} of the name not compared`]),
      ...loadTests.flatMap(({ reason }, at) =>
        reason === undefined ? [] : [`${at + 1}: ${show(reason)}`],
      ),
      ...loadTests.flatMap((run, at) => [
        ...eventTexts(run).map((text) => `${at + 1} ${show(text)}`),
        ...((run.events ?? []).length > EVENTS_SHOWN
          ? [`${at + 1}: further events not shown`]
          : []),
      ]),
      ...remarksOf(compared).map(show),
      errorNote(compared),
    ],
  };
}

function runTexts(
  run: ComparedRuns["loadTests"][number] | undefined,
  show: (text: string) => string,
): readonly string[] {
  if (run === undefined) return [];
  const { id, value, startedAt } = run;
  const named = value === undefined ? show(id) : `${show(value)} ${show(id)}`;
  return [formatSecond(startedAt), named];
}

/** The cells of a row: the statistic where the measure has it, else its average or rate. */
function measureTexts(
  row: ComparedMeasureRow,
  statistic: ShownStatistic,
  show: (text: string) => string,
): readonly string[] {
  const { name, kind, tags, cells } = row;
  const wanted = cells.some((cell) => statistic in cell) ? (statistic as "p95") : undefined;
  const shown = wanted ?? (kind === "counter" ? "rate" : "mean");
  const of = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
  const text = (cell: ComparedMeasureCell): string => {
    const { value, change, isSignificant } = cell[shown] ?? {};
    const star = isSignificant ? " *" : "";
    const changed = change === undefined || kind === "rate" ? "" : formatChange(change);
    const sign = SIGNED.has(cell.verdict)
      ? `${MEASURE_WORDS[cell.verdict ?? "new"].slice(0, 1)} `
      : "";
    return `${sign}${formatMeasured(value, row)}${changed === "" ? star : ` (${changed}${star})`}`;
  };
  const about = [...of, wanted ?? (kind === "counter" ? "" : "avg")].filter((each) => each !== "");
  return [...cells.map(text), show([name, ...about].join(" "))];
}

const SIGNED: ReadonlySet<unknown> = new Set(["worse", "better", "changed"]);

/** Events and notes shown for each run: hundreds would leave no room for tables in a comment. */
const EVENTS_SHOWN = 10;

/** A line for each of the run's first events and notes. */
function eventTexts({ events = [], startedAt }: ComparedRuns["loadTests"][number]): string[] {
  return events.slice(0, EVENTS_SHOWN).map(({ at, until, text, endpoint, author }) => {
    const [from, end] = [at, until ?? at].map((time) => {
      return formatDuration(Math.max(0, Date.parse(time) - startedAt * 1000));
    });
    const about = [endpoint, text].filter((each) => each !== undefined).join(": ");
    const by = author === undefined ? "" : ` (${author})`;
    return `after ${from}${until === undefined ? "" : ` to ${end}`}: ${about}${by}`;
  });
}

/** A sign where the run is slower or faster, whatever statistic is shown. */
function signOf({ verdict }: ComparedCell): string {
  return verdict === "slower" || verdict === "faster"
    ? `${VERDICT_WORDS[verdict].slice(0, 1)} `
    : "";
}

function cellText(cell: ComparedCell, statistic: ShownStatistic): string {
  const figure =
    statistic in FIGURE_OF ? FIGURE_OF[statistic as keyof typeof FIGURE_OF] : statistic;
  const { value, change, isSignificant } = cell[figure as "p95"];
  const star = isSignificant ? " *" : "";
  const changed = change === undefined ? "" : `${formatChange(change)}${star}`;
  if (statistic === "shift") return changed || "-";
  if (value === undefined) return "-";
  if (statistic === "failed") return `${formatShare(value)}${star}`;
  return `${formatMilliseconds(value)}${changed === "" ? "" : ` (${changed})`}`;
}

/** Each sentence with the numbers of the runs that it is about, unless it is about all. */
function remarksOf({ loadTests }: ComparedRuns): readonly string[] {
  const numbers = new Map<string, number[]>();
  for (const [at, { quality, noise }] of loadTests.entries()) {
    for (const message of [
      ...messagesOf(quality),
      ...(noise?.kind === "within" ? ["noise between runs is unknown: too few earlier runs"] : []),
    ]) {
      numbers.set(message, [...(numbers.get(message) ?? []), at + 1]);
    }
  }
  return [...numbers].map(([message, runs]) =>
    runs.length >= loadTests.length - 1 ? message : `${message} (${runs.join(", ")})`,
  );
}

function errorNote({ errorProbability: { each, any } }: ComparedRuns): string {
  const [one, all] = [each, any].map(formatShare);
  return (
    `* beyond noise, against the base. From noise alone, (all) has a false star in ${one} of comparisons, and in any of these in at most ` +
    `${all}; the endpoints together the same again`
  );
}
