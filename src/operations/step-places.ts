import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";
import { type CountTable, tablesOf } from "./count-table.ts";
import { isSlower, SIDE_SECONDS, type Sureness } from "./find-step.ts";
import type { TimeSlice } from "./time-slice.ts";

/** What makes it worth a closer look: a step loses some of its height where it is seen in windows. */
const PERHAPS: Sureness = { requestsMin: 200, deviationsMin: 4, ratioMin: 1.25 };
/** So many places are looked at, those of the largest change. */
const PLACES_MAX = 20;

interface Place {
  readonly at: number;
  readonly ratio: number;
}

/**
 * Where in a series of windows there may be a step, at most a few windows each: from the first second
 * at which it may be to the one after the last.
 */
export async function stepPlaces(
  series: SumColumns & DistributionColumns,
  windowSeconds: number,
  slice: TimeSlice,
): Promise<readonly SecondRange[]> {
  const places: Place[] = [];
  const reachSeconds = windowSeconds + Math.max(SIDE_SECONDS, windowSeconds);
  for (const { seconds, table } of tablesOf(series, reachSeconds)) {
    for (const second of seconds) {
      const place = placeAt(table, second, windowSeconds);
      if (place !== undefined) places.push(place);
      if (slice.isOver()) await slice.next();
    }
  }
  return largestApart(places, windowSeconds).map((at) => ({
    from: at - 2 * windowSeconds,
    until: at + windowSeconds,
  }));
}

/** The window before `at` is left out: the step may be anywhere in it. */
function placeAt(table: CountTable, at: number, windowSeconds: number): Place | undefined {
  const side = Math.max(SIDE_SECONDS, windowSeconds);
  const before = { from: at - windowSeconds - side, until: at - windowSeconds };
  const after = { from: at, until: at + side };
  if (!isSlower(table, before, after, PERHAPS)) return undefined;
  const ratio = table.quantileMicros(after, 0.95) / Math.max(1, table.quantileMicros(before, 0.95));
  return { at, ratio };
}

/** Those around a larger one are the same step. */
function largestApart(places: readonly Place[], windowSeconds: number): number[] {
  const chosen: number[] = [];
  for (const { at } of places.toSorted((left, right) => right.ratio - left.ratio)) {
    if (chosen.length === PLACES_MAX) break;
    if (chosen.every((other) => Math.abs(other - at) > windowSeconds)) chosen.push(at);
  }
  return chosen;
}
