import { addExactly } from "../exact.ts";
import { VALUE_BUCKETS } from "../measures/value-buckets.ts";
import { BUCKET_COUNT } from "./bucket-layout.ts";

/** Buckets per word of the bitmap, and its logarithm. */
const WORD_BITS = 32;
const WORD_SHIFT = 5;

/** Above every bucket. */
const END = 0x10000;

interface BucketColumns {
  readonly bucket: Uint16Array;
  readonly bucketCount: Float64Array;
}

/** Counts by bucket, of response times or of measures. Only buckets in use are read and cleared. */
export class BucketCounts {
  /** A bit for each bucket in use, and the bounds of the words that have any. */
  readonly #used = new Int32Array(Math.ceil(Math.max(BUCKET_COUNT, VALUE_BUCKETS) / WORD_BITS));
  readonly #counts = new Float64Array(WORD_BITS * this.#used.length);
  #wordFrom = this.#used.length;
  #wordUntil = 0;

  /** Adds the entries `[from, until)`. Returns the sum of their counts. Throws `sum-too-large`. */
  add({ bucket, bucketCount }: BucketColumns, from: number, until: number): number {
    const [counts, used] = [this.#counts, this.#used];
    let [wordFrom, wordUntil, most, sum] = [this.#wordFrom, this.#wordUntil, 0, 0];
    for (let entry = from; entry < until; entry++) {
      const number = bucket[entry] as number;
      const before = counts[number] as number;
      const added = bucketCount[entry] as number;
      const count = before + added;
      sum += added;
      counts[number] = count;
      if (count > most) most = count;
      if (before > 0) continue;
      const word = number >>> WORD_SHIFT;
      used[word] = (used[word] as number) | (1 << number);
      if (word < wordFrom) wordFrom = word;
      if (word >= wordUntil) wordUntil = word + 1;
    }
    this.#wordFrom = wordFrom;
    this.#wordUntil = wordUntil;
    addExactly(most, 0);
    return sum;
  }

  /** Removes entries that were added. Returns the sum of their counts. */
  remove({ bucket, bucketCount }: BucketColumns, from: number, until: number): number {
    let sum = 0;
    for (let entry = from; entry < until; entry++) {
      const number = bucket[entry] as number;
      const count = this.of(number) - (bucketCount[entry] as number);
      this.#counts[number] = count;
      sum += bucketCount[entry] as number;
      if (count > 0) continue;
      const word = number >>> WORD_SHIFT;
      this.#used[word] = (this.#used[word] as number) & ~(1 << number);
    }
    return sum;
  }

  /** Adds what another one has. Throws `sum-too-large`. */
  merge(other: BucketCounts): void {
    for (let word = other.#wordFrom; word < other.#wordUntil; word++) {
      const bits = other.#used[word] as number;
      if (bits === 0) continue;
      this.#used[word] = (this.#used[word] as number) | bits;
      const from = word << WORD_SHIFT;
      for (let bucket = from; bucket < from + WORD_BITS; bucket++) {
        this.#counts[bucket] = addExactly(this.of(bucket), other.of(bucket));
      }
    }
    this.#wordFrom = Math.min(this.#wordFrom, other.#wordFrom);
    this.#wordUntil = Math.max(this.#wordUntil, other.#wordUntil);
  }

  /** Moves everything to `columns`, ascending, from `at` on. Returns the end. */
  moveTo({ bucket, bucketCount }: BucketColumns, at: number): number {
    const [counts, used] = [this.#counts, this.#used];
    let end = at;
    for (let word = this.#wordFrom; word < this.#wordUntil; word++) {
      for (let bits = used[word] as number; bits !== 0; bits &= bits - 1) {
        const number = (word << WORD_SHIFT) + lowestBit(bits);
        bucket[end] = number;
        bucketCount[end++] = counts[number] as number;
        counts[number] = 0;
      }
      used[word] = 0;
    }
    [this.#wordFrom, this.#wordUntil] = [used.length, 0];
    return end;
  }

  of(bucket: number): number {
    return this.#counts[bucket] as number;
  }

  /** Returns the first used bucket at or above `bucket`, or a number beyond all buckets if none is used. */
  next(bucket: number): number {
    const used = this.#used;
    let word = bucket >>> WORD_SHIFT;
    let bits = word < this.#wordUntil ? (used[word] as number) & (-1 << bucket) : 0;
    if (word < this.#wordFrom) word = this.#wordFrom - 1;
    while (bits === 0) {
      if (++word >= this.#wordUntil) return END;
      bits = used[word] as number;
    }
    return (word << WORD_SHIFT) + lowestBit(bits);
  }

  /** The buckets in use, ascending. */
  *used(): Generator<number> {
    for (let bucket = this.next(0); bucket < END; bucket = this.next(bucket + 1)) yield bucket;
  }

  /** Whether `table` has a 1 for each bucket in use. */
  areAllIn(table: Uint8Array): boolean {
    for (const bucket of this.used()) if (table[bucket] !== 1) return false;
    return true;
  }

  clear(): void {
    for (let word = this.#wordFrom; word < this.#wordUntil; word++) {
      if (this.#used[word] === 0) continue;
      this.#counts.fill(0, word << WORD_SHIFT, (word + 1) << WORD_SHIFT);
      this.#used[word] = 0;
    }
    [this.#wordFrom, this.#wordUntil] = [this.#used.length, 0];
  }
}

function lowestBit(bits: number): number {
  return WORD_BITS - 1 - Math.clz32(bits & -bits);
}
