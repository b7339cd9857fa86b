/** Values of windows that begin one second after another. */

import { Yielder } from "../concurrency/yielder.ts";
import { BucketCounts } from "../model/buckets/bucket-counts.ts";
import type { SeriesColumns, SumColumns } from "../model/data-points.ts";
import { addExactly } from "../model/exact.ts";
import { bucketsWithMillisecond, exactTimesOf, rankOf, valueIn } from "../model/histogram.ts";
import type { SecondRange } from "../model/columns.ts";

const ADDED = [
  "requests",
  "failedRequests",
  "elapsedMicros",
  "failedElapsedMicros",
  "receivedBytes",
  "failedReceivedBytes",
  "untimedRequests",
] as const satisfies readonly (keyof SumColumns)[];

export interface SeriesValues {
  /** UNIX seconds at which points begin, ascending. */
  readonly second: Uint32Array;
  /** For each requested quantile its values in microseconds, one per point; NaN if unknown. */
  readonly quantileMicros: readonly Float64Array[];
  readonly sums: SumColumns;
  /** Windows that are not there since they begin or end within a point. @default none */
  readonly leftOut?: LeftOutWindows;
}

/** Windows that begin or end within a point of several seconds. */
interface LeftOutWindows {
  /** Ranges of their first seconds, ascending. */
  readonly windows: readonly SecondRange[];
  /** Points of the range that no other window holds. */
  readonly points: number;
}

/**
 * Returns the windows of `seconds` within `range` that hold a request of a series, at their first seconds. Yields to the event loop. Throws `sum-too-large`.
 */
export async function slidingWindows(
  columns: SeriesColumns,
  {
    seconds,
    range,
    quantiles,
  }: { seconds: number; range: SecondRange; quantiles: readonly number[] },
): Promise<SeriesValues> {
  const yielder = new Yielder();
  const window = new MovingWindow(columns, { hasQuantiles: quantiles.length > 0 });
  const starts: number[] = [];
  const leftOut: SecondRange[] = [];
  const sums = ADDED.map((): number[] => []);
  const found = quantiles.map((): number[] => []);
  for (let from = range.from; from + seconds <= range.until; from++) {
    if (yielder.isDue()) await yielder.next();
    window.moveTo({ from, until: from + seconds });
    if (window.cutsPoint) {
      addSecond(leftOut, from);
      continue;
    }
    if (window.isEmpty) {
      const next = window.next;
      if (next === undefined) break;
      // Loops add one.
      from = Math.max(from, next - seconds);
      continue;
    }
    starts.push(from);
    for (const [at, column] of sums.entries()) column.push(window.sums[at] as number);
    for (const [at, column] of found.entries()) column.push(window.quantile(quantiles[at] ?? 0));
  }
  const second = Uint32Array.from(starts);
  const added = Object.fromEntries(
    ADDED.map((name, at) => [name, Float64Array.from(sums[at] ?? [])]),
  ) as Record<(typeof ADDED)[number], Float64Array>;
  const windowSeconds = new Uint16Array(second.length).fill(seconds);
  const quantileMicros = found.map((column) => Float64Array.from(column));
  const values = { second, quantileMicros, sums: { second, ...added, windowSeconds } };
  if (leftOut.length === 0) return values;
  const points = pointsWithout({ second, seconds }, columns, range);
  return { ...values, leftOut: { windows: leftOut, points } };
}

function addSecond(ranges: SecondRange[], second: number): void {
  const last = ranges.at(-1)?.until === second ? ranges.pop() : undefined;
  ranges.push({ from: last?.from ?? second, until: second + 1 });
}

/** How many points within a range none of these windows holds. */
function pointsWithout(
  { second: starts, seconds }: { readonly second: Uint32Array; readonly seconds: number },
  { second, windowSeconds }: SeriesColumns,
  range: SecondRange,
): number {
  let [count, at] = [0, 0];
  for (const [point, from] of second.entries()) {
    const until = from + (windowSeconds?.[point] ?? 1);
    if (from < range.from || until > range.until) continue;
    while (at < starts.length && (starts[at] as number) <= from) at += 1;
    if (at === 0 || (starts[at - 1] as number) + seconds < until) count += 1;
  }
  return count;
}

/** The points of a series within a window that only moves on. */
class MovingWindow {
  readonly #columns: SeriesColumns;
  readonly #sum: WindowSum;
  /** Points `[from, until)` are in the window. */
  #from = 0;
  #until = 0;
  /** Ends of the points before the window and in it; they begin in order. */
  #endBefore = 0;
  #endWithin = 0;
  #range: SecondRange = { from: 0, until: 0 };
  /** Of the window; `undefined` until it is asked for. */
  #extremes: Extremes | undefined;

  constructor(columns: SeriesColumns, options: { readonly hasQuantiles: boolean }) {
    this.#columns = columns;
    this.#sum = new WindowSum(options);
  }

  get isEmpty(): boolean {
    return this.#from === this.#until;
  }

  get sums(): readonly number[] {
    return this.#sum.sums;
  }

  /** Where the next point begins. */
  get next(): number | undefined {
    return this.#columns.second[this.#until];
  }

  get cutsPoint(): boolean {
    return this.#endBefore > this.#range.from || this.#endWithin > this.#range.until;
  }

  moveTo(range: SecondRange): void {
    const { second } = this.#columns;
    this.#range = range;
    this.#extremes = undefined;
    for (; this.#until < second.length && (this.next ?? 0) < range.until; this.#until++) {
      this.#sum.change("add", this.#columns, this.#until);
      this.#endWithin = Math.max(this.#endWithin, this.#endOf(this.#until));
    }
    for (; this.#from < this.#until && (second[this.#from] ?? 0) < range.from; this.#from++) {
      this.#sum.change("remove", this.#columns, this.#from);
      this.#endBefore = Math.max(this.#endBefore, this.#endOf(this.#from));
    }
  }

  quantile(q: number): number {
    return this.#sum.quantile(q, () => (this.#extremes ??= this.#findExtremes()));
  }

  #findExtremes(): Extremes {
    let extremes = NO_EXTREMES;
    for (let point = this.#from; point < this.#until; point++) {
      extremes = withPoint(extremes, this.#columns, point);
    }
    return extremes;
  }

  #endOf(point: number): number {
    const { second, windowSeconds } = this.#columns;
    return (second[point] as number) + (windowSeconds?.[point] ?? 1);
  }
}

interface Extremes {
  readonly minMicros: number;
  readonly maxMicros: number;
}

const NO_EXTREMES: Extremes = { minMicros: Infinity, maxMicros: -Infinity };

function withPoint(extremes: Extremes, columns: SeriesColumns, point: number): Extremes {
  const [minMicros, maxMicros] = [columns.minMicros[point], columns.maxMicros[point]];
  const { minMicros: least, maxMicros: most } = extremes;
  if ((minMicros as number) >= least && (maxMicros as number) <= most) return extremes;
  return {
    minMicros: Math.min(least, minMicros as number),
    maxMicros: Math.max(most, maxMicros as number),
  };
}

const NOT_REACHED = { bucket: -1, seen: 0, before: 0 };

/** What points add up to that come and go. */
export class WindowSum {
  /** Of requests, failed ones, their times in microseconds, those of failed ones, bytes, those of failed ones, and untimed requests. */
  readonly sums = ADDED.map(() => 0);
  /** The bucket of the last rank, and the requests up to it and below it: higher ranks are found from there. */
  #reached = NOT_REACHED;
  /** Absent if no quantile will be asked for. */
  readonly #counts: BucketCounts | undefined;
  #distributed = 0;

  constructor({ hasQuantiles }: { readonly hasQuantiles: boolean }) {
    this.#counts = hasQuantiles ? new BucketCounts() : undefined;
  }

  /** Throws `sum-too-large`. */
  change(change: "add" | "remove", columns: SeriesColumns, point: number): void {
    const sign = change === "add" ? 1 : -1;
    this.#reached = NOT_REACHED;
    const { sums } = this;
    for (let at = 0; at < ADDED.length; at++) {
      const value = columns[ADDED[at] as (typeof ADDED)[number]]?.[point] ?? 0;
      if (value !== 0) sums[at] = addExactly(sums[at] as number, sign * value);
    }
    if (this.#counts === undefined) return;
    const [from, until] = [columns.bucketsFrom[point], columns.bucketsFrom[point + 1]];
    this.#distributed += sign * this.#counts[change](columns, from ?? 0, until ?? 0);
  }

  /** In microseconds; NaN if unknown. */
  quantile(q: number, extremesOf: () => Extremes): number {
    const [requests = 0, , elapsed = 0, failedElapsed = 0, , , untimed = 0] = this.sums;
    const timed = requests - untimed;
    const rank = rankOf(q, requests);
    const counts = this.#counts;
    if (counts === undefined || rank > timed || this.#distributed !== timed) return Number.NaN;
    const extremes = extremesOf();
    if (rank === 1) return extremes.minMicros;
    if (rank >= timed) return extremes.maxMicros;
    const times = exactTimesOf(extremes, [elapsed, failedElapsed], () =>
      counts.areAllIn(bucketsWithMillisecond()),
    );
    return valueIn(this.#bucketAt(counts, rank), times);
  }

  #bucketAt(counts: BucketCounts, rank: number): number {
    let { bucket, seen, before } = rank > this.#reached.before ? this.#reached : NOT_REACHED;
    while (seen < rank) {
      bucket = counts.next(bucket + 1);
      before = seen;
      seen += counts.of(bucket);
    }
    this.#reached = { bucket, seen, before };
    return bucket;
  }
}
