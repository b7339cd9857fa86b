import { averageOf, lowerBound, squaresOf } from "../../model/columns.ts";
import { studentT } from "../student-t.ts";
import { chanceAnywhere, chanceOfT, chanceOfSplit } from "./chance.ts";
import { LEVEL_MIN, type LevelSeries, type Part, type Split } from "./trend-figures.ts";

/** Start of a new level. */
export interface ChangePoint extends Split {
  /** Probability that noise alone makes such a difference anywhere between the neighbouring change points. */
  readonly chance: number;
}

/** A place is a candidate if noise explains the difference of its sides in less than 1 of 100 cases. */
const CANDIDATE_CHANCE = 0.01;

/** A segment is chosen among many, so that it must be as clear as a final result. */
const SEGMENT_CHANCE = 0.05;

/** Candidates, ascending: splits at the best place, then each side again, while both differ (E-divisive [1], with the t test of [3]). */
export function findCandidates(series: LevelSeries): readonly number[] {
  const candidates: number[] = [];
  const parts: Part[] = [{ from: 0, until: series.values.length }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const places = cutsOf(series, part);
    candidates.push(...places);
    const edges = [part.from, ...places, part.until];
    if (places.length === 0) continue;
    parts.push(...edges.slice(1).map((until, index) => ({ from: edges[index] as number, until })));
  }
  return candidates.toSorted((left, right) => left - right);
}

/** One place, both ends of a segment, or none. */
function cutsOf(series: LevelSeries, part: Part): readonly number[] {
  if (isPlainlyOneLevel(series, part)) return [];
  const at = bestSplit(series.values, part);
  if (at === undefined) return [];
  if (chanceOfSplit(series, { ...part, at }) < CANDIDATE_CHANCE) return [at];
  const segment = bestSegment(series, part);
  if (segment === undefined || segment.chance >= SEGMENT_CHANCE) return [];
  return [segment.from, segment.until];
}

/** Longer parts have too many segments to try all of them. */
const TRIED_MAX = 32;

/** Share of the t of a cut below which rounding does not matter. */
const PLAINLY = 0.999;

/** Whether no split and no segment of a short part is clear enough for a cut, which holds for most; `false` if only a search says. */
function isPlainlyOneLevel({ values, varianceMin }: LevelSeries, { from, until }: Part): boolean {
  const length = until - from;
  if (length < 2 * LEVEL_MIN || length > TRIED_MAX) return false;
  const own = values.subarray(from, until);
  const average = averageOf(own);
  const sums = cumulated(own.map((value) => value - average));
  const squares = squaresOf(own);
  let [ofSplit, ofSegment] = [0, 0];
  for (let start = 0; start <= length - LEVEL_MIN; start++) {
    const last = Math.min(length, start + length - LEVEL_MIN);
    for (let end = start + LEVEL_MIN; end <= last; end++) {
      const inside = end - start;
      const sum = (sums[end] as number) - (sums[start] as number);
      const explained = (sum * sum * length) / (inside * (length - inside));
      if (start === 0 || end === length) ofSplit = Math.max(ofSplit, explained);
      else ofSegment = Math.max(ofSegment, explained);
    }
  }
  const isUnclear = (explained: number, chance: number): boolean => {
    const variance = Math.max((squares - explained) / (length - 2), varianceMin);
    return explained < (PLAINLY * studentT(chance, length - 2)) ** 2 * variance;
  };
  return (
    isUnclear(ofSplit, CANDIDATE_CHANCE) &&
    isUnclear(ofSegment, SEGMENT_CHANCE / segmentsOf(length))
  );
}

function segmentsOf(length: number): number {
  return (length * (length - 1)) / 2;
}

/** Removes the least clear candidate and evaluates its neighbours again, until all have at most `chanceMax` (Hunter [3]). Ascending. */
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

/** Length of a level to compare the last values with. */
const KNOWN_LEVEL = 5;

/** Evaluated again with each load test: one night in a thousand is wrong. */
const LAST_CHANCE = 0.001;

/** Start of the last two values if neither fits the level since `levelFrom`: a single value may be an outlier and is no change. */
export function lastUnlike(series: LevelSeries, levelFrom: number): ChangePoint | undefined {
  const until = series.values.length;
  const at = until - 2;
  if (at - levelFrom < KNOWN_LEVEL) return undefined;
  const level = series.values.slice(levelFrom, at);
  const average = averageOf(level);
  const [near = 0, far = 0] = series.values
    .slice(at)
    .toSorted((one, other) => Math.abs(one - average) - Math.abs(other - average));
  if (near - average > 0 !== far - average > 0) return undefined;
  const values = series.values.slice().fill(near, at);
  const split = { from: levelFrom, at, until };
  const chance = chanceOfSplit({ ...series, values }, split);
  return chance <= LAST_CHANCE ? { ...split, chance } : undefined;
}

/**
 * The best split of a part: the maximum of E-divisive's divergence of both halves [1, equations 5 and 6,
 * exponent 1]. Returns the index of the first value of the second half; `undefined` if the part is shorter than
 * two levels. Sources: docs/trend.md.
 */
export function bestSplit(values: Float64Array, { from, until }: Part): number | undefined {
  const length = until - from;
  const { toEarlier, toLater } = distancesOf(values, { from, until });
  let rightSum = toLater.reduce((sum, each) => sum + each, 0);
  const allSum = rightSum;
  let leftSum = 0;
  let [best, divergence]: [number | undefined, number] = [undefined, -Infinity];
  for (let left = 1; left <= length - LEVEL_MIN; left++) {
    leftSum += toEarlier[left - 1] as number;
    rightSum -= toLater[left - 1] as number;
    if (left < LEVEL_MIN) continue;
    const right = length - left;
    const within = (right / (left - 1)) * leftSum + (left / (right - 1)) * rightSum;
    const here = (2 / length) * (allSum - leftSum - rightSum - within);
    if (here > divergence) [best, divergence] = [from + left, here];
  }
  return best;
}

/** Sums of the distances of each value to those before it, and after it. */
function distancesOf(values: Float64Array, { from, until }: Part) {
  const length = until - from;
  const ascending = values.subarray(from, until).toSorted();
  const smallest = cumulated(ascending);
  const total = smallest[length] as number;
  const toEarlier = new Float64Array(length);
  const toLater = new Float64Array(length);
  // Of the values so far, by rank.
  const counts = new Float64Array(length + 1);
  const sums = new Float64Array(length + 1);
  let sumBefore = 0;
  for (let place = 0; place < length; place++) {
    const value = values[from + place] as number;
    const rank = lowerBound(ascending, value);
    const toAll = value * (2 * rank - length) - 2 * (smallest[rank] as number) + total;
    const [count, sum] = [sumBelow(counts, rank), sumBelow(sums, rank)];
    const toThese = value * (2 * count - place) - 2 * sum + sumBefore;
    toEarlier[place] = toThese;
    toLater[place] = toAll - toThese;
    addAt(counts, rank, 1);
    addAt(sums, rank, value);
    sumBefore += value;
  }
  return { toEarlier, toLater };
}

/** Sums of the first 0, 1, 2, ... values. */
export function cumulated(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let at = 0; at < values.length; at++) {
    sums[at + 1] = (sums[at] as number) + (values[at] as number);
  }
  return sums;
}

/** Sum of the first `count` elements of a Fenwick tree. */
function sumBelow(tree: Float64Array, count: number): number {
  let sum = 0;
  for (let node = count; node > 0; node &= node - 1) sum += tree[node] as number;
  return sum;
}

function addAt(tree: Float64Array, index: number, value: number): void {
  for (let node = index + 1; node < tree.length; node += node & -node) {
    tree[node] = (tree[node] as number) + value;
  }
}

interface Segment extends Part {
  /** Probability that noise makes any segment of the part so different. */
  readonly chance: number;
}

/**
 * The segment within a part that differs most from the rest (circular binary segmentation [4]): a change that
 * came and went, which no single split shows. It must be as clear without its most extreme value. `undefined` if
 * the part is shorter than three levels.
 */
export function bestSegment(series: LevelSeries, part: Part): Segment | undefined {
  const length = part.until - part.from;
  if (length < 3 * LEVEL_MIN) return undefined;
  // Deviations from the middle keep the digits of sums of squares.
  const own = series.values.slice(part.from, part.until);
  const average = averageOf(own);
  const deviations = own.map((value) => value - average);
  const squares = deviations.reduce((sum, each) => sum + each ** 2, 0);
  const { from, until } = mostDifferent(deviations);
  const inside = deviations.slice(from, until);
  const sum = inside.reduce((total, each) => total + each, 0);
  const extreme = inside.reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0);
  const whole = { length, sum: 0, squares, segment: { length: until - from, sum } };
  const without = {
    length: length - 1,
    sum: -extreme,
    squares: squares - extreme ** 2,
    segment: { length: until - from - 1, sum: sum - extreme },
  };
  const chance = Math.max(
    chanceOfSegment(whole, series.varianceMin),
    chanceOfSegment(without, series.varianceMin),
  );
  return {
    from: part.from + from,
    until: part.from + until,
    chance: Math.min(1, chance * segmentsOf(length)),
  };
}

/** Cumulative sums that are bounded together. */
interface Block extends Part {
  readonly min: number;
  readonly max: number;
}

const BLOCK = 32;

/** Maximum of the length-weighted deviation of the average; skips pairs of blocks that cannot have a better one. */
function mostDifferent(deviations: Float64Array): Part {
  const { length } = deviations;
  const sums = cumulated(deviations);
  const blocks = blocksOf(sums);
  const pairs = blocks.flatMap((first, index) =>
    blocks.slice(index).map((last) => ({ first, last, bound: boundOf(first, last, length) })),
  );
  const promising = pairs.reduce((most, each) => (each.bound > most.bound ? each : most));
  let best = { from: LEVEL_MIN, until: 2 * LEVEL_MIN };
  let most = -1;
  for (const { first, last, bound } of [promising, ...pairs]) {
    if (bound <= most) continue;
    for (let from = Math.max(first.from, LEVEL_MIN); from < first.until; from++) {
      const end = Math.min(last.until, length - LEVEL_MIN + 1);
      for (let until = Math.max(last.from, from + LEVEL_MIN); until < end; until++) {
        const inside = until - from;
        const sum = (sums[until] as number) - (sums[from] as number);
        const here = (sum * sum) / (inside * (length - inside));
        if (here > most) [best, most] = [{ from, until }, here];
      }
    }
  }
  return best;
}

function blocksOf(sums: Float64Array): readonly Block[] {
  const blocks = Math.ceil(sums.length / BLOCK);
  return Array.from({ length: blocks }, (_, index) => {
    const [from, until] = [index * BLOCK, Math.min((index + 1) * BLOCK, sums.length)];
    const own = sums.subarray(from, until);
    return { from, until, min: Math.min(...own), max: Math.max(...own) };
  });
}

/** At least the deviation of each segment from one block to the other. */
function boundOf(first: Block, last: Block, length: number): number {
  const shortest = Math.max(LEVEL_MIN, last.from - first.until + 1);
  const longest = Math.min(length - LEVEL_MIN, last.until - 1 - first.from);
  if (longest < shortest) return -Infinity;
  const sum = Math.max(last.max - first.min, first.max - last.min);
  const weight = Math.min(shortest * (length - shortest), longest * (length - longest));
  return (sum * sum) / weight;
}

interface Sums {
  readonly length: number;
  readonly sum: number;
  readonly squares: number;
  readonly segment: { readonly length: number; readonly sum: number };
}

/** Two-sided t test of a segment against the rest. */
function chanceOfSegment({ length, sum, squares, segment }: Sums, varianceMin: number): number {
  const average = sum / length;
  const surplus = segment.sum - segment.length * average;
  const explained = (surplus ** 2 * length) / (segment.length * (length - segment.length));
  const unexplained = Math.max(0, squares - sum * average - explained);
  const variance = Math.max(unexplained / (length - 2), varianceMin);
  if (surplus === 0) return 1;
  return chanceOfT(Math.sqrt(explained / variance), length - 2);
}
