/** The share of failed requests over time, by class of response code. */

import type { FailureKind, Series } from "../../api/figures.ts";
import type { ChartLine } from "../../charts/chart-line.ts";
import { type Grid, type Values, valuesOn } from "../../charts/grid.ts";
import { stackedLines } from "../measures/phases.ts";

/** Kinds of failures per second. */
export interface KnownKinds {
  /** Length of their windows in seconds. */
  readonly resolution: number;
  readonly kinds: readonly Pick<FailureKind, "code" | "series">[];
}

/** From the bottom up, with their colours. Others have another code or none, or no kind yet. */
const CLASSES = [
  ["5xx", "--err"],
  ["4xx", "--s2"],
  ["3xx", "--s5"],
  ["2xx", "--s3"],
  ["no reply", "--s4"],
  ["other", "--s7"],
] as const;

type CodeClass = (typeof CLASSES)[number][0];

const OTHER: CodeClass = "other";

/** The class of a response code; what tools write for a request without a response is no number. */
export function classOf(code: string): CodeClass {
  const isReply = /^[1-9]\d\d$/.test(code);
  if (code !== "" && !isReply) return "no reply";
  return CLASSES.find(([name]) => name === `${code.charAt(0)}xx`)?.[0] ?? OTHER;
}

/**
 * All failed requests, and below that line an area for each class that occurs, once kinds are known in windows whose length
 * divides `resolution`, in seconds. No lines if no request failed.
 */
export function errorLines(
  grid: Grid,
  series: Series,
  known: KnownKinds | undefined,
  resolution: number,
): ChartLine[] {
  if (series.errCount.every((failed) => failed === 0)) return [];
  const shareOf = (countOf: (point: number) => number): Values =>
    valuesOn(grid, series, (point) => {
      const requests = series.count[point] ?? 0;
      return requests === 0 ? null : countOf(point) / requests;
    });
  const failed = (point: number): number => series.errCount[point] ?? 0;
  const all = { name: "failed", values: shareOf(failed), color: "--err" };
  if (known === undefined || resolution % known.resolution !== 0) {
    return [{ ...all, fill: "--err-area" }];
  }
  const counts = countsByClass(series, known, resolution);
  const colors = new Map<string, string>(CLASSES);
  const areas = [...counts].map(([name, each]) => ({
    name,
    values: shareOf((point) => each[point] ?? 0),
  }));
  return [
    all,
    ...stackedLines(areas).map((line) => {
      const color = colors.get(line.text ?? "") ?? "--s7";
      return { ...line, color, fill: color };
    }),
  ];
}

type Counts = number[];

/** Failed requests of each class that occurs, at the points of the series: in sum those of the series. */
function countsByClass(
  { labels, errCount }: Series,
  { kinds }: Pick<KnownKinds, "kinds">,
  resolution: number,
): ReadonlyMap<CodeClass, readonly number[]> {
  const pointOf = new Map(labels.map((label, point) => [label, point]));
  const counts = new Map<CodeClass, Counts>(CLASSES.map(([name]) => [name, labels.map(() => 0)]));
  for (const { code, series } of kinds) {
    const own = counts.get(classOf(code)) ?? [];
    for (const [second, count] of series) {
      // Second 0 means that no time is known: series name its window 1.
      const point = pointOf.get(Math.max(1, second - (second % resolution)));
      if (point !== undefined) own[point] = (own[point] ?? 0) + count;
    }
  }
  for (const [point, failed] of errCount.entries()) settle(counts, point, failed);
  return new Map([...counts].filter(([, own]) => own.some((each) => each > 0)));
}

/** The kinds come with an answer of their own: of a growing run, both may be of different moments. */
function settle(counts: ReadonlyMap<CodeClass, Counts>, point: number, failed: number): void {
  const all = [...counts.values()];
  const sum = all.reduce((total, own) => total + (own[point] ?? 0), 0);
  const others = counts.get(OTHER);
  if (sum > failed) for (const own of all) own[point] = (own[point] ?? 0) * (failed / sum);
  else if (others !== undefined) others[point] = (others[point] ?? 0) + failed - sum;
}
