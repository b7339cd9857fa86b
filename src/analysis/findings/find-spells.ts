/** Seconds in which requests take far longer than just before, and after which they do not: a server that stood still. */

import {
  lowerBound,
  medianOf,
  type SecondRange,
  sumOf,
  timedRequestsOf,
} from "../../model/columns.ts";
import type { SeriesColumns, SumColumns } from "../../model/data-points.ts";
import { CountTable } from "../../series/count-table.ts";
import { isExcess } from "./find-excess.ts";
import { SIDE_SECONDS } from "./find-step.ts";

/** Shorter pauses are usual: a server collects garbage. What lasts longer is a step. */
const SECONDS_MIN = 4;
const SECONDS_MAX = 2 * SIDE_SECONDS;

/** Of the average of a usual second: of a slow one, and of those that follow it. */
const RATIO_MIN = 3;
const RATIO_WITHIN_MIN = 2;

/** Seconds between slow ones, at most, and the share of slow ones. */
const GAP_SECONDS_MAX = 2;
const SLOW_SECONDS_SHARE_MIN = 0.8;

/** Seconds with requests before. */
const BEFORE_MIN = 10;

/** Of the average of nearly all ranges of the same length elsewhere: in a queue, slow seconds follow each other again and again. */
const RATIO_ELSEWHERE_MIN = 4;
const ELSEWHERE_SHARE = 0.97;

/** The longest: each is compared with the whole load test. */
const LOOKED_AT_MAX = 20;

/** On either side, where requests as slow must be rarer. */
const AROUND_SECONDS = 300;

/** Of the requests. */
const SLOW_SHARE_MIN = 0.3;

/** Returns ranges with such averages, the longest first. A few very slow requests may cause them: see `isSpell`. */
export function findSpells(sums: SumColumns): readonly SecondRange[] {
  const { second, elapsedMicros, windowSeconds } = sums;
  if (windowSeconds?.some((seconds) => seconds > 1)) return [];
  const timed = timedRequestsOf(sums);
  const averages = elapsedMicros.map((micros, point) => micros / (timed[point] as number));
  const usualOverall = medianOf(finiteOf(averages)) ?? Infinity;
  const usualBefore = openUsual(second, averages);
  const found: SecondRange[] = [];
  for (let point = BEFORE_MIN; point < second.length; point++) {
    const average = averages[point] as number;
    if (!(average >= (RATIO_MIN / 2) * usualOverall)) continue;
    const at = second[point] as number;
    const usual = Math.max(1, usualBefore(at));
    if (average < RATIO_MIN * usual) continue;
    const last = lastSlow(second, averages, point, RATIO_WITHIN_MIN * usual);
    const range = { from: at, until: (second[last.point] as number) + 1 };
    const seconds = range.until - range.from;
    const isLong = seconds >= SECONDS_MIN && seconds <= SECONDS_MAX;
    if (isLong && last.slow >= SLOW_SECONDS_SHARE_MIN * (last.point - point + 1)) found.push(range);
    point = last.point;
  }
  const longest = found
    .toSorted((one, other) => other.until - other.from - (one.until - one.from))
    .slice(0, LOOKED_AT_MAX);
  return outstanding(longest, sums, timed);
}

/** Those slower than nearly all ranges of the same length that overlap none of them. */
function outstanding(
  spells: readonly SecondRange[],
  { second, elapsedMicros }: SumColumns,
  timed: Float64Array,
): readonly SecondRange[] {
  const averageWithin = ({ from, until }: SecondRange): number => {
    const [first, end] = [lowerBound(second, from), lowerBound(second, until)];
    return sumOf(elapsedMicros, first, end) / sumOf(timed, first, end);
  };
  const [begin, end] = [second[0] ?? 0, (second.at(-1) ?? 0) + 1];
  return spells.filter((spell) => {
    const length = spell.until - spell.from;
    const others: number[] = [];
    for (let point = 0; point < second.length;) {
      // Only where there are points: a wrong clock may leave decades between two.
      const at = second[point] as number;
      const from = at - ((at - begin) % length);
      point = lowerBound(second, from + length, { from: point, until: second.length });
      // Right after it, requests may still wait.
      const isNear = from < spell.until + length && spell.from < from + length;
      if (isNear || from + length > end) continue;
      const average = averageWithin({ from, until: from + length });
      if (Number.isFinite(average)) others.push(average);
    }
    const most = others.toSorted((left, right) => left - right)[
      Math.ceil(ELSEWHERE_SHARE * others.length) - 1
    ];
    return most !== undefined && averageWithin(spell) >= RATIO_ELSEWHERE_MIN * most;
  });
}

/** How often the median of the minute before is computed anew. */
const USUAL_FOR_SECONDS = 15;

/** Returns the median of the averages of about a minute before a second; infinite if they are too few. Ask in ascending order. */
function openUsual(second: Uint32Array, averages: Float64Array): (at: number) => number {
  let [since, usual] = [-Infinity, Infinity];
  return (at) => {
    if (at - since < USUAL_FOR_SECONDS) return usual;
    const [from, until] = [lowerBound(second, at - SIDE_SECONDS), lowerBound(second, at)];
    const before = finiteOf(averages.subarray(from, until));
    usual = before.length < BEFORE_MIN ? Infinity : (medianOf(before) ?? Infinity);
    since = at;
    return usual;
  };
}

/** In a tenth of the time of `filter`. */
function finiteOf(values: Float64Array): Float64Array {
  const finite = new Float64Array(values.length);
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (Number.isFinite(value)) finite[count++] = value;
  }
  return finite.subarray(0, count);
}

function lastSlow(
  second: Uint32Array,
  averages: Float64Array,
  first: number,
  slowMicros: number,
): { readonly point: number; readonly slow: number } {
  let [last, slow] = [first, 1];
  for (let point = first + 1; point < second.length; point++) {
    if ((second[point] as number) - (second[last] as number) > GAP_SECONDS_MAX + 1) break;
    if ((averages[point] as number) < slowMicros) continue;
    last = point;
    slow += 1;
  }
  return { point: last, slow };
}

/** The seconds that tell whether a range is a spell. */
export function aroundSpell({ from, until }: SecondRange): SecondRange {
  return { from: Math.max(0, from - AROUND_SECONDS), until: until + AROUND_SECONDS };
}

/** Whether far more requests are slow than in `aroundSpell`. */
export function isSpell(series: SeriesColumns, range: SecondRange): boolean {
  const { second, requests } = series;
  const table = new CountTable(series);
  const before = { from: range.from - SIDE_SECONDS, until: range.from };
  if (table.requests(before) === 0 || table.requests(range) === 0) return false;
  const slowMicros = RATIO_MIN * Math.max(1, table.quantileMicros(before, 0.5));
  const [from, until] = [lowerBound(second, range.from), lowerBound(second, range.until)];
  const within = {
    marks: table.requestsAbove(range, slowMicros),
    requests: sumOf(requests, from, until),
  };
  const around = aroundSpell(range);
  const elsewhere = {
    marks: table.requestsAbove(around, slowMicros) - within.marks,
    requests: sumOf(requests) - within.requests,
  };
  return within.marks >= SLOW_SHARE_MIN * within.requests && isExcess(within, elsewhere);
}
