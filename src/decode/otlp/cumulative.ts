import { createHash } from "node:crypto";
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

/** Of many series those without a point for this long are gone, such as those of processes that ended. */
const GONE_NANOS = 3_600_000_000_000n;

/** 132 bits of a digest: the attributes of a process can be long. */
const KEY_LENGTH = 22;

interface SeriesState {
  /** By series. */
  readonly totals: ReadonlyMap<string, Totals>;
  readonly latestNanos: bigint;
  readonly knownSinceNanos: bigint | undefined;
}

const NOTHING: SeriesState = { totals: new Map(), latestNanos: 0n, knownSinceNanos: undefined };

/** Changes with what `write` writes. */
const FORM = "totals 1";

/** Turns totals that count from a start on into increases, by series. */
export class CumulativeSeries {
  readonly #isFromBeginning: boolean;
  readonly #totals: Map<string, Totals>;
  /** Latest time of the first body: series that start later were never counted before. */
  readonly #knownSinceNanos: bigint | undefined;
  #latestNanos: bigint;

  /** Whether totals have changed since the body before. */
  hasChanged = false;

  /** `isFromBeginning`: nothing was counted of the load test before. */
  constructor(isFromBeginning: boolean, before: SeriesState = NOTHING) {
    this.#isFromBeginning = isFromBeginning;
    const { totals, latestNanos, knownSinceNanos } = before;
    const isMany = totals.size > SERIES_MAX / 2;
    this.#totals = new Map(
      isMany ? [...totals].filter(([, each]) => latestNanos - each.timeNanos < GONE_NANOS) : totals,
    );
    this.#latestNanos = latestNanos;
    if (latestNanos > 0n) this.#knownSinceNanos = knownSinceNanos ?? latestNanos;
  }

  /** To be used for the next body, and instead of this once its increases are stored. */
  next(): CumulativeSeries {
    return new CumulativeSeries(this.#isFromBeginning, this.#state);
  }

  /** For `read`, in another process. */
  write(): string {
    return JSON.stringify([FORM, this.#isFromBeginning, this.#state], (_, value: unknown) => {
      if (typeof value === "bigint") return { nanos: String(value) };
      // Infinite sums become unknown.
      if (typeof value === "number" && !Number.isFinite(value)) return undefined;
      return value instanceof Map ? { map: [...value] } : value;
    });
  }

  /** Returns what `write` wrote; `undefined` if another version did. */
  static read(text: string): CumulativeSeries | undefined {
    const [form, isFromBeginning, state] = JSON.parse(text, (_, value: unknown) => {
      if (typeof value !== "object" || value === null) return value;
      const { nanos, map } = value as { nanos?: string; map?: unknown };
      if (typeof nanos === "string") return BigInt(nanos);
      return Array.isArray(map) ? new Map(map as [unknown, unknown][]) : value;
    }) as [string, boolean, SeriesState];
    return form === FORM ? new CumulativeSeries(isFromBeginning, state) : undefined;
  }

  get #state(): SeriesState {
    return {
      totals: this.#totals,
      latestNanos: this.#latestNanos,
      knownSinceNanos: this.#knownSinceNanos,
    };
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
    this.hasChanged = true;
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
  const key = JSON.stringify([origin.process, origin.scope, name, unit, tags]);
  return createHash("sha256").update(key).digest("base64url").slice(0, KEY_LENGTH);
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
