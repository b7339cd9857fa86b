import type { Trend, TrendFigure, TrendChange } from "../../api/trend.ts";
import {
  formatChange,
  formatCount,
  formatMilliseconds,
  formatSecond,
  formatShare,
} from "./format-quantity.ts";

export interface TrendTexts {
  readonly head: string;
  /** Cells of the changes, with a head: one row for each load test that brought some. */
  readonly changes: readonly (readonly string[])[];
  /** Load tests over all endpoints, with a header. */
  readonly loadTests: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

export const FIGURES: Readonly<
  Record<TrendFigure, { name: string; format: (value: number) => string }>
> = {
  count: { name: "requests", format: (count) => String(Math.round(count)) },
  errRate: { name: "errors", format: formatShare },
  avgLoadTime: { name: "avg", format: formatMilliseconds },
  p50: { name: "p50", format: formatMilliseconds },
  p95: { name: "p95", format: formatMilliseconds },
  p99: { name: "p99", format: formatMilliseconds },
};

const GROUPS_HEAD = ["CHANGED WITH", "STATISTICS", "CLEAREST", "RUNS", "ENDPOINTS"];
const CHANGES_HEAD = ["CHANGED WITH", "STATISTIC", "LEVEL", "RUNS", "CHANCE", "ENDPOINT"];
const LOAD_TESTS_HEAD = [
  "RUN",
  "STARTED",
  ...Object.values(FIGURES).map(({ name }) => name.toUpperCase()),
];

export interface ChangeRows {
  /** Most load tests that are listed with what they brought. */
  readonly limit: number;
  /** Whether each change of each figure and endpoint is a row. */
  readonly isEach: boolean;
}

/** `show` makes foreign text safe to print. */
export function trendTexts(
  trend: Trend,
  show: (text: string) => string,
  { limit, isEach }: ChangeRows,
): TrendTexts {
  const { loadTests, changes, leftOut } = trend;
  const groups = [...Map.groupBy(changes, ({ loadTestId }) => loadTestId)];
  const hidden = isEach ? 0 : Math.max(0, groups.length - limit);
  const counts = [formatCount(loadTests.length, "run"), formatCount(changes.length, "change")];
  return {
    head: counts.join(" · "),
    changes: isEach
      ? [CHANGES_HEAD, ...changes.map((change) => changeCells(change, show))]
      : [GROUPS_HEAD, ...groups.slice(0, limit).map(([id, of]) => groupCells(id, of, show))],
    loadTests: [LOAD_TESTS_HEAD, ...loadTestRows(trend, show)],
    notes: [
      ...(hidden === 0
        ? []
        : [
            `${formatCount(hidden, "earlier run")} with changes: use --limit or --all to show them`,
          ]),
      ...baselineNotes(trend, show),
      ...(leftOut.loadTests === 0 ? [] : [`${formatCount(leftOut.loadTests, "run")} before`]),
      ...(leftOut.endpoints === 0
        ? []
        : [`${formatCount(leftOut.endpoints, "endpoint")} with fewer requests not examined`]),
      ...(changes.length === 0 ? [] : ["* level shift of all endpoints together"]),
      ...(changes.some(({ loadTestsAfter }) => loadTestsAfter < 3)
        ? ["based on 2 runs so far: possible outliers"]
        : []),
      ...qualityNotes(trend, show),
    ],
  };
}

function changeCells(change: TrendChange, show: (text: string) => string): readonly string[] {
  return [
    show(change.loadTestId),
    FIGURES[change.figure].name,
    levelText(change),
    levelsText(change),
    chanceText(change.chance),
    labelText(change, show),
  ];
}

/** All that one load test brought; the first change, of all endpoints if it is one, is spelt out. */
function groupCells(
  loadTestId: string,
  changes: readonly TrendChange[],
  show: (text: string) => string,
): readonly string[] {
  const [first] = changes;
  if (first === undefined) throw new Error(`BUG: no change with ${loadTestId}`);
  const figures = new Set(changes.map(({ figure }) => FIGURES[figure].name));
  const others = new Set(changes.map(({ label }) => label)).size - 1;
  return [
    show(loadTestId),
    [...figures].join(", "),
    `${FIGURES[first.figure].name} ${levelText(first)}`,
    levelsText(first),
    `${labelText(first, show)}${others === 0 ? "" : ` and ${formatCount(others, "endpoint")}`}`,
  ];
}

function levelsText({ loadTestsBefore, loadTestsAfter }: TrendChange): string {
  return `${loadTestsBefore} → ${loadTestsAfter}`;
}

function labelText({ label }: TrendChange, show: (text: string) => string): string {
  return label === undefined ? "(all)" : show(label);
}

/** Each kind once, as for the latest load test. */
function qualityNotes({ loadTests }: Trend, show: (text: string) => string): readonly string[] {
  const remarks = loadTests.flatMap(({ id, quality }) =>
    quality.map((remark) => ({ id, ...remark })),
  );
  return [...Map.groupBy(remarks, ({ code }) => code).values()].flatMap((alike) => {
    const [latest, ids] = [alike.at(-1), new Set(alike.map(({ id }) => id))];
    if (latest === undefined) return [];
    const others = ids.size === 1 ? "" : `, ${formatCount(ids.size - 1, "other")} alike`;
    return [`${show(latest.message)} (${show(latest.id)}${others})`];
  });
}

function baselineNotes(
  { since, baseline }: Trend,
  show: (text: string) => string,
): readonly string[] {
  if (baseline === undefined) return [];
  return since === baseline
    ? [`begins at the baseline, ${show(baseline)}: use --ignore-baseline to include earlier runs`]
    : [`the baseline is ${show(baseline)}`];
}

function loadTestRows(
  { loadTests, changes, overall }: Trend,
  show: (text: string) => string,
): readonly (readonly string[])[] {
  const ofWhole = changes.filter(({ label }) => label === undefined);
  const changed = new Set(ofWhole.map(({ loadTestId, figure }) => `${figure} ${loadTestId}`));
  return loadTests.map(({ id, startedAt }, at) => {
    const values = Object.entries(FIGURES).map(([figure, { format }]) => {
      const value = overall[figure as TrendFigure][at] ?? undefined;
      const star = changed.has(`${figure} ${id}`) ? " *" : "";
      return value === undefined ? "-" : `${format(value)}${star}`;
    });
    return [show(id), formatSecond(startedAt), ...values];
  });
}

export function levelText({ figure, before, after, change }: TrendChange): string {
  const { format } = FIGURES[figure];
  const pair = `${format(before)} → ${format(after)}`;
  return figure === "errRate" || change === undefined ? pair : `${pair} (${formatChange(change)})`;
}

/** Two significant digits. */
export function chanceText(chance: number): string {
  return chance < 1e-6 ? "< 0.000001" : String(Number(chance.toPrecision(2)));
}
