import type { ComparedCell, ComparedRuns } from "../../api/compare.ts";
import { messagesOf, VERDICT_WORDS, withRole } from "./comparison-texts.ts";
import {
  formatChange,
  formatCount,
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
  readonly notes: readonly string[];
}

const HEAD = ["RUN", "VERDICT", "REQUESTS", "FAILED", "SHIFT", "AVG", "P50", "P95", "P99"];

/** Shows at most `limit` endpoints; `show` makes foreign text safe to print. */
export function comparedRunsTexts(
  compared: ComparedRuns,
  statistic: ShownStatistic,
  limit: number,
  show: (text: string) => string,
): ComparedRunsTexts {
  const { loadTests, overall, endpoints, leftOut } = compared;
  const rows = endpoints.slice(0, limit);
  const hidden = endpoints.length - rows.length + leftOut.endpoints;
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
    notes: [
      ...(hidden === 0 ? [] : [`${formatCount(hidden, "endpoint")} not shown`]),
      ...(leftOut.loadTests === 0
        ? []
        : [`${formatCount(leftOut.loadTests, "other run")} of the name not compared`]),
      ...loadTests.flatMap(({ reason }, at) =>
        reason === undefined ? [] : [`${at + 1}: ${show(reason)}`],
      ),
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
