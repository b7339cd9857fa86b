import type { Kernel } from "../../kernel/kernel-pool.ts";
import { SECONDS_PER_MINUTE, type SummedMinute } from "../../model/measures/measure-table.ts";
import { VALUE_BUCKETS, valueBucketOf, ZERO_BUCKET } from "../../model/measures/value-buckets.ts";

/** Two minutes are open at a time. */
const OPEN_SECONDS = 2 * SECONDS_PER_MINUTE;
/** Of values that are not negative. */
const BUCKETS = VALUE_BUCKETS - ZERO_BUCKET;

/** Place, UNIX second, count, sum, minimum, maximum. */
const CLOSED_WORDS = 6;

/** Sums that the last call of a kernel has closed. */
export class ClosedSums {
  readonly #kernel: Kernel<unknown>;
  readonly #cells: Float64Array;

  constructor(kernel: Kernel<unknown>) {
    this.#kernel = kernel;
    this.#cells = kernel.doubles("CLOSED", CLOSED_WORDS * kernel.number("CLOSED_MAX"));
  }

  /** Whether the kernel has stopped before a minute of a load test that must be closed. */
  get isBlocked(): boolean {
    return this.#kernel.number("blocked") !== 0;
  }

  /** Calls `take` for each; count, sum, minimum and maximum are at `[at, at + 4)`. */
  forEach(take: (place: number, second: number, cells: Float64Array, at: number) => void): void {
    const cells = this.#cells;
    const end = CLOSED_WORDS * this.#kernel.number("closed");
    for (let at = 0; at < end; at += CLOSED_WORDS) {
      take(cells[at] as number, cells[at + 1] as number, cells, at + 2);
    }
  }

  /** Calls `close` if the kernel is blocked: with the number of the sums, and 1 for an odd minute, else 0. */
  closeBlocked(close: (number: number, odd: number) => void): void {
    const blocked = this.#kernel.number("blocked") - 1;
    if (blocked >= 0) close(blocked >> 1, blocked & 1);
  }
}

/** Open sums of a measure of a load test, in memory of a kernel: see kernel/whole.ts. */
export class WholeSums {
  /** By even and odd minute: UNIX second at which it begins. */
  readonly minute: Uint32Array;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  /** Count and sum by second, and counts by bucket. */
  readonly #seconds: readonly Float64Array[];
  readonly #buckets: readonly Uint32Array[];

  constructor(buffer: ArrayBuffer, at: number) {
    const seconds = at + 48;
    const buckets = seconds + 16 * OPEN_SECONDS;
    this.minute = new Uint32Array(buffer, at, 2);
    this.#min = new Float64Array(buffer, at + 16, 2);
    this.#max = new Float64Array(buffer, at + 32, 2);
    this.#seconds = [0, 1].map((odd) => {
      const from = seconds + odd * 16 * SECONDS_PER_MINUTE;
      return new Float64Array(buffer, from, 2 * SECONDS_PER_MINUTE);
    });
    this.#buckets = [0, 1].map(
      (odd) => new Uint32Array(buffer, buckets + odd * 4 * BUCKETS, BUCKETS),
    );
    this.minute.fill(0);
    this.#min.fill(Infinity);
    this.#max.fill(-Infinity);
    for (const column of [...this.#seconds, ...this.#buckets]) column.fill(0);
  }

  /** Hands over views of a minute, which may be changed, and empties it. */
  close(odd: number, hand: (minute: number, summed: SummedMinute) => void): void {
    const [min, max] = [this.#min[odd] as number, this.#max[odd] as number];
    if (min > max) return;
    const seconds = this.#seconds[odd] as Float64Array;
    const buckets = this.#buckets[odd] as Uint32Array;
    hand(this.minute[odd] as number, { seconds, min, max, buckets });
    seconds.fill(0);
    buckets.fill(0, valueBucketOf(min) - ZERO_BUCKET, valueBucketOf(max) - ZERO_BUCKET + 1);
    this.#min[odd] = Infinity;
    this.#max[odd] = -Infinity;
  }
}
