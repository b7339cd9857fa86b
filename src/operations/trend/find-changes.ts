import { TimeSlice } from "../time-slice.ts";
import { type ChangePoint, findCandidates, keepClear, lastUnlike } from "./change-points.ts";
import { discoveryLimit } from "./false-discoveries.ts";
import { LEVEL_MIN } from "./levels.ts";
import {
  type ScaledFigure,
  scaledFigure,
  TREND_FIGURES,
  type TrendFigure,
  type TrendValues,
} from "./trend-figures.ts";

/** A figure that has another level from a load test on. Indexes are those of the series. */
export interface FoundChange {
  readonly figure: TrendFigure;
  /** The load test that brought it. */
  readonly at: number;
  /** How many load tests have the level before, and the level after; less than 3 after: so far. */
  readonly loadTestsBefore: number;
  readonly loadTestsAfter: number;
  /** Averages of both levels, in the unit of the figure: of counts and times geometric ones. */
  readonly before: number;
  readonly after: number;
  /** See `ChangePoint.chance`. */
  readonly chance: number;
}

/** Of the changes that are told together so large a share is expected to be false at most. */
const FALSE_SHARE = 0.05;

/**
 * The changes of several endpoints, each by its place in `endpoints`, told together: what counts as clear
 * depends on how many series were looked at and how many have changed. By endpoint, figure and place.
 */
export async function findChanges(
  endpoints: readonly TrendValues[],
): Promise<readonly (readonly FoundChange[])[]> {
  const slice = new TimeSlice();
  const searched: SearchedSeries[] = [];
  for (const [endpoint, values] of endpoints.entries()) {
    for (const figure of TREND_FIGURES) {
      searched.push({ endpoint, figure, ...searchSeries(scaledFigure(figure, values)) });
      if (slice.isOver()) await slice.next();
    }
  }
  const chances = searched.flatMap(({ clear }) => clear.map(({ chance }) => chance));
  const tests = searched.reduce((sum, { clear }) => sum + Math.max(1, clear.length), 0);
  const limit = discoveryLimit(chances, tests, FALSE_SHARE);
  const found: FoundChange[][] = endpoints.map(() => []);
  for (const { endpoint, figure, series, candidates } of searched) {
    const values = (endpoints[endpoint] as TrendValues)[figure];
    const changes = changesWithin(series, candidates, limit);
    const places = values.flatMap((value, index) => (value === undefined ? [] : [index]));
    found[endpoint]?.push(...changes.map((each) => toldOf(each, { figure, series, places })));
    if (slice.isOver()) await slice.next();
  }
  return found;
}

interface SearchedSeries extends ReturnType<typeof searchSeries> {
  readonly endpoint: number;
  readonly figure: TrendFigure;
}

function searchSeries(series: ScaledFigure) {
  const candidates = findCandidates(series);
  return { series, candidates, clear: changesWithin(series, candidates, FALSE_SHARE) };
}

/** What is as clear as `limit` or more, and, if its last values are, the begin of what may be another. */
function changesWithin(
  series: ScaledFigure,
  candidates: readonly number[],
  limit: number,
): readonly ChangePoint[] {
  const clear = keepClear(series, candidates, limit);
  const last = lastUnlike(withMeasuredEnd(series), clear.at(-1)?.at ?? 0);
  return last !== undefined && last.chance <= limit ? [...clear, last] : clear;
}

/** Values at the end count as they are: whether they are outliers only what follows can tell. */
function withMeasuredEnd({ values, measured, ...others }: ScaledFigure): ScaledFigure {
  const end = Math.max(0, values.length - LEVEL_MIN + 1);
  const ended = Float64Array.of(...values.slice(0, end), ...measured.slice(end));
  return { values: ended, measured, ...others };
}

interface SearchedFigure {
  readonly figure: TrendFigure;
  readonly series: ScaledFigure;
  /** Of each of its values, the load test: some may lack the endpoint. */
  readonly places: readonly number[];
}

function toldOf(
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
