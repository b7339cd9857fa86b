import type { ExponentialBuckets, HistogramData, MetricPoint } from "./metric-points.ts";
import { SharedDigests } from "./shared-digests.ts";

/** Totals of a series since `startNanos`. */
interface Totals extends Pick<HistogramData, "count" | "buckets"> {
  readonly startNanos: bigint;
  readonly latestNanos: bigint;
  /** Of a sum its value. */
  readonly sum: number | undefined;
}

/** What was added to a series since the point before. */
export interface Increase extends Pick<HistogramData, "count" | "sum" | "buckets"> {
  /** Since when; 0: unknown. */
  readonly sinceNanos: bigint;
}

/** Totals remembered per load test: of further ones, no increase is known. */
export const TOTALS_MAX = 10_000;

const TOTAL_BYTES = 500;

/** Of one series, those that began at different times: each point looks at all of them. */
const TOTALS_OF_SERIES_MAX = 1000;

/** Buckets of all totals that are remembered: of further histograms, the increases have no percentiles. */
const BUCKETS_KEPT_MAX = 200_000;

const BUCKET_BYTES = 50;

/** Of many totals those without a point for this long are gone, such as those of processes that ended. */
const GONE_NANOS = 3_600_000_000_000n;

/** Totals of one series that others followed: older ones are forgotten. */
const FOLLOWED_KEPT = 4;

/** How long a process is silent that is taken to be over once another has begun. */
const SILENT_NANOS = 600_000_000_000n;

/** 132 bits of a digest: the attributes of a process can be long. */
const KEY_LENGTH = 22;

/** What is known of a series: a total for each start, as several processes may send it under the same attributes. */
interface Series {
  readonly totals: readonly Totals[];
  /** The latest time of totals that are no longer known; 0: none. */
  readonly forgottenNanos: bigint;
}

interface SeriesState {
  readonly series: ReadonlyMap<string, Series>;
  /** By the attributes of the process. */
  readonly exporters: ReadonlyMap<string, readonly Exporter[]>;
  readonly latestNanos: bigint;
  readonly knownSinceNanos: bigint | undefined;
}

const NOTHING: SeriesState = {
  series: new Map(),
  exporters: new Map(),
  latestNanos: 0n,
  knownSinceNanos: undefined,
};

/** Changes with what `write` writes. */
const FORM = "totals 2";

/** Turns totals that count from a start on into increases, by series and start. */
export class CumulativeSeries {
  readonly #isFromBeginning: boolean;
  readonly #series: Map<string, Series>;
  readonly #exporters: Map<string, readonly Exporter[]>;
  /** Latest time of the first body: series that start later were never counted before. */
  readonly #knownSinceNanos: bigint | undefined;
  #latestNanos: bigint;
  #count: number;
  #buckets: number;
  /** Sources of the increases of this body, by series. */
  readonly #increased = new Map<string, string | undefined>();

  /** Whether totals have changed since the body before. */
  hasChanged = false;

  /** `isFromBeginning`: nothing was counted of the load test before. */
  constructor(isFromBeginning: boolean, before: SeriesState = NOTHING) {
    this.#isFromBeginning = isFromBeginning;
    const { series, exporters, latestNanos, knownSinceNanos } = before;
    const isMany = Math.max(countOf(series), exporters.size) > TOTALS_MAX / 2;
    const isAlive = (each: Pick<Exporter, "latestNanos">): boolean =>
      latestNanos - each.latestNanos < GONE_NANOS;
    this.#series = new Map(
      isMany ? [...series].filter(([, { totals }]) => totals.some(isAlive)) : series,
    );
    this.#exporters = new Map(
      isMany ? [...exporters].filter(([, each]) => each.some(isAlive)) : exporters,
    );
    this.#count = countOf(this.#series);
    this.#buckets = this.#series.values().reduce((sum, { totals }) => sum + bucketsIn(totals), 0);
    this.#latestNanos = latestNanos;
    if (latestNanos > 0n) this.#knownSinceNanos = knownSinceNanos ?? latestNanos;
  }

  /** Roughly, in memory. */
  get bytes(): number {
    const totals = this.#count + this.#exporters.size;
    return totals * TOTAL_BYTES + this.#buckets * BUCKET_BYTES;
  }

  /** To be used for the next body, and instead of this once its increases are stored. */
  next(): CumulativeSeries {
    return new CumulativeSeries(this.#isFromBeginning, this.#state);
  }

  /** To be used instead of `before` if only these sources have stored their increases: the next totals of the others include them. */
  ofStored(before: CumulativeSeries, sourceIds: ReadonlySet<string>): CumulativeSeries {
    const series = new Map(this.#series);
    for (const [key, sourceId] of this.#increased) {
      if (sourceId === undefined || sourceIds.has(sourceId)) continue;
      const known = before.#series.get(key);
      if (known === undefined) series.delete(key);
      else series.set(key, known);
    }
    return new CumulativeSeries(this.#isFromBeginning, { ...this.#state, series });
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

  /** With what another process wrote of the same load test: of each total, the later one. */
  joined(text: string): CumulativeSeries {
    const read = CumulativeSeries.read(text);
    if (read === undefined) return this;
    const { series, exporters, ...other } = read.#state;
    const since = [this.#knownSinceNanos, other.knownSinceNanos].filter(
      (each) => each !== undefined,
    );
    return new CumulativeSeries(this.#isFromBeginning, {
      series: joinedMap(this.#series, series, (one, another) => ({
        totals: latestByStart([...one.totals, ...another.totals]),
        forgottenNanos: maxOf(one.forgottenNanos, another.forgottenNanos),
      })),
      exporters: joinedMap(this.#exporters, exporters, (one, another) =>
        latestByStart([...one, ...another]),
      ),
      latestNanos: maxOf(this.#latestNanos, other.latestNanos),
      knownSinceNanos: since.toSorted((left, right) => Number(left - right))[0],
    });
  }

  get #state(): SeriesState {
    return {
      series: this.#series,
      exporters: this.#exporters,
      latestNanos: this.#latestNanos,
      knownSinceNanos: this.#knownSinceNanos,
    };
  }

  /**
   * Returns what the point adds; `first` if it is not known what came before, `repeated` if the point came before, `full` if there is no room to
   * remember it. `isOfTool`: of a load tool, which begins with the load test. `sourceId`: of what stores the increase.
   */
  advance(
    point: MetricPoint,
    totals: Omit<Totals, "startNanos" | "latestNanos">,
    isOfTool: boolean,
    sourceId?: string,
  ): Increase | "first" | "repeated" | "full" {
    const { startNanos, timeNanos } = point;
    const exportedBefore = this.noteExport(point);
    const { origin, name, unit, tags } = point;
    const key = keyOf(ofSeries, [origin.process, origin.scope, name, unit, tags]);
    const known = this.#series.get(key) ?? { totals: [], forgottenNanos: 0n };
    const before = known.totals.find((each) => isSameStart(each.startNanos, startNanos));
    if (timeNanos <= (before?.latestNanos ?? known.forgottenNanos)) return "repeated";
    if (before === undefined && this.#isFull(known)) return "full";
    const now = { ...totals, startNanos, latestNanos: timeNanos };
    this.#keep(key, known, before, { ...point, now });
    this.hasChanged = true;
    // Exporters send all series each time: one that is unknown was 0 in the export before.
    const wholeSince = this.#wholeSince(point, known, isOfTool) ?? exportedBefore;
    const sinceNanos = before?.latestNanos ?? wholeSince;
    if (sinceNanos === undefined) return "first";
    this.#increased.set(key, sourceId);
    return before === undefined
      ? { ...totals, sinceNanos }
      : increaseSince(before, now, point.hasReset);
  }

  #isFull({ totals }: Series): boolean {
    return this.#count >= TOTALS_MAX || totals.length >= TOTALS_OF_SERIES_MAX;
  }

  /** Forgets totals that others followed: those of periods, and of processes that were silent for long. */
  #keep(
    key: string,
    { totals, forgottenNanos }: Series,
    before: Totals | undefined,
    { isWithin = false, now }: { readonly isWithin?: boolean; readonly now: Totals },
  ): void {
    const others = totals.filter((each) => each !== before);
    const isOver = ({ latestNanos }: Totals, place: number): boolean =>
      place < others.length - FOLLOWED_KEPT &&
      latestNanos <= now.startNanos &&
      (isWithin || now.latestNanos - latestNanos > SILENT_NANOS);
    const kept = others.filter((each, place) => !isOver(each, place));
    const left = others.filter(isOver);
    this.#count += kept.length + 1 - totals.length;
    this.#buckets += bucketsIn(kept) - bucketsIn(totals);
    const hasRoom = this.#buckets + bucketsIn([now]) <= BUCKETS_KEPT_MAX;
    const own = hasRoom ? now : { ...now, buckets: undefined };
    this.#buckets += bucketsIn([own]);
    this.#series.set(key, {
      totals: [...kept, own],
      forgottenNanos: latestOf(left, forgottenNanos) ?? 0n,
    });
  }

  /** When a new total began, if everything that it counts is of the load test. */
  #wholeSince(
    { startNanos, isWithin = false }: MetricPoint,
    { totals }: Series,
    isOfTool: boolean,
  ): bigint | undefined {
    const sinces = [this.#knownSinceNanos, latestOf(totals)];
    const hasStarted = sinces.some((since) => since !== undefined && startNanos >= since);
    const isWhole = isWithin || hasStarted || (isOfTool && this.#isFromBeginning);
    return isWhole ? startNanos : undefined;
  }

  /** Of any point: series that start after the first body were never counted before. */
  noteTime(timeNanos: bigint): void {
    if (timeNanos > this.#latestNanos) this.#latestNanos = timeNanos;
  }

  /** Returns when the process that sends the point, and says when it started, has exported before; `undefined` if it has not. */
  noteExport(point: MetricPoint): bigint | undefined {
    const { process } = point.origin;
    this.noteTime(point.timeNanos);
    if (point.startNanos === 0n) return undefined;
    const key = keyOf(ofProcesses, [process]);
    const known = this.#exporters.get(key);
    if (known === undefined && this.#exporters.size >= TOTALS_MAX) return undefined;
    const { all, exportedBefore } = noteExport(known ?? [], point);
    this.#exporters.set(key, all);
    return exportedBefore;
  }
}

function maxOf(left: bigint, right: bigint): bigint {
  return left < right ? right : left;
}

function joinedMap<Value>(
  one: ReadonlyMap<string, Value>,
  other: ReadonlyMap<string, Value>,
  join: (one: Value, other: Value) => Value,
): ReadonlyMap<string, Value> {
  const all = new Map(one);
  for (const [key, value] of other) {
    const own = all.get(key);
    all.set(key, own === undefined ? value : join(own, value));
  }
  return all;
}

/** The latest of each start, by time. */
function latestByStart<Each extends Pick<Exporter, "startNanos" | "latestNanos">>(
  all: readonly Each[],
): readonly Each[] {
  const ascending = all.toSorted((left, right) => Number(left.latestNanos - right.latestNanos));
  return ascending.filter(
    ({ startNanos }, at) =>
      !ascending.slice(at + 1).some((later) => isSameStart(later.startNanos, startNanos)),
  );
}

function countOf(series: ReadonlyMap<string, Series>): number {
  return series.values().reduce((sum, { totals }) => sum + totals.length, 0);
}

function bucketsIn(totals: readonly Totals[]): number {
  return totals.reduce((sum, { buckets }) => {
    return buckets === undefined ? sum : sum + buckets.positive.size + buckets.negative.size;
  }, 0);
}

function latestOf(totals: readonly Totals[], least?: bigint): bigint | undefined {
  return totals.reduce<bigint | undefined>(
    (latest, { latestNanos }) => (latestNanos > (latest ?? -1n) ? latestNanos : latest),
    least,
  );
}

function increaseSince(before: Totals, now: Totals, hasReset = false): Increase {
  const { count, buckets } = now;
  const isKnown = now.sum !== undefined && before.sum !== undefined;
  const sum = isKnown ? now.sum - before.sum : undefined;
  const sinceNanos = before.latestNanos;
  const grown = bucketsSince(buckets, before.buckets);
  const hasFallen =
    count < before.count || (count === 0 && (sum ?? 0) < 0) || (grown && haveFallen(grown));
  // A total that fell began again, whatever its start says.
  if (hasReset || hasFallen) return { count, sum: now.sum, buckets, sinceNanos };
  return { count: count - before.count, sum, buckets: grown, sinceNanos };
}

/** Whether buckets lost more than moved into the zero bucket, which widens when there are too many. */
function haveFallen({ zeroCount, positive, negative }: ExponentialBuckets): boolean {
  let rest = zeroCount;
  for (const counts of [positive, negative]) {
    for (const count of counts.values()) rest += Math.min(0, count);
  }
  return rest < 0;
}

/** Of all load tests, as each keeps the texts of the last point. */
const ofSeries = new SharedDigests();
const ofProcesses = new SharedDigests();

function keyOf(digests: SharedDigests, parts: readonly unknown[]): string {
  return digests.of(parts).slice(0, KEY_LENGTH);
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

/** Points of one export have times that differ by less. */
const EXPORT_NANOS = 500_000_000n;

/** Processes with the same attributes, and starts of one whose series start at different times. */
const STARTS_MAX = 20;

/** A process, by the start of its series. */
interface Exporter {
  readonly startNanos: bigint;
  readonly latestNanos: bigint;
  /** The time of the export before the latest one; 0: there was none. */
  readonly beforeNanos: bigint;
}

/** Notes a point of a process. Returns all starts of the process, and when this one has exported before. */
function noteExport(
  all: readonly Exporter[],
  { startNanos, timeNanos }: Pick<MetricPoint, "startNanos" | "timeNanos">,
): { readonly all: readonly Exporter[]; readonly exportedBefore: bigint | undefined } {
  const known = all.find((each) => isSameStart(each.startNanos, startNanos));
  if (known === undefined) {
    const own = { startNanos, latestNanos: timeNanos, beforeNanos: 0n };
    return { all: [...all.slice(-STARTS_MAX), own], exportedBefore: undefined };
  }
  const isNext = timeNanos > known.latestNanos + EXPORT_NANOS;
  const own = isNext
    ? { startNanos: known.startNanos, latestNanos: timeNanos, beforeNanos: known.latestNanos }
    : known;
  const hasExported = own.beforeNanos > 0n && own.beforeNanos < timeNanos;
  return {
    all: isNext ? [...all.filter((each) => each !== known), own] : all,
    exportedBefore: hasExported ? own.beforeNanos : undefined,
  };
}

/** Starts that differ by less are one, read from an inexact clock. */
const SAME_START_NANOS = 2_000_000n;

function isSameStart(left: bigint, right: bigint): boolean {
  const apart = left < right ? right - left : left - right;
  return apart < SAME_START_NANOS;
}
