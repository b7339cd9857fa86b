import { type SecondRange, lowerBound, spanOf } from "../model/columns.ts";
import type { SeriesColumns } from "../model/data-points.ts";
import { BUCKET_COUNT, bucketFloor, bucketOf } from "../model/buckets/bucket-layout.ts";
import { bucketMiddle, rankOf } from "../model/histogram.ts";

/**
 * Buckets are joined to columns, or tables would take eight times the memory: one for each value below 128, then 64 for each power of
 * two.
 */
const STEPS = 64;

/** By bucket; computed once, when first used. */
let columnOfBucket: Uint16Array | undefined;

function columnsOfBuckets(): Uint16Array {
  columnOfBucket ??= Uint16Array.from({ length: BUCKET_COUNT }, (_, bucket) => {
    const floor = bucketFloor(bucket);
    const shift = Math.max(0, Math.floor(Math.log2(Math.max(1, floor))) - Math.log2(STEPS));
    return shift * STEPS + Math.floor(floor / 2 ** shift);
  });
  return columnOfBucket;
}

function middleOf(column: number): number {
  const shift = Math.max(0, Math.floor(column / STEPS) - 1);
  return (column - shift * STEPS) * 2 ** shift + (2 ** shift - 1) / 2;
}

/** Cumulative requests by time and response time: any span in constant time, 8 bytes per point and used column. */
export class CountTable {
  readonly second: Uint32Array;
  readonly #windowSeconds: Uint16Array | undefined;
  readonly #firstColumn: number;
  readonly #width: number;
  /** At (point, column): the requests of all earlier points in all lower columns. */
  readonly #before: Float64Array;
  /** At each point: the sum of logarithms of all earlier response times. */
  readonly #logarithms: Float64Array;

  /** Seconds of the series, ascending. */
  constructor(series: SeriesColumns) {
    this.second = series.second;
    this.#windowSeconds = series.windowSeconds;
    const { bucket } = series;
    const least = bucket.reduce((found, each) => Math.min(found, each), Infinity);
    const most = bucket.reduce((found, each) => Math.max(found, each), 0);
    this.#firstColumn = columnsOfBuckets()[least] ?? 0;
    const last = columnsOfBuckets()[most] as number;
    this.#width = bucket.length === 0 ? 1 : last - this.#firstColumn + 2;
    this.#before = summedUp(series, this.#firstColumn, this.#width);
    this.#logarithms = logarithmsOf(series);
  }

  requests(span: SecondRange): number {
    return this.#within(span, this.#width - 1);
  }

  /** Returns the requests in columns above that of `micros`. */
  requestsAbove(span: SecondRange, micros: number): number {
    const next = (columnsOfBuckets()[bucketOf(micros)] as number) + 1;
    const column = Math.min(this.#width - 1, Math.max(0, next - this.#firstColumn));
    return this.requests(span) - this.#within(span, column);
  }

  /** Returns the sum of natural logarithms of response times in microseconds. */
  logarithms(span: SecondRange): number {
    const [first, end] = this.#points(span);
    return (this.#logarithms[end] as number) - (this.#logarithms[first] as number);
  }

  /** Returns the middle of the column with quantile `q` of a non-empty span. */
  quantileMicros(span: SecondRange, q: number): number {
    const rank = rankOf(q, this.requests(span));
    let [low, high] = [1, this.#width - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#within(span, middle) < rank) low = middle + 1;
      else high = middle;
    }
    return middleOf(this.#firstColumn + low - 1);
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
  firstColumn: number,
  width: number,
): Float64Array {
  const columns = columnsOfBuckets();
  const before = new Float64Array((second.length + 1) * width);
  for (let point = 0; point < second.length; point++) {
    const [above, row] = [point * width, (point + 1) * width];
    const end = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
      const column = columns[bucket[entry] as number] as number;
      const at = row + column - firstColumn + 1;
      before[at] = (before[at] as number) + (bucketCount[entry] as number);
    }
    let sum = 0;
    for (let column = 0; column < width; column++) {
      sum += before[row + column] as number;
      before[row + column] = (before[above + column] as number) + sum;
    }
  }
  return before;
}
