import type { ExponentialBuckets, HistogramData, MetricPoint } from "./metric-points.ts";

/** Totals of a series since `startNanos`. */
interface Totals extends Pick<HistogramData, "count" | "buckets"> {
  readonly startNanos: bigint;
  readonly timeNanos: bigint;
  /** Of a sum its value. */
  readonly sum: number | undefined;
}

/** What was added to a series since the point before. */
export interface Increase extends Pick<HistogramData, "count" | "sum" | "buckets"> {
  /** Since when; 0: unknown. */
  readonly sinceNanos: bigint;
}

/** Series remembered per load test; a further one begins again with its next point. */
const SERIES_MAX = 10_000;

/** Turns totals that count from a start on into increases, by series. */
export class CumulativeSeries {
  readonly #isFromBeginning: boolean;
  readonly #totals: Map<string, Totals>;
  /** Latest time of the first body: series that start later were never counted before. */
  readonly #knownSinceNanos: bigint | undefined;
  #latestNanos: bigint;

  /** `isFromBeginning`: nothing was counted of the load test before. `before`: what is gone on with. */
  constructor(isFromBeginning: boolean, before?: CumulativeSeries) {
    this.#isFromBeginning = isFromBeginning;
    this.#totals = new Map(before === undefined ? [] : before.#totals);
    this.#latestNanos = before === undefined ? 0n : before.#latestNanos;
    if (before === undefined || before.#latestNanos === 0n) return;
    this.#knownSinceNanos = before.#knownSinceNanos ?? before.#latestNanos;
  }

  /** To be used for the next body, and instead of this once its increases are stored. */
  next(): CumulativeSeries {
    return new CumulativeSeries(this.#isFromBeginning, this);
  }

  /**
   * Returns what the point adds; `first` if it is not known what came before, `repeated` if the point came before. `isOfTool`: of a load tool, which begins with
   * the load test.
   */
  advance(
    point: MetricPoint,
    totals: Omit<Totals, "startNanos" | "timeNanos">,
    isOfTool: boolean,
  ): Increase | "first" | "repeated" {
    const { startNanos, timeNanos } = point;
    const key = keyOf(point);
    const before = this.#totals.get(key);
    if (before !== undefined && timeNanos <= before.timeNanos) return "repeated";
    if (before === undefined && this.#totals.size >= SERIES_MAX) return "first";
    this.#totals.set(key, { ...totals, startNanos, timeNanos });
    if (timeNanos > this.#latestNanos) this.#latestNanos = timeNanos;
    if (before !== undefined) return increaseSince(before, { ...totals, startNanos });
    const since = this.#knownSinceNanos;
    const hasStarted = since !== undefined && startNanos >= since;
    const isWhole = hasStarted || (isOfTool && this.#isFromBeginning);
    return isWhole ? { ...totals, sinceNanos: startNanos } : "first";
  }
}

function increaseSince(before: Totals, now: Omit<Totals, "timeNanos">): Increase {
  const { startNanos, count, buckets } = now;
  // A start that moves while the totals go on is an inexact clock.
  if (startNanos > before.startNanos && startNanos >= before.timeNanos) {
    return { ...now, sinceNanos: startNanos };
  }
  const isKnown = now.sum !== undefined && before.sum !== undefined;
  const sum = isKnown ? now.sum - before.sum : undefined;
  const sinceNanos = before.timeNanos;
  const hasFallen = count < before.count || (count === 0 && (sum ?? 0) < 0);
  // A total that fell began again, whatever its start says.
  if (hasFallen) return { ...now, sinceNanos };
  return {
    count: count - before.count,
    sum,
    buckets: bucketsSince(buckets, before.buckets),
    sinceNanos,
  };
}

function keyOf({ origin, name, unit, tags = [] }: MetricPoint): string {
  return JSON.stringify([origin.process, origin.scope, name, unit, tags]);
}

function bucketsSince(
  now: ExponentialBuckets | undefined,
  before: ExponentialBuckets | undefined,
): ExponentialBuckets | undefined {
  if (now === undefined || before === undefined || before.scale < now.scale) return undefined;
  const shift = before.scale - now.scale;
  return {
    scale: now.scale,
    zeroCount: now.zeroCount - before.zeroCount,
    positive: countsSince(now.positive, before.positive, shift),
    negative: countsSince(now.negative, before.negative, shift),
  };
}

/** The scale falls as the range of values grows: each step merges two buckets. */
function countsSince(
  now: ReadonlyMap<number, number>,
  before: ReadonlyMap<number, number>,
  shift: number,
): ReadonlyMap<number, number> {
  const counts = new Map(now);
  for (const [index, count] of before) {
    const merged = Math.floor(index / 2 ** shift);
    const rest = (counts.get(merged) ?? 0) - count;
    if (rest === 0) counts.delete(merged);
    else counts.set(merged, rest);
  }
  return counts;
}
