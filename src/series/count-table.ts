import { lowerBound, spanOf } from "../model/columns.ts";
import type { SeriesColumns } from "../model/data-points.ts";
import { bucketMiddle, rankOf } from "../model/histogram.ts";
import type { SecondRange } from "../model/second-range.ts";

/** Cumulative requests by time and response time: any span in constant time, 8 bytes per point and used bucket. */
export class CountTable {
  readonly second: Uint32Array;
  readonly #windowSeconds: Uint16Array | undefined;
  readonly #firstBucket: number;
  readonly #width: number;
  /** At (point, bucket): the requests of all earlier points in all lower buckets. */
  readonly #before: Float64Array;
  /** At each point: the sum of logarithms of all earlier response times. */
  readonly #logarithms: Float64Array;

  /** Seconds of the series, ascending. */
  constructor(series: SeriesColumns) {
    this.second = series.second;
    this.#windowSeconds = series.windowSeconds;
    const { bucket } = series;
    this.#firstBucket = bucket.reduce((least, each) => Math.min(least, each), Infinity);
    const last = bucket.reduce((most, each) => Math.max(most, each), 0);
    this.#width = bucket.length === 0 ? 1 : last - this.#firstBucket + 2;
    this.#before = summedUp(series, this.#firstBucket, this.#width);
    this.#logarithms = logarithmsOf(series);
  }

  requests(span: SecondRange): number {
    return this.#within(span, this.#width - 1);
  }

  requestsAbove(span: SecondRange, bucket: number): number {
    const column = Math.min(this.#width - 1, Math.max(0, bucket + 1 - this.#firstBucket));
    return this.requests(span) - this.#within(span, column);
  }

  /** Returns the sum of natural logarithms of response times in microseconds. */
  logarithms(span: SecondRange): number {
    const [first, end] = this.#points(span);
    return (this.#logarithms[end] as number) - (this.#logarithms[first] as number);
  }

  /** Returns the middle of the bucket with quantile `q` of a non-empty span. */
  quantileMicros(span: SecondRange, q: number): number {
    const rank = rankOf(q, this.requests(span));
    let [low, high] = [1, this.#width - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#within(span, middle) < rank) low = middle + 1;
      else high = middle;
    }
    return bucketMiddle(this.#firstBucket + low - 1);
  }

  /** Returns the seconds from the first request of a span to the end of its last one; 0 if empty. */
  coveredSeconds(span: SecondRange): number {
    const [first, end] = this.#points(span);
    if (first === end) return 0;
    const last = this.second[end - 1] as number;
    return last + (this.#windowSeconds?.[end - 1] ?? 1) - (this.second[first] as number);
  }

  #within(span: SecondRange, column: number): number {
    const [first, end] = this.#points(span);
    const at = (point: number) => this.#before[point * this.#width + column] as number;
    return at(end) - at(first);
  }

  #points({ from, until }: SecondRange): readonly [first: number, end: number] {
    return [lowerBound(this.second, from), lowerBound(this.second, until)];
  }
}

/** Points per table, which bounds memory for series of any length. */
const POINTS_AT_ONCE = 1000;

/** Some seconds of a series, with everything within reach of them. */
interface TablePart {
  readonly seconds: Uint32Array;
  readonly table: CountTable;
}

/** Yields all seconds of a series in chunks: each table includes `reachSeconds` to either side. */
export function* tablesOf(series: SeriesColumns, reachSeconds: number): Generator<TablePart> {
  for (let from = 0; from < series.second.length; from += POINTS_AT_ONCE) {
    const seconds = series.second.subarray(from, from + POINTS_AT_ONCE);
    const [first, last] = [seconds[0] as number, seconds.at(-1) as number];
    const reach = { from: first - reachSeconds, until: last + reachSeconds };
    yield { seconds, table: new CountTable(spanOf(series, reach)) };
  }
}

function logarithmsOf({ second, bucketsFrom, bucket, bucketCount }: SeriesColumns): Float64Array {
  const logarithms = new Float64Array(second.length + 1);
  let sum = 0;
  for (let point = 0; point < second.length; point++) {
    const end = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
      const middle = Math.max(1, bucketMiddle(bucket[entry] as number));
      sum += (bucketCount[entry] as number) * Math.log(middle);
    }
    logarithms[point + 1] = sum;
  }
  return logarithms;
}

function summedUp(
  { second, bucketsFrom, bucket, bucketCount }: SeriesColumns,
  firstBucket: number,
  width: number,
): Float64Array {
  const before = new Float64Array((second.length + 1) * width);
  for (let point = 0; point < second.length; point++) {
    const [above, row] = [point * width, (point + 1) * width];
    const end = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
      before[row + (bucket[entry] as number) - firstBucket + 1] = bucketCount[entry] as number;
    }
    let sum = 0;
    for (let column = 0; column < width; column++) {
      sum += before[row + column] as number;
      before[row + column] = (before[above + column] as number) + sum;
    }
  }
  return before;
}
