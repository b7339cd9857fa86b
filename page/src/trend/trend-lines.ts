/** The lines of a series' charts. Load tests are at equal distances, at whole numbers. */

import type { Trend, TrendChange, TrendFigure, TrendValues } from "../api/trend.ts";
import type { ChartLine } from "../charts/chart-line.ts";
import type { Values } from "../charts/grid.ts";
import { looksOf } from "../load-test/endpoints/endpoint-lines.ts";
import type { ValueTrend } from "./use-value-trends.ts";

/** Edges of the load tests' positions: load test 0 has -0.5 to 0.5. */
export function placesOf(loadTests: number): readonly number[] {
  return Array.from({ length: loadTests + 1 }, (_, at) => at - 0.5);
}

/** The load test whose position begins here, or that is here. */
export function loadTestAt(place: number): number {
  return Math.floor(place + 0.5);
}

/** One endpoint, or all together, and its changes. */
export interface Subject {
  /** `undefined` for the overall figures. */
  readonly hash: string | undefined;
  readonly values: TrendValues;
  /** Latest first. */
  readonly changes: readonly TrendChange[];
}

/** The endpoint with this hash, or the overall figures if there is none. */
export function subjectOf(trend: Trend, hash: string | undefined): Subject {
  const endpoint = trend.endpoints.find((each) => each.hash === hash);
  const changes = trend.changes.filter((each) => each.hash === endpoint?.hash);
  return { hash: endpoint?.hash, values: endpoint ?? trend.overall, changes };
}

type Look = Pick<ChartLine, "name" | "color" | "textColor" | "dash" | "width">;

const TIMES: readonly (readonly [TrendFigure, Look])[] = [
  ["p99", { name: "p99", color: "--p99" }],
  ["p95", { name: "p95", color: "--p95", width: 1.75 }],
  ["avgLoadTime", { name: "average", color: "--avg", dash: [4, 3] }],
  ["p50", { name: "p50", color: "--p50", textColor: "--p50-label" }],
];

/** Response times, each with its levels if it changed. */
export function timeLines(
  trend: Trend,
  subject: Subject,
  hidden: ReadonlySet<string>,
): readonly ChartLine[] {
  const levels = TIMES.filter(([, { name }]) => !hidden.has(name)).flatMap(([figure, look]) =>
    levelLines(trend, subject, figure, look),
  );
  return [
    ...levels,
    ...TIMES.map(([figure, look]) => ({ ...look, values: drawn(subject.values[figure]) })),
  ];
}

/** p95 of each value of a facet. */
export function valueTimeLines(trends: readonly ValueTrend[]): readonly ChartLine[] {
  return trends.map(({ line, values }, index) => ({
    ...looksOf(line, index),
    name: line.key,
    text: line.text ?? "",
    values: drawn(values.p95),
  }));
}

/** Failure rate in percent. */
export function failedLines(trend: Trend, subject: Subject): readonly ChartLine[] {
  const look = { name: "failed", color: "--err" };
  const levels = levelLines(trend, subject, "errRate", look);
  return [...levels, { ...look, values: drawn(subject.values.errRate) }];
}

export function requestLines(trend: Trend, subject: Subject): readonly ChartLine[] {
  const look = { name: "requests", color: "--area-edge", textColor: "--ink2" };
  const area = { ...look, fill: "--area", values: drawn(subject.values.count) };
  return [area, ...levelLines(trend, subject, "count", { ...look, color: "--ink2" })];
}

/** The last value only ends the step before it. */
export function drawn(values: readonly (number | null)[]): Values {
  return [...values, values.at(-1) ?? null];
}

const LEVEL_LOOK = { dash: [2, 2], width: 1, isPreview: true } as const;

/** An unnamed line; none if the figure did not change. Gaps stay gaps. */
function levelLines(
  { loadTests }: Trend,
  { changes, values }: Subject,
  figure: TrendFigure,
  { name, color }: Look,
): readonly ChartLine[] {
  const places = new Map(loadTests.map(({ id }, at) => [id, at]));
  const found = changes.filter((each) => each.figure === figure).toReversed();
  const [first] = found;
  if (first === undefined) return [];
  const levels = loadTests.map(() => first.before);
  for (const { loadTestId, after } of found) levels.fill(after, places.get(loadTestId));
  const shown = levels.map((level, at) => (values[figure][at] === null ? null : level));
  return [{ ...LEVEL_LOOK, name: `level of ${name}`, color, values: drawn(shown) }];
}

/** Positions of the load tests that changed this subject, latest first. */
export function changedAt({ loadTests }: Trend, { changes }: Subject): readonly number[] {
  const ids = [...new Set(changes.map(({ loadTestId }) => loadTestId))];
  return ids.map((id) => loadTests.findIndex((each) => each.id === id)).filter((at) => at >= 0);
}
