import type { MeasureTrend, Trend, TrendFigure, TrendChange } from "../../api/trend.ts";
import {
  formatChange,
  formatCount,
  formatMeasured,
  formatMilliseconds,
  formatSecond,
  formatShare,
} from "./format-quantity.ts";

export interface TrendTexts {
  readonly head: string;
  /** With a head each: the changes, if there are any, a row for each load test that brought some; the load tests. */
  readonly tables: readonly (readonly (readonly string[])[])[];
  readonly notes: readonly string[];
}

const FIGURES: Readonly<Record<TrendFigure, { name: string; format: (value: number) => string }>> =
  {
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
  const each = [CHANGES_HEAD, ...changes.map((change) => changeCells(change, show))];
  const shown = groups.slice(0, limit);
  const grouped = [GROUPS_HEAD, ...shown.map(([id, of]) => groupCells(id, of, show))];
  return {
    head: counts.join(" · "),
    tables: [
      ...(changes.length === 0 ? [] : [isEach ? each : grouped]),
      [LOAD_TESTS_HEAD, ...loadTestRows(trend, show)],
    ],
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

const MEASURE_CHANGES_HEAD = [
  "CHANGED WITH",
  "VERDICT",
  "STATISTIC",
  "LEVEL",
  "RUNS",
  "CHANCE",
  "MEASURE",
];

/** The same of the measures of a selector. */
export function measureTexts(
  { measures = [], loadTests, leftOut, ...trend }: Trend,
  show: (text: string) => string,
  selector: string,
): TrendTexts {
  const changes = measures.flatMap((each) => each.changes.map((change) => ({ ...each, change })));
  const missing = measures.flatMap((each) => {
    const without = each.count.filter((count) => count === null).length;
    if (without === 0) return [];
    return [`${show(measureName(each))}: ${formatCount(without, "run")} without it`];
  });
  const counts = [formatCount(loadTests.length, "run"), formatCount(changes.length, "change")];
  const rows = changes.map(({ change, ...measure }) => [
    show(change.loadTestId),
    change.verdict,
    nameOf(change.statistic),
    measureLevel(change, measure),
    levelsText(change),
    chanceText(change.chance),
    show(measureName(measure)),
  ]);
  return {
    head: counts.join(" · "),
    tables: [
      ...(rows.length === 0 ? [] : [[MEASURE_CHANGES_HEAD, ...rows]]),
      ...measures.map((each) => measureRows(each, loadTests, show)),
    ],
    notes: [
      ...(measures.length === 0 ? [`no run has ${show(selector)}`] : []),
      ...missing,
      ...baselineNotes(trend, show),
      ...(leftOut.loadTests === 0 ? [] : [`${formatCount(leftOut.loadTests, "run")} before`]),
    ],
  };
}

function measureRows(
  measure: MeasureTrend,
  loadTests: Trend["loadTests"],
  show: (text: string) => string,
): readonly (readonly string[])[] {
  const statistics = (["mean", "rate", "p50", "p95", "p99", "max"] as const).filter(
    (statistic) => measure[statistic] !== undefined,
  );
  const names = statistics.map((statistic) => nameOf(statistic).toUpperCase());
  const changed = new Set(measure.changes.map((each) => `${each.statistic} ${each.loadTestId}`));
  const rows = loadTests.map(({ id, startedAt }, at) => {
    const values = statistics.map((statistic) => {
      const value = measure[statistic]?.[at] ?? undefined;
      return `${formatMeasured(value, measure)}${changed.has(`${statistic} ${id}`) ? " *" : ""}`;
    });
    return [show(id), formatSecond(startedAt), ...values, show(measureName(measure))];
  });
  return [["RUN", "STARTED", ...names, "MEASURE"], ...rows];
}

function nameOf(statistic: MeasureTrend["changes"][number]["statistic"]): string {
  return statistic === "mean" ? "avg" : statistic;
}

function measureName({ name, endpoint, tags }: MeasureTrend): string {
  const pairs = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
  return [name, ...(endpoint === undefined ? [] : [endpoint.label]), ...pairs].join(" ");
}

function measureLevel(
  { before, after, change }: MeasureTrend["changes"][number],
  measure: MeasureTrend,
): string {
  const pair = `${formatMeasured(before, measure)} → ${formatMeasured(after, measure)}`;
  return measure.kind === "rate" || change === undefined
    ? pair
    : `${pair} (${formatChange(change)})`;
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

function levelsText({
  loadTestsBefore,
  loadTestsAfter,
}: Pick<TrendChange, "loadTestsBefore" | "loadTestsAfter">): string {
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
  { since, baseline }: Pick<Trend, "since" | "baseline">,
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

export function levelText(
  { figure, before, after, change }: TrendChange,
  format = FIGURES[figure].format,
): string {
  const pair = `${format(before)} → ${format(after)}`;
  return figure === "errRate" || change === undefined ? pair : `${pair} (${formatChange(change)})`;
}

/** Two significant digits. */
export function chanceText(chance: number): string {
  return chance < 1e-6 ? "< 0.000001" : String(Number(chance.toPrecision(2)));
}
