import { COMPARED_FIGURES, type ComparedFigure } from "../../api/compare.ts";
import type { Trend } from "../../api/trend.ts";
import { cutsOf, EARLIER_MAX } from "../compare/earlier-runs.ts";
import { detectableChange, EARLIER_MIN, GROWTH_ERROR, runNoise } from "../compare/run-noise.ts";
import { PAIRS_ERROR } from "./check-pairs.ts";
import { fewestDifferences } from "./sign-flips.ts";

/** What a check finds of growth in one figure. Seconds; of failures shares. */
export interface FigurePower {
  readonly figure: ComparedFigure;
  /** The current level, and the standard deviation between runs: 0.1 for 10 %, of failures the difference. */
  readonly level: number;
  readonly spread: number;
  /** Growth that 9 of 10 checks of the next run find; absent if no growth is large enough. */
  readonly detectable?: number;
  /** Fewest earlier runs with which 9 of 10 checks of one run find the wanted change; absent if none are enough. */
  readonly earlierRuns?: number;
  /** Fewest pairs of runs with which 9 of 10 checks find it; absent if `PAIRS_MAX` are not enough. */
  readonly pairs?: number;
}

export const PAIRS_MAX = 1000;

/** Power for all endpoints as one; figures whose noise between runs is unknown are absent. `change` is as in a comparison. */
export function powerOf(trend: Trend, change: number): readonly FigurePower[] {
  const ids = trend.loadTests.map(({ id }) => id);
  const changes = trend.changes
    .filter(({ label }) => label === undefined)
    .map((each) => ({ ...each, at: ids.indexOf(each.loadTestId) }));
  const earlier = { values: trend.overall, cuts: cutsOf(changes) };
  return COMPARED_FIGURES.flatMap((figure) => {
    const latest = trend.overall[figure].findLastIndex((value) => value !== null);
    const value = trend.overall[figure][latest] ?? undefined;
    if (value === undefined) return [];
    const pair = { base: value, value, baseAt: latest, errorProbability: GROWTH_ERROR };
    const known = runNoise(earlier, figure, pair);
    if (known === undefined) return [];
    const { level, spread, detectable } = known.noise;
    const isFound = (variance: number, runs: number, errorProbability: number): boolean => {
      const noise = { level, standardError: Math.sqrt(variance), degreesOfFreedom: runs - 1 };
      return detectableChange(figure, noise, errorProbability) <= change;
    };
    const { variance } = known.spread;
    const earlierRuns = fewestEnough(EARLIER_MIN, EARLIER_MAX, (runs) =>
      isFound(variance * (1 + 1 / runs), runs, GROWTH_ERROR),
    );
    const pairs = fewestEnough(fewestDifferences(PAIRS_ERROR), PAIRS_MAX, (count) =>
      isFound((2 * variance) / count, count, 2 * PAIRS_ERROR),
    );
    return [
      {
        figure,
        level,
        spread,
        ...(detectable === undefined ? {} : { detectable }),
        ...(earlierRuns === undefined ? {} : { earlierRuns }),
        ...(pairs === undefined ? {} : { pairs }),
      },
    ];
  });
}

/** `undefined` if even `most` are not enough; more are never worse. */
function fewestEnough(
  least: number,
  most: number,
  isEnough: (count: number) => boolean,
): number | undefined {
  if (!isEnough(most)) return undefined;
  let [low, high] = [least, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}
