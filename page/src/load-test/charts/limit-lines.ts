/** Thresholds as lines in the charts of what they are about. */

import type { Scope } from "../../api/figures.ts";
import type { CheckedThreshold } from "../../api/thresholds.ts";
import type { ChartLine } from "../../charts/chart-line.ts";

/** A threshold in the unit of a chart. */
export interface LimitLine {
  readonly text: string;
  readonly value: number;
}

/** Those in each chart, the worst first. */
export interface LimitLines {
  /** Seconds. */
  readonly times: readonly LimitLine[];
  readonly perSecond: readonly LimitLine[];
  /** Shares. */
  readonly errors: readonly LimitLine[];
}

/** The thresholds on what is drawn. `endpoint`: label of the only selected one, if it is known. */
export function limitsIn(
  checks: readonly CheckedThreshold[],
  { hashes, filter, where, outcome }: Pick<Scope, "hashes" | "filter" | "where" | "outcome">,
  endpoint: string | undefined,
): LimitLines {
  const isNamed = hashes.length === 0 || endpoint !== undefined;
  const isPart = filter !== "" || hashes.length > 1 || outcome !== undefined || !isNamed;
  const drawn = checks.filter(
    (each) =>
      !isPart && each.measure === undefined && each.endpoint === endpoint && each.where === where,
  );
  const own = (unit: CheckedThreshold["unit"]) =>
    drawn.flatMap((each) => {
      const value = boundOf(each);
      return unitOf(each) === unit && value !== undefined ? [{ text: each.failIf, value }] : [];
    });
  return { times: own("seconds"), perSecond: own("perSecond"), errors: own("share") };
}

/** The unit of the figure itself. */
function unitOf({ kind, figure, unit, window }: CheckedThreshold): CheckedThreshold["unit"] {
  if (kind === "growth") return figure === "errors" ? "share" : "seconds";
  return figure === "requests" && window !== undefined ? "perSecond" : unit;
}

/** What the figure is compared with; `undefined` if that is not a single value. */
function boundOf({ kind, figure, bound, base, window }: CheckedThreshold): number | undefined {
  if (kind === "change") return undefined;
  if (kind === "value") {
    const isCount = figure === "requests" && window !== undefined;
    return isCount ? bound / (window.until - window.from) : bound;
  }
  if (base === undefined) return undefined;
  return figure === "errors" ? base + bound : base * (1 + bound);
}

const SHOWN_MAX = 3;

/** A threshold at more than this multiple of the highest value would flatten the lines. */
const TIMES_MAX = 4;

interface Drawing {
  /** UNIX seconds where windows start, then the end. */
  readonly seconds: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly isLogarithmic?: boolean;
}

/** The lines of a chart with its thresholds. */
export function withLimits(
  limits: readonly LimitLine[],
  { seconds, lines, isLogarithmic = false }: Drawing,
): readonly ChartLine[] {
  if (limits.length === 0) return lines;
  let highest = 0;
  for (const { values, scale } of lines) {
    if (scale === undefined) for (const value of values) highest = Math.max(highest, value ?? 0);
  }
  const most = highest * (isLogarithmic ? 10 * TIMES_MAX : TIMES_MAX);
  const seen = limits.filter(({ value }) => value > 0 && value <= most).slice(0, SHOWN_MAX);
  return [
    ...lines,
    ...seen.map(({ text, value }, at) => ({
      name: `limit ${at + 1}`,
      text,
      // The chart says of what endpoint.
      endText: text.slice(text.lastIndexOf(": ") + 1).trim(),
      isLimit: true,
      values: seconds.map(() => value),
      color: "--err",
      dash: [6, 4],
      width: 1,
    })),
  ];
}
