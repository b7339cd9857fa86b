import { bestSplit } from "./energy-split.ts";
import { bestStretch } from "./best-stretch.ts";
import { chanceAnywhere } from "./chance.ts";
import { LEVEL_MIN, type LevelSeries, type Part, type Split } from "./levels.ts";
import { chanceOfSplit } from "./split-test.ts";

/** Where a level begins that differs from the one before it. */
export interface ChangePoint extends Split {
  /**
   * That noise alone makes two levels so different anywhere between the change point before and the
   * one after.
   */
  readonly chance: number;
}

/** A place is a candidate where noise makes both of its sides so different in less than 1 of 100 cases. */
const CANDIDATE_CHANCE = 0.01;

/** A stretch was chosen out of many, and has to be as clear as what is told in the end. */
const STRETCH_CHANCE = 0.05;

/**
 * Places where a series may have changed, ascending: cut at the best place, and again each side of
 * it, as long as both sides differ (E-divisive [1] with the t test of Hunter [3]).
 */
export function findCandidates(series: LevelSeries): readonly number[] {
  const candidates: number[] = [];
  const parts: Part[] = [{ from: 0, until: series.values.length }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const places = cutsOf(series, part);
    candidates.push(...places);
    const edges = [part.from, ...places, part.until];
    if (places.length > 0) parts.push(...partsBetween(edges));
  }
  return candidates.toSorted((left, right) => left - right);
}

/** Where a part is cut: at one place, around a stretch, or not at all. */
function cutsOf(series: LevelSeries, part: Part): readonly number[] {
  const at = bestSplit(series.values, part);
  if (at === undefined) return [];
  if (chanceOfSplit(series, { ...part, at }) < CANDIDATE_CHANCE) return [at];
  const stretch = bestStretch(series, part);
  if (stretch === undefined || stretch.chance >= STRETCH_CHANCE) return [];
  return [stretch.from, stretch.until];
}

function partsBetween(edges: readonly number[]): readonly Part[] {
  return edges.slice(1).map((until, index) => ({ from: edges[index] as number, until }));
}

/**
 * The candidates that are clear between their neighbours, ascending: the least clear is taken away
 * and its neighbours are looked at again, until each has a chance of `chanceMax` at most (the merge step of Hunter [3]).
 */
export function keepClear(
  series: LevelSeries,
  candidates: readonly number[],
  chanceMax: number,
): readonly ChangePoint[] {
  const places = [...candidates];
  for (;;) {
    const points = changePointsAt(series, places);
    const leastClear = Math.max(...points.map(({ chance }) => chance));
    if (points.length === 0 || leastClear <= chanceMax) return points;
    places.splice(
      points.findIndex(({ chance }) => chance === leastClear),
      1,
    );
  }
}

function changePointsAt(series: LevelSeries, places: readonly number[]): readonly ChangePoint[] {
  const edges = [0, ...places, series.values.length];
  return places.map((at, index) => {
    const split = { from: edges[index] as number, at, until: edges[index + 2] as number };
    const length = split.until - split.from;
    const chance = chanceAnywhere(chanceOfSplit(series, split), length, LEVEL_MIN);
    return { ...split, chance };
  });
}

/** A level has to be so long for what follows it to be held against it. */
const KNOWN_LEVEL = 5;

/** Asked again with each new load test, so that one night in a thousand is wrong. */
const LAST_CHANCE = 0.001;

/**
 * Where the last one or two values begin if they do not fit the level since `levelFrom`: the begin of a
 * change, or an outlier, which only what follows can tell. The clearer of both.
 */
export function lastUnlike(series: LevelSeries, levelFrom: number): ChangePoint | undefined {
  const until = series.values.length;
  const splits = [1, 2]
    .map((length) => ({ from: levelFrom, at: until - length, until }))
    .filter(({ from, at }) => at - from >= KNOWN_LEVEL)
    .map((split) => ({ ...split, chance: Math.min(1, 2 * chanceOfSplit(series, split)) }));
  return splits
    .filter(({ chance }) => chance <= LAST_CHANCE)
    .toSorted((left, right) => left.chance - right.chance)[0];
}
