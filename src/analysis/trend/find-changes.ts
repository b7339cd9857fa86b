import { Yielder } from "../../concurrency/yielder.ts";
import { averageOf, squaresOf } from "../../model/columns.ts";
import { type ChangePoint, findCandidates, keepClear, lastUnlike } from "./change-points.ts";
import { chanceOfSplit } from "./chance.ts";
import { TREND_FIGURES, type TrendFigure } from "../../api/trend.ts";
import {
  LEVEL_MIN,
  type LevelSeries,
  type LevelValues,
  type ScaledFigure,
  scaledFigure,
} from "./trend-figures.ts";

/** Changes of several figures this near to each other belong to one load test. */
const NEAR = 5;

/** Indexes into the series. */
export interface FoundChange {
  readonly figure: TrendFigure;
  /** The load test that brought it. */
  readonly at: number;
  /** Lengths of both levels; fewer than 3 after: provisional. */
  readonly loadTestsBefore: number;
  readonly loadTestsAfter: number;
  /** Averages of both levels, in the unit of the figure; geometric for counts and times. */
  readonly before: number;
  readonly after: number;
  readonly chance: number;
}

/** A figure follows another one of its endpoint if noise makes such a change anywhere in less than 1 of 20 cases. */
const FOLLOWING_CHANCE = 0.05;

/** Expected maximum share of false changes, of those that no other follows. */
const FALSE_SHARE = 0.01;

/** Runs on both sides of a change that is no longer new. */
const SETTLED = 14;

/** Calibrated with `npm run task test:accuracy -- trends`: with 3, three times as many histories of noise have a change at some time. */
const LOOKS_POWER = 4;

/**
 * Finds changes; the threshold depends on how many series were tested, how many changed, and how many runs have shown it. Sorted by endpoint,
 * figure and place.
 */
export async function findChanges(
  endpoints: readonly LevelValues[],
): Promise<readonly (readonly FoundChange[])[]> {
  const yielder = new Yielder();
  const searched: SearchedSeries[] = [];
  for (const [endpoint, values] of endpoints.entries()) {
    for (const figure of TREND_FIGURES) {
      searched.push({ endpoint, figure, ...searchSeries(scaledFigure(figure, values)) });
      if (yielder.isDue()) await yielder.next();
    }
  }
  const chances = searched.flatMap(({ clear }) => clear.map(chanceOverLooks));
  const tests = searched.reduce((sum, { clear }) => sum + Math.max(1, clear.length), 0);
  const limit = discoveryLimit(chances, tests, FALSE_SHARE);
  const found: FoundChange[][] = endpoints.map(() => []);
  for (const [endpoint, values] of endpoints.entries()) {
    const from = endpoint * TREND_FIGURES.length;
    const own = searched.slice(from, from + TREND_FIGURES.length);
    // Most endpoints.
    if (own.every(({ clear }) => clear.length === 0)) continue;
    const sure = own.map((each) => ({
      ...each,
      changes: each.clear.filter((point) => chanceOverLooks(point) <= limit),
    }));
    const changed = sure.map((each) => ({ ...each, changes: withFollowing(each, sure) }));
    // Response times move together; failures may change with another load test.
    const times = changed.filter(({ figure }) => figure !== "errRate");
    const located = new Map(
      locateChanges(times).map((changes, index) => [times[index]?.figure, changes]),
    );
    for (const { figure, series, changes } of changed) {
      const places = values[figure].flatMap((value, at) => (value === null ? [] : [at]));
      const foundChanges = located.get(figure) ?? changes;
      found[endpoint]?.push(
        ...foundChanges.map((each) => reportedOf(each, { figure, series, places })),
      );
    }
    if (yielder.isDue()) await yielder.next();
  }
  return found;
}

/** Whoever looks after every run gives noise many chances; most of them at the ends, where few runs decide. */
function chanceOverLooks({ from, at, until, chance }: ChangePoint): number {
  return chance * Math.max(1, SETTLED / Math.min(at - from, until - at)) ** LOOKS_POWER;
}

interface SureChanges extends SearchedSeries {
  readonly changes: readonly ChangePoint[];
}

/** With the changes that response times share with another figure of the endpoint. */
function withFollowing(
  { figure, series, clear, changes }: SureChanges,
  all: readonly SureChanges[],
): readonly ChangePoint[] {
  if (!isTime(figure)) return between(changes, series.values.length);
  const leading = all.flatMap((each) =>
    isTime(each.figure)
      ? each.changes.map((point) => ({ at: point.at, isUp: isUp(each.series, point) }))
      : [],
  );
  const kept = clear.filter(
    (point) =>
      changes.includes(point) ||
      leading.some(
        ({ at, isUp: goesUp }) => Math.abs(at - point.at) <= NEAR && goesUp === isUp(series, point),
      ),
  );
  return between(kept, series.values.length);
}

function isTime(figure: TrendFigure): boolean {
  return figure !== "count" && figure !== "errRate";
}

interface SearchedSeries extends ReturnType<typeof searchSeries> {
  readonly endpoint: number;
  readonly figure: TrendFigure;
}

function searchSeries(series: ScaledFigure) {
  const candidates = findCandidates(series);
  return { series, clear: changesWithin(series, candidates) };
}

/** Changes that would follow others, and the possible start of another at the end. */
function changesWithin(
  series: ScaledFigure,
  candidates: readonly number[],
): readonly ChangePoint[] {
  const clear = keepClear(series, candidates, FOLLOWING_CHANCE);
  const end = withMeasuredEnd(series);
  const latest = clear.at(-1);
  const last = lastUnlike(end, latest?.at ?? 0) ?? nearerEnd(end, latest);
  if (last === undefined) return clear;
  return [...clear.filter(({ at }) => at <= last.from), last];
}

/** The change one load test later, if the shortest level at the end is clearer without its first one. */
function nearerEnd(end: ScaledFigure, latest: ChangePoint | undefined): ChangePoint | undefined {
  if (latest === undefined || latest.until - latest.at > LEVEL_MIN) return undefined;
  const later = lastUnlike(end, latest.from);
  if (later === undefined) return undefined;
  return chanceOfSplit(end, later) < chanceOfSplit(end, latest) ? later : undefined;
}

/** Values at the end are not pulled in: only later ones tell outliers. */
function withMeasuredEnd({ values, measured, ...others }: ScaledFigure): ScaledFigure {
  const end = Math.max(0, values.length - LEVEL_MIN + 1);
  const ended = values.slice();
  ended.set(measured.subarray(end), end);
  return { values: ended, measured, ...others };
}

interface SearchedFigure {
  readonly figure: TrendFigure;
  readonly series: ScaledFigure;
  /** Load test of each value: some lack the endpoint. */
  readonly places: readonly number[];
}

function reportedOf(
  { from, at, until, chance }: ChangePoint,
  { figure, series, places }: SearchedFigure,
): FoundChange {
  const { values } = until - at < LEVEL_MIN ? withMeasuredEnd(series) : series;
  const average = (first: number, end: number) => {
    const sum = values.slice(first, end).reduce((total, each) => total + each, 0);
    return series.unscaled(sum / (end - first));
  };
  return {
    figure,
    at: places[at] as number,
    loadTestsBefore: at - from,
    loadTestsAfter: until - at,
    before: average(from, at),
    after: average(at, until),
    chance,
  };
}

/**
 * Threshold of the step-up procedure of Benjamini and Hochberg [6]: of the results below it, at most the share
 * `rate` is expected to be false. `tests` counts all tests. 0 if none passes.
 */
export function discoveryLimit(chances: readonly number[], tests: number, rate: number): number {
  const ascending = chances.toSorted((left, right) => left - right);
  const limits = ascending.map((_, index) => (rate * (index + 1)) / tests);
  const counted = ascending.findLastIndex((chance, index) => chance <= (limits[index] as number));
  return limits[counted] ?? 0;
}

interface ChangedSeries {
  readonly series: LevelSeries;
  readonly changes: readonly ChangePoint[];
}

/** Assigns change points to load tests: nearby ones in one direction belong to the same. All series cover the same load tests. */
function locateChanges(figures: readonly ChangedSeries[]): readonly (readonly ChangePoint[])[] {
  const all = figures.flatMap(({ series, changes }, figure) =>
    changes
      .filter(({ at, until }) => until - at >= LEVEL_MIN)
      .map((point) => ({ figure, series, point, isUp: isUp(series, point) })),
  );
  const places = new Map<ChangePoint, number>();
  let left = all.toSorted((one, other) => one.point.at - other.point.at);
  for (let [first] = left; first !== undefined; [first] = left) {
    const { at, isUp: goesUp } = { ...first.point, isUp: first.isUp };
    const near = left.filter((each) => each.point.at <= at + NEAR && each.isUp === goesUp);
    const group = [...new Map(near.toReversed().map((each) => [each.figure, each])).values()];
    const place = bestPlace(group);
    for (const { point } of group) places.set(point, place);
    left = left.filter((each) => !group.includes(each));
  }
  return figures.map(({ series, changes }) =>
    between(
      changes.map((point) => ({ ...point, at: places.get(point) ?? point.at })),
      series.values.length,
    ),
  );
}

interface LocatedChange extends Pick<ChangedSeries, "series"> {
  readonly point: ChangePoint;
}

/** The place where two levels explain most of all series, each by its own noise. */
function bestPlace(group: readonly LocatedChange[]): number {
  const own = group.map(({ point }) => point.at);
  const from = Math.max(
    Math.min(...own) - NEAR,
    ...group.map(({ point }) => point.from + LEVEL_MIN),
  );
  const until = Math.min(
    Math.max(...own) + NEAR,
    ...group.map(({ point }) => point.until - LEVEL_MIN),
  );
  let [best, most] = [own[0] ?? from, -Infinity];
  for (let at = from; at <= until; at++) {
    const explained = group.reduce((sum, each) => sum + explainedAt(each, at), 0);
    if (explained > most) [best, most] = [at, explained];
  }
  return best;
}

/** Squares explained by two levels, relative to the variance left at the change point. */
function explainedAt({ series, point }: LocatedChange, at: number): number {
  const { values, varianceMin } = series;
  const squaresAt = (place: number): number =>
    squaresOf(values.subarray(point.from, place)) + squaresOf(values.subarray(place, point.until));
  const variance = squaresAt(point.at) / (point.until - point.from - 2);
  return -squaresAt(at) / Math.max(variance, varianceMin);
}

function isUp({ values }: LevelSeries, { from, at, until }: ChangePoint): boolean {
  return averageOf(values.subarray(at, until)) > averageOf(values.subarray(from, at));
}

/** Each from the previous change to the next one. */
function between(points: readonly ChangePoint[], length: number): readonly ChangePoint[] {
  return points.map((point, index) => ({
    ...point,
    from: points[index - 1]?.at ?? 0,
    until: points[index + 1]?.at ?? length,
  }));
}
