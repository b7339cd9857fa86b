import type { CheckedHistory, CheckedLimit, LimitOutcome } from "./check-load-test.ts";
import type { ComparedPart } from "./compare-side.ts";
import { hashOfLabel } from "./endpoint-selection.ts";
import { isBeyond, type Limit, trendFigureOf } from "./limit.ts";
import type { LoadTestReader } from "./load-test-reader.ts";
import type { Trend, TrendChange } from "./trend/read-trend.ts";
import { type StandingQuery, standingChange } from "./trend/standing-change.ts";
import { LEVEL_MIN } from "./trend/levels.ts";

/** The history of what limits are about. */
interface ReadHistory {
  /** What is selected as one; `undefined` where no limit is about it. */
  readonly whole: Trend | undefined;
  /** The endpoints that limits name; `undefined` where none does. */
  readonly endpoints: Trend | undefined;
  readonly hasBaseline: boolean;
}

interface HistoryQuery {
  readonly later: ComparedPart;
  readonly history: CheckedHistory;
  readonly limits: readonly Limit[];
}

/** Reads the history up to the load test that is checked. Throws what `readTrend` throws. */
export async function readHistory(
  reader: Pick<LoadTestReader, "trend">,
  { later, history, limits }: HistoryQuery,
): Promise<ReadHistory> {
  const { loadTestId: upTo, selection, skipStartSeconds, skipEndSeconds } = later;
  const series = { ...history, upTo, skipStartSeconds, skipEndSeconds };
  const labels = limits.flatMap(({ about, label }) => (about === "change" ? [label] : []));
  // Judged among those that are asked for, so that no other makes them harder to see.
  const hashes = labels.flatMap((label) => (label === undefined ? [] : [hashOfLabel(label)]));
  const whole = labels.includes(undefined)
    ? await reader.trend({ ...series, selection })
    : undefined;
  const endpoints =
    hashes.length === 0
      ? undefined
      : await reader.trend({
          ...series,
          selection: { by: "hashes", hashes: [...new Set(hashes)] },
        });
  return { whole, endpoints, hasBaseline: (whole ?? endpoints)?.since !== undefined };
}

type CheckedChange = Pick<CheckedLimit, "limit" | "outcome" | "measured" | "change">;

/** What became of a limit about a change. */
export function checkChange(limit: Limit, history: ReadHistory | undefined): CheckedChange {
  const figure = trendFigureOf(limit.figure);
  if (history === undefined || figure === undefined) return withoutChange(limit, "unmeasured");
  const hash = limit.label === undefined ? undefined : hashOfLabel(limit.label);
  const trend = hash === undefined ? history.whole : history.endpoints;
  const values = trend === undefined ? [] : valuesOf(trend, { hash, figure });
  if (trend === undefined || values.at(-1) === undefined) return withoutChange(limit, "unmeasured");
  const known = values.filter((value) => value !== undefined);
  if (known.length < 2 * LEVEL_MIN) return withoutChange(limit, "unjudged");
  const { hasBaseline } = history;
  return judgedChange(limit, standingChange(trend, { hash, figure, hasBaseline }));
}

function withoutChange(limit: Limit, outcome: LimitOutcome): CheckedChange {
  return { limit, outcome, measured: undefined, change: undefined };
}

function valuesOf(
  { overall, endpoints }: Trend,
  { hash, figure }: Pick<StandingQuery, "hash" | "figure">,
): readonly (number | undefined)[] {
  const values = hash === undefined ? overall : endpoints.find((each) => each.hash === hash);
  return values?.[figure] ?? [];
}

function judgedChange(limit: Limit, change: TrendChange | undefined): CheckedChange {
  if (change === undefined) return withoutChange(limit, "kept");
  const outcome = isBeyond(sizeOf(change), limit) ? "broken" : "kept";
  return { limit, outcome, measured: change.change, change };
}

/** How large a change is, up or down; a change of what was 0 has no size but all there is. */
function sizeOf({ figure, change, before, after }: TrendChange): number {
  if (figure === "errRate") return Math.abs(after - before);
  return change === undefined ? Infinity : Math.abs(change);
}
