/** Seconds in which a load generator sent less than before because it waited: coordinated omission. */

import { Yielder } from "../../concurrency/yielder.ts";
import { bucketFloor } from "../../model/buckets/bucket-layout.ts";
import { type SecondRange, lowerBound, medianOf } from "../../model/columns.ts";
import type { SeriesColumns, SumColumns } from "../../model/data-points.ts";

/** Seconds that tell what is usual, and how many of them it takes. */
export const BEFORE_SECONDS = 60;
const BEFORE_SECONDS_MIN = 10;

/** Shorter pauses are usual: a server collects garbage. What lasts longer is another load. */
const LULL_SECONDS_MIN = 3;
const LULL_SECONDS_MAX = 3600;

/** Of the requests that are usual. */
const SHARE_MAX = 0.5;

/** Requests that are missing: at least so many, and so many deviations of their number if they come at random. */
const MISSING_MIN = 10;
const DEVIATIONS_MIN = 4;

/** A range in which far fewer requests began than before. */
export interface Lull extends SecondRange {
  /** How many fewer began. */
  readonly missing: number;
  /** How many more than usual began after it, within as many seconds. */
  readonly surplus: number;
  /** Whether requests came again after it. */
  readonly isOver: boolean;
}

/** Yields the lulls in points of one second each, ascending. */
export async function* findLulls({ second, requests }: SumColumns): AsyncGenerator<Lull> {
  const yielder = new Yielder();
  const begun = new Begun(second, requests);
  const end = (second.at(-1) ?? 0) + 1;
  /** Where the present level of load begins. */
  let levelFrom = second[0] ?? 0;
  for (let from = levelFrom + BEFORE_SECONDS_MIN; from < end; from++) {
    if (yielder.isDue()) await yielder.next();
    const before = { from: Math.max(levelFrom, from - BEFORE_SECONDS), until: from };
    if (begun.within(before) === 0) {
      levelFrom = second[lowerBound(second, from)] ?? end;
      from = levelFrom + BEFORE_SECONDS_MIN - 1;
      continue;
    }
    const usual = begun.usualIfMore(before, from);
    const most = Math.min(end, from + LULL_SECONDS_MAX);
    const until = begun.endOfLull(from, most, usual);
    if (until - from < LULL_SECONDS_MIN) continue;
    levelFrom = until === most ? from : until;
    yield* begun.lullsIn({ from, until }, usual, { most, end });
    from = levelFrom + BEFORE_SECONDS_MIN;
  }
}

/** How many requests began. */
class Begun {
  readonly #second: Uint32Array;
  readonly #before: Float64Array;

  constructor(second: Uint32Array, requests: Float64Array) {
    this.#second = second;
    this.#before = new Float64Array(second.length + 1);
    for (const [point, count] of requests.entries()) {
      this.#before[point + 1] = (this.#before[point] as number) + count;
    }
  }

  within({ from, until }: SecondRange): number {
    return this.#upTo(until) - this.#upTo(from);
  }

  at(second: number): number {
    return this.within({ from: second, until: second + 1 });
  }

  /** The median of a second in `before`; 0 if no lull of some seconds can begin at `at`. */
  usualIfMore(before: SecondRange, at: number): number {
    const length = before.until - before.from;
    // A median is at most twice the average.
    const enough = (2 * SHARE_MAX * this.within(before)) / length;
    for (let next = at; next < at + LULL_SECONDS_MIN; next++) {
      if (this.at(next) >= enough) return 0;
    }
    const counts = Float64Array.from({ length }, (_, index) => this.at(before.from + index));
    return medianOf(counts) ?? 0;
  }

  /** At most `most`. */
  endOfLull(from: number, most: number, usual: number): number {
    let until = from;
    while (until < most && this.at(until) < usual * SHARE_MAX) until += 1;
    return until;
  }

  /** Returns one, or none if chance may explain it, or if it lasts up to `most` or longer but not to the end. */
  lullsIn(
    { from, until }: SecondRange,
    usual: number,
    { most, end }: { readonly most: number; readonly end: number },
  ): readonly Lull[] {
    if (until === most && until !== end) return [];
    const expected = usual * (until - from);
    // It begins and ends within a second.
    const [first = 0, last = 0] = [from - 1, until].map((at) => Math.max(0, usual - this.at(at)));
    const missing = expected - this.within({ from, until }) + first + last;
    if (missing < Math.max(MISSING_MIN, DEVIATIONS_MIN * Math.sqrt(expected))) return [];
    const surplus = this.within({ from: until, until: 2 * until - from }) - expected;
    return [{ from, until, missing, surplus, isOver: until !== end }];
  }

  #upTo(second: number): number {
    return this.#before[lowerBound(this.#second, second)] as number;
  }
}

/** Requests that are in flight in a lull, of those before. */
const WAITING_RATIO_MIN = 2;

/** How many more they are, of all that were in flight before. */
const WAITING_SHARE_MIN = 0.25;

/** One user who waits all the time, but for the seconds that are cut. */
const WAITING_MIN = 0.7;

export interface Waiting {
  readonly requests: number;
  /** How long a request took that was in flight at any time of the lull, on average. */
  readonly seconds: number;
}

/**
 * Returns what the load generator waited for in a lull; `undefined` if not clearly more requests were in flight than before.
 * The series begins `BEFORE_SECONDS` before the lull.
 */
export function waitingIn(
  { from, until }: SecondRange,
  series: SeriesColumns,
): Waiting | undefined {
  const first = from - BEFORE_SECONDS;
  /** Changes of the requests in flight during all of a second. */
  const changes = new Float64Array(until - first + 1);
  const long = [0, 0] as [seconds: number, squares: number];
  for (const { second, seconds, requests } of longRequests(series)) {
    const [begin, end] = [second + 1 - first, Math.floor(second + seconds) - first];
    if (begin >= Math.min(end, until - first)) continue;
    changes[begin] = (changes[begin] as number) + requests;
    const last = Math.min(end, until - first);
    changes[last] = (changes[last] as number) - requests;
    if (end <= BEFORE_SECONDS + 1) continue;
    long[0] += requests * seconds;
    long[1] += requests * seconds ** 2;
  }
  let inFlight = 0;
  const waiting = changes.map((change) => (inFlight += change));
  // A request that begins in the first second of the lull is in flight for all of the second one.
  const requests = averageWithin(waiting, BEFORE_SECONDS + 1, until - first);
  const usual = Math.max(
    averageWithin(waiting, 0, BEFORE_SECONDS),
    (waiting[BEFORE_SECONDS - 1] as number) / WAITING_RATIO_MIN,
  );
  const all = inFlightBefore(series, { from: first, until: from });
  const least = Math.max(WAITING_MIN, WAITING_SHARE_MIN * all);
  if (requests < WAITING_RATIO_MIN * usual || requests - usual < least) return undefined;
  return { requests, seconds: long[1] / long[0] };
}

function averageWithin(values: Float64Array, from: number, until: number): number {
  return values.subarray(from, until).reduce((sum, value) => sum + value, 0) / (until - from);
}

const MICROS_PER_SECOND = 1_000_000;

/** On average, by Little's law. */
function inFlightBefore({ second, elapsedMicros }: SeriesColumns, range: SecondRange): number {
  const [from, until] = [range.from, range.until].map((at) => lowerBound(second, at));
  const micros = elapsedMicros.subarray(from, until).reduce((sum, each) => sum + each, 0);
  return micros / MICROS_PER_SECOND / (range.until - Math.max(range.from, second[0] ?? 0));
}

/** Yields the requests of a second or more. */
function* longRequests(series: SeriesColumns) {
  const { second, bucketsFrom, bucket, bucketCount } = series;
  for (const [point, at] of second.entries()) {
    const end = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
      const seconds = bucketFloor(bucket[entry] as number) / MICROS_PER_SECOND;
      if (seconds >= 1) yield { second: at, seconds, requests: bucketCount[entry] as number };
    }
  }
}
