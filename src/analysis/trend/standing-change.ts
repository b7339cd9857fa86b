import { chanceOfSplit } from "./split-test.ts";
import type { Trend, TrendChange } from "./read-trend.ts";
import { scaledFigure, type TrendFigure, type TrendValues } from "./trend-figures.ts";

/** Where a series is, and whether its baseline was said. */
export interface StandingQuery {
  /** Of the endpoint; `undefined`: all endpoints as one. */
  readonly hash: string | undefined;
  readonly figure: TrendFigure;
  /**
   * Whether the history begins at a baseline of somebody's choice: what has changed since then counts
   * until the baseline is moved. Otherwise a level that has lasted is the new normal.
   */
  readonly hasBaseline: boolean;
}

/** A level that so many load tests have is no change any more, where there is no baseline. */
const NORMAL_AFTER = 10;

/** Levels that noise makes so different in no more than 1 of 20 cases are not the same again. */
const SAME_CHANCE = 0.05;

/**
 * The change that the latest load test of a trend stands behind: the last one, or where there were
 * several since the baseline what is left of them; `undefined` where it stands behind none.
 */
export function standingChange(
  trend: Trend,
  { hash, figure, hasBaseline }: StandingQuery,
): TrendChange | undefined {
  // The latest first.
  const changes = trend.changes.filter((each) => each.hash === hash && each.figure === figure);
  const [latest, first] = [changes[0], changes.at(-1)];
  if (latest === undefined || first === undefined) return undefined;
  if (!hasBaseline) return latest.loadTestsAfter <= NORMAL_AFTER ? latest : undefined;
  if (latest === first) return latest;
  const values =
    hash === undefined ? trend.overall : trend.endpoints.find((each) => each.hash === hash);
  if (values === undefined) return undefined;
  const chance = chanceOfBoth(values, figure, [first.loadTestsBefore, latest.loadTestsAfter]);
  if (chance >= SAME_CHANCE) return undefined;
  const [before, after] = [first.before, latest.after];
  const change = figure === "errRate" ? after - before : after / before - 1;
  return { ...latest, before, after, change, chance, loadTestsBefore: first.loadTestsBefore };
}

/** That noise makes the first and the last values so different. */
function chanceOfBoth(
  values: TrendValues,
  figure: TrendFigure,
  [first, last]: readonly [number, number],
): number {
  const { values: scaled, ...precision } = scaledFigure(figure, values);
  const both = Float64Array.of(...scaled.slice(0, first), ...scaled.slice(-last));
  return chanceOfSplit({ values: both, ...precision }, { from: 0, at: first, until: first + last });
}
