import type { MeasuresJson } from "../api/measures.ts";
import { medianOf } from "../model/columns.ts";
import { rankOf } from "../model/histogram.ts";
import { addDecimal, decimalOf } from "../model/measures/decimal-sum.ts";
import type {
  MeasureHistograms,
  MeasureKind,
  MeasureTable,
} from "../model/measures/measure-table.ts";
import { valueBucketMiddle } from "../model/measures/value-buckets.ts";

/** Figures of the values of one or more series, at least one value; absent where they are not known, or their kind has none. */
export type MeasureFigures = Pick<
  MeasuresJson["measures"][number],
  "count" | "sum" | "mean" | "min" | "max" | "last" | "p50" | "p95" | "p99" | "percentiles"
>;

/**
 * Merges series of one name, unit and kind: counters and rates add up, distributions merge. Of gauges, the mean is over series
 * and time: a value holds until the next one, but no longer than usual if that is missing. `last` is the latest value.
 */
export class MeasureSum {
  /** First and last second with a value; 0: unknown. */
  from = 0;
  until = 0;
  #kind: MeasureKind | undefined;
  #count = 0;
  readonly #sum = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
  #extremes: Bounds = { min: Infinity, max: -Infinity };
  readonly #buckets = new Map<number, number>();
  #held = { value: 0, seconds: 0 };
  #row: { readonly count: number; readonly seconds: number } | undefined;
  #isEven = true;
  #last = { atMillis: -1, value: 0 };

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Adds all rows of a table of one series. Throws `sum-too-large`. */
  add({ series: [first], sums, gauges, histograms }: MeasureTable): void {
    if (first === undefined || sums.second.length === 0) return;
    this.#kind = first.kind;
    const [from, until] = [sums.second[0] as number, sums.second.at(-1) as number];
    this.from = this.isEmpty ? from : Math.min(this.from, from);
    this.until = Math.max(this.until, until);
    for (let row = 0; row < sums.second.length; row++) {
      this.#count += sums.count[row] as number;
      addDecimal(this.#sum, 0, sums.sumMillions[row] as number, sums.sumNanos[row] as number);
    }
    if (first.kind === "gauge") this.#addGauge(sums, gauges);
    if (first.kind !== "distribution") return;
    this.#addExtremes(histograms);
    addBuckets(this.#buckets, histograms, 0, histograms.min.length);
  }

  /** `percents`: each 0 to 100. `undefined` without a value. */
  figures(percents?: readonly number[]): MeasureFigures | undefined {
    if (this.#count === 0) return undefined;
    const sum = decimalOf(this.#sum, 0);
    const figures = { count: this.#count, sum, mean: sum / this.#count };
    const extremes = finite(this.#extremes);
    if (this.#kind === "gauge") {
      const { value, seconds } = this.#held;
      // Exact where every value holds equally long.
      const mean = this.#isEven ? figures.mean : value / seconds;
      return { ...figures, mean, ...extremes, last: this.#last.value };
    }
    if (this.#kind !== "distribution") return figures;
    const of = { buckets: this.#buckets, count: this.#count, extremes };
    return { ...figures, ...extremes, ...percentilesOf(of, percents) };
  }

  #addGauge(sums: MeasureTable["sums"], gauges: MeasureTable["gauges"]): void {
    this.#addExtremes(gauges);
    const held = heldSeconds(sums.second);
    for (let row = 0; row < held.length; row++) {
      const [seconds, count] = [held[row] as number, sums.count[row] as number];
      this.#held.value += (decimalOf(sums, row) / count) * seconds;
      this.#held.seconds += seconds;
      this.#row ??= { count, seconds };
      this.#isEven &&= count === this.#row.count && seconds === this.#row.seconds;
    }
    const end = gauges.last.length - 1;
    const [second, millis] = [gauges.second[end] as number, gauges.lastAtMillis[end] as number];
    const [atMillis, value] = [second * MILLIS_PER_SECOND + millis, gauges.last[end] as number];
    const isLater = atMillis - this.#last.atMillis || value - this.#last.value;
    if (isLater > 0) this.#last = { atMillis, value };
  }

  #addExtremes(rows: Columns): void {
    const { min, max } = boundsOf(rows, 0, rows.min.length);
    const { min: least, max: most } = this.#extremes;
    this.#extremes = { min: Math.min(least, min), max: Math.max(most, max) };
  }
}

const MILLIS_PER_SECOND = 1000;

/** A later value than usual by this factor leaves a gap. */
const GAP = 2;

/** How long each value of a gauge holds, by its ascending seconds: a usual time after the last one, and before a gap. */
export function heldSeconds(second: Uint32Array): Float64Array {
  const steps = Float64Array.from(
    second.subarray(1),
    (each, row) => each - (second[row] as number),
  );
  const usual = medianOf(steps) ?? 1;
  return Float64Array.from(second, (_, row) => {
    const step = steps[row] ?? Infinity;
    return step > GAP * usual ? usual : step;
  });
}

/** Returns count and sum of the rows `[from, until)`. Throws `sum-too-large`. */
export function totalOf(
  sums: MeasureTable["sums"],
  from: number,
  until: number,
): { readonly count: number; readonly sum: number } {
  const total = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
  let count = 0;
  for (let row = from; row < until; row++) {
    count += sums.count[row] as number;
    addDecimal(total, 0, sums.sumMillions[row] as number, sums.sumNanos[row] as number);
  }
  return { count, sum: decimalOf(total, 0) };
}

type Extremes = Pick<MeasureFigures, "min" | "max">;

/** Infinite if unknown. */
interface Bounds {
  readonly min: number;
  readonly max: number;
}

interface Columns {
  readonly min: Float64Array;
  readonly max: Float64Array;
}

/** Returns the extremes of the rows `[from, until)`; each is absent if that of any row is not known. */
export function extremesOf(columns: Columns, from: number, until: number): Extremes {
  return finite(boundsOf(columns, from, until));
}

function boundsOf({ min, max }: Columns, from: number, until: number): Bounds {
  let [least, most] = [Infinity, -Infinity];
  for (let row = from; row < until; row++) {
    least = Math.min(least, min[row] as number);
    most = Math.max(most, max[row] as number);
  }
  return { min: least, max: most };
}

function finite({ min, max }: Bounds): Extremes {
  return { ...(Number.isFinite(min) && { min }), ...(Number.isFinite(max) && { max }) };
}

/** Returns extremes and percentiles of the minutes `[from, until)`, which have so many values. */
export function distributionOf(
  histograms: MeasureHistograms,
  from: number,
  until: number,
  count: number,
): Omit<MeasureFigures, "count" | "sum" | "mean" | "last" | "percentiles"> {
  const extremes = extremesOf(histograms, from, until);
  const buckets = new Map<number, number>();
  addBuckets(buckets, histograms, from, until);
  return { ...extremes, ...percentilesOf({ buckets, count, extremes }) };
}

function addBuckets(
  buckets: Map<number, number>,
  { bucketsFrom, bucket, bucketCount }: MeasureHistograms,
  from: number,
  until: number,
): void {
  const end = bucketsFrom[until] as number;
  for (let entry = bucketsFrom[from] as number; entry < end; entry++) {
    const [own, values] = [bucket[entry] as number, bucketCount[entry] as number];
    buckets.set(own, (buckets.get(own) ?? 0) + values);
  }
}

interface Distribution {
  readonly buckets: ReadonlyMap<number, number>;
  readonly count: number;
  readonly extremes: Extremes;
}

function percentilesOf(
  { buckets, count, extremes }: Distribution,
  percents?: readonly number[],
): Pick<MeasureFigures, "p50" | "p95" | "p99" | "percentiles"> {
  const total = [...buckets.values()].reduce((sum, values) => sum + values, 0);
  // Of some values, only their sum may be known.
  if (total !== count) return {};
  const ascending = [...buckets].toSorted(([left], [right]) => left - right);
  const at = (percent: number) => quantileOf(ascending, rankOf(percent / 100, total), extremes);
  const others = percents?.map((percent) => [`p${percent}`, at(percent)]);
  const asked = others === undefined ? {} : { percentiles: Object.fromEntries(others) };
  return { p50: at(50), p95: at(95), p99: at(99), ...asked };
}

function quantileOf(
  buckets: readonly (readonly [bucket: number, count: number])[],
  rank: number,
  { min = -Infinity, max = Infinity }: Extremes,
): number {
  let passed = 0;
  for (const [bucket, count] of buckets) {
    passed += count;
    if (passed >= rank) return Math.min(max, Math.max(min, valueBucketMiddle(bucket)));
  }
  throw new Error(`BUG: rank ${rank} of ${passed} values`);
}
