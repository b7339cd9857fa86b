import { SECONDS_PER_MINUTE } from "../../model/measures/measure-table.ts";
import {
  VALUE_BUCKETS,
  valueBucketMiddle,
  valueBucketOf,
  ZERO_BUCKET,
} from "../../model/measures/value-buckets.ts";

/** Two minutes are open at a time. */
export const OPEN_SECONDS = 2 * SECONDS_PER_MINUTE;
/** Of values that are not negative. */
const BUCKETS = VALUE_BUCKETS - ZERO_BUCKET;

/** Sum of some values that are not negative, and their extremes, or those of more values of the same minute. */
export interface SummedValues {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** Values with how often they occur. */
type Entries = readonly (readonly [value: number, count: number])[];

/** Open sums of a measure of a load test, in memory of a kernel: see kernel/whole.ts. */
export class WholeSums {
  /** By even and odd minute: UNIX second at which it begins. */
  readonly minute: Uint32Array;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  /** Count and sum by open second. */
  readonly #seconds: Float64Array;
  readonly #buckets: Uint32Array;

  constructor(buffer: ArrayBuffer, at: number) {
    const seconds = at + 48;
    this.minute = new Uint32Array(buffer, at, 2);
    this.#min = new Float64Array(buffer, at + 16, 2);
    this.#max = new Float64Array(buffer, at + 32, 2);
    this.#seconds = new Float64Array(buffer, seconds, 2 * OPEN_SECONDS);
    this.#buckets = new Uint32Array(buffer, seconds + 16 * OPEN_SECONDS, 2 * BUCKETS);
    this.minute.fill(0);
    this.#min.fill(Infinity);
    this.#max.fill(-Infinity);
    this.#seconds.fill(0);
    this.#buckets.fill(0);
  }

  /** Hands over a minute and empties it; the first second has the entries of all. */
  close(odd: number, hand: (second: number, values: SummedValues, entries: Entries) => void): void {
    const [min, max] = [this.#min[odd] as number, this.#max[odd] as number];
    if (min > max) return;
    let entries = this.#takeEntries(odd, min, max);
    for (let each = 0; each < SECONDS_PER_MINUTE; each++) {
      const open = 2 * (odd * SECONDS_PER_MINUTE + each);
      const count = this.#seconds[open] as number;
      if (count === 0) continue;
      const values = { count, sum: this.#seconds[open + 1] as number, min, max };
      hand((this.minute[odd] as number) + each, values, entries);
      entries = [];
      this.#seconds[open] = 0;
      this.#seconds[open + 1] = 0;
    }
    this.#min[odd] = Infinity;
    this.#max[odd] = -Infinity;
  }

  #takeEntries(odd: number, min: number, max: number): Entries {
    const entries: [number, number][] = [];
    const last = valueBucketOf(max);
    for (let bucket = valueBucketOf(min); bucket <= last; bucket++) {
      const at = odd * BUCKETS + bucket - ZERO_BUCKET;
      const count = this.#buckets[at] as number;
      if (count > 0) entries.push([valueBucketMiddle(bucket), count]);
      this.#buckets[at] = 0;
    }
    return entries;
  }
}
