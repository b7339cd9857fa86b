import type { DistributionColumns } from "./data-points.ts";
import { addExactly } from "./exact.ts";
import { BUCKET_COUNT } from "./histogram.ts";

/** By bucket what is being merged; all 0 before and after. One for all, as many merges are tiny. */
const COUNTS = new Float64Array(BUCKET_COUNT);

/** Takes the buckets of merged points, one point after the other. */
export class MergedBuckets {
  used = 0;
  readonly #all: DistributionColumns;
  readonly #bucket: Uint16Array;
  readonly #bucketCount: Float64Array;

  constructor(all: DistributionColumns) {
    this.#all = all;
    this.#bucket = new Uint16Array(all.bucket.length);
    this.#bucketCount = new Float64Array(all.bucket.length);
  }

  /** A point that is merged with no other one. */
  copy(point: number): void {
    const { bucketsFrom, bucket, bucketCount } = this.#all;
    const until = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < until; entry++) {
      this.#put(bucket[entry] as number, bucketCount[entry] as number);
    }
  }

  /** The points `order[first]` to before `order[end]` as one. Throws `sum-too-large`. */
  merge(order: Uint32Array, first: number, end: number): void {
    const { bucketsFrom, bucket, bucketCount } = this.#all;
    let [lowest, highest] = [BUCKET_COUNT, -1];
    try {
      for (let rank = first; rank < end; rank++) {
        const point = order[rank] as number;
        const until = bucketsFrom[point + 1] as number;
        for (let entry = bucketsFrom[point] as number; entry < until; entry++) {
          const number = bucket[entry] as number;
          if (number < lowest) lowest = number;
          if (number > highest) highest = number;
          COUNTS[number] = addExactly(COUNTS[number] as number, bucketCount[entry] as number);
        }
      }
      for (let number = lowest; number <= highest; number++) {
        if (COUNTS[number] !== 0) this.#put(number, COUNTS[number] as number);
      }
    } finally {
      COUNTS.fill(0, lowest, highest + 1);
    }
  }

  seal(): Pick<DistributionColumns, "bucket" | "bucketCount"> {
    return {
      bucket: this.#bucket.slice(0, this.used),
      bucketCount: this.#bucketCount.slice(0, this.used),
    };
  }

  #put(number: number, count: number): void {
    this.#bucket[this.used] = number;
    this.#bucketCount[this.used] = count;
    this.used += 1;
  }
}
