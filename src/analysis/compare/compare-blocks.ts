import type { SeriesColumns } from "../../model/data-points.ts";
import {
  BUCKET_COUNT,
  bucketFloor,
  bucketOf,
  bucketWidth,
} from "../../model/buckets/bucket-layout.ts";
import { DistributionSum } from "../../series/distribution-sum.ts";

/** Blocks of equal length in the seconds of an endpoint. */
export interface BlockPlan {
  readonly from: number;
  readonly blocks: number;
  readonly blockSeconds: number;
}

export interface Span {
  readonly requests: number;
  /** Half open; both 0 without known timestamps. */
  readonly from: number;
  readonly until: number;
  readonly windowSeconds: number;
}

/** Longer blocks depend less on their neighbours. */
const BLOCKS_MAX = 30;
const BLOCKS_MIN = 6;
const BLOCK_SECONDS_MIN = 3;
const SECONDS_MIN = 30;
/** Fewer requests cannot tell noise from change. */
export const REQUESTS_MIN = 50;

/** `undefined` if the span is too short to tell noise from change. */
export function planBlocks(span: Span): BlockPlan | undefined {
  const seconds = span.until - span.from;
  const shortest = Math.max(BLOCK_SECONDS_MIN, span.windowSeconds);
  const blocks = Math.min(BLOCKS_MAX, Math.floor(seconds / shortest));
  const isTooLittle = seconds < SECONDS_MIN || span.requests < REQUESTS_MIN;
  if (isTooLittle || blocks < BLOCKS_MIN) return undefined;
  return { from: span.from, blocks, blockSeconds: seconds / blocks };
}

export interface BlockCounts {
  readonly counts: Float64Array;
  readonly requests: Float64Array;
}

/** Natural logarithm of the middle of each bucket, at least 1 microsecond. */
const LOGARITHM_OF_BUCKET = Float64Array.from({ length: BUCKET_COUNT }, (_, bucket) =>
  Math.log(Math.max(1, bucketFloor(bucket) + (bucketWidth(bucket) - 1) / 2)),
);

/** Sums points of any endpoints in total and by block. Reset by `begin`. */
export class CompareBlocks {
  readonly sum = new DistributionSum();
  #plan: BlockPlan | undefined;
  readonly #requests = new Float64Array(BLOCKS_MAX);
  readonly #timedRequests = new Float64Array(BLOCKS_MAX);
  readonly #failedRequests = new Float64Array(BLOCKS_MAX);
  readonly #elapsedMicros = new Float64Array(BLOCKS_MAX);
  /** The buckets in use, by place; places by bucket, from 1; requests by (place, block). */
  readonly #buckets: number[] = [];
  readonly #placeOf = new Uint16Array(BUCKET_COUNT);
  #counts = new Float64Array(64 * BLOCKS_MAX);
  /** The buckets in use, ascending, until another one is. */
  #ascending: readonly number[] | undefined;
  readonly #known = new Map<string, unknown>();

  /** Resets. Without a plan only `sum` is filled. */
  begin(plan: BlockPlan | undefined): void {
    this.sum.clear();
    this.#plan = plan;
    this.#requests.fill(0);
    this.#timedRequests.fill(0);
    this.#failedRequests.fill(0);
    this.#elapsedMicros.fill(0);
    for (const bucket of this.#buckets) this.#placeOf[bucket] = 0;
    this.#counts.fill(0, 0, this.#buckets.length * BLOCKS_MAX);
    this.#buckets.length = 0;
    this.#ascending = undefined;
    this.#known.clear();
  }

  get plan(): BlockPlan | undefined {
    return this.#plan;
  }

  /** Results computed from these sums, kept until the sums change. */
  once<Value>(name: string, compute: () => Value): Value {
    if (!this.#known.has(name)) this.#known.set(name, compute());
    return this.#known.get(name) as Value;
  }

  /** In any order; points at second 0 belong to no block. Throws `sum-too-large`. */
  add(points: SeriesColumns): void {
    this.#known.clear();
    this.sum.add(points);
    const plan = this.#plan;
    if (plan === undefined) return;
    for (const [point, second] of points.second.entries()) {
      if (second === 0) continue;
      const block = Math.floor((second - plan.from) / plan.blockSeconds);
      this.#addPoint(points, point, Math.min(plan.blocks - 1, Math.max(0, block)));
    }
  }

  /** Adds the sums of another instance that began with the same plan. Throws `sum-too-large`. */
  merge(other: CompareBlocks): void {
    this.#known.clear();
    this.sum.merge(other.sum);
    addTo(this.#requests, other.#requests);
    addTo(this.#timedRequests, other.#timedRequests);
    addTo(this.#failedRequests, other.#failedRequests);
    addTo(this.#elapsedMicros, other.#elapsedMicros);
    for (const [place, bucket] of other.#buckets.entries()) {
      const own = (this.#placeOf[bucket] || this.#use(bucket)) - 1;
      const counts = this.#counts.subarray(own * BLOCKS_MAX, (own + 1) * BLOCKS_MAX);
      addTo(counts, other.#counts.subarray(place * BLOCKS_MAX, (place + 1) * BLOCKS_MAX));
    }
  }

  get usedBlocks(): number {
    return this.#requests.reduce((used, requests) => used + (requests > 0 ? 1 : 0), 0);
  }

  failures(): BlockCounts {
    return { counts: this.#failedRequests, requests: this.#requests };
  }

  /** Over the requests with a response time. */
  elapsedMicros(): BlockCounts {
    return { counts: this.#elapsedMicros, requests: this.#timedRequests };
  }

  /** Requests in buckets up to that of `micros`. */
  requestsWithin(micros: number): BlockCounts {
    return this.#weighted(bucketOf(micros) + 1, () => 1);
  }

  /** Sums of the logarithms of response times in microseconds, clamped to the limits. */
  logarithms({ low, high }: { readonly low: number; readonly high: number }): BlockCounts {
    const { counts } = this.#weighted(BUCKET_COUNT, (bucket) =>
      Math.min(high, Math.max(low, LOGARITHM_OF_BUCKET[bucket] as number)),
    );
    return { counts, requests: this.#timedRequests };
  }

  /** Whether both have the same requests in the same blocks. */
  equals(other: CompareBlocks): boolean {
    return (
      this.sum.requests === other.sum.requests &&
      this.sum.elapsedMicros === other.sum.elapsedMicros &&
      areEqual(this.#requests, other.#requests) &&
      areEqual(this.#timedRequests, other.#timedRequests) &&
      areEqual(this.#failedRequests, other.#failedRequests) &&
      areEqual(this.#elapsedMicros, other.#elapsedMicros) &&
      this.#buckets.length === other.#buckets.length &&
      this.#buckets.every((bucket) => areEqual(this.#countsOf(bucket), other.#countsOf(bucket)))
    );
  }

  /** By block; empty if the bucket is not in use. */
  #countsOf(bucket: number): Float64Array {
    const place = this.#placeOf[bucket] as number;
    return this.#counts.subarray(Math.max(0, place - 1) * BLOCKS_MAX, place * BLOCKS_MAX);
  }

  /** Requests of each block in the buckets before `bucketUntil`, weighted by bucket. */
  #weighted(bucketUntil: number, weightOf: (bucket: number) => number): BlockCounts {
    const counts = new Float64Array(BLOCKS_MAX);
    const [blocks, own] = [this.#plan?.blocks ?? 0, this.#counts];
    // In one order, so that sums do not depend on that of the points.
    this.#ascending ??= this.#buckets.toSorted((left, right) => left - right);
    for (const bucket of this.#ascending) {
      if (bucket >= bucketUntil) break;
      const weight = weightOf(bucket);
      const from = ((this.#placeOf[bucket] as number) - 1) * BLOCKS_MAX;
      for (let block = 0; block < blocks; block++) {
        counts[block] = (counts[block] as number) + weight * (own[from + block] as number);
      }
    }
    return { counts, requests: this.#requests };
  }

  #addPoint(points: SeriesColumns, point: number, block: number): void {
    increase(this.#requests, block, points.requests[point] as number);
    const untimed = points.untimedRequests?.[point] ?? 0;
    increase(this.#timedRequests, block, (points.requests[point] as number) - untimed);
    increase(this.#failedRequests, block, points.failedRequests[point] as number);
    increase(this.#elapsedMicros, block, points.elapsedMicros[point] as number);
    const [from, until] = [
      points.bucketsFrom[point] as number,
      points.bucketsFrom[point + 1] as number,
    ];
    for (let entry = from; entry < until; entry++) {
      const bucket = points.bucket[entry] as number;
      const place = (this.#placeOf[bucket] || this.#use(bucket)) - 1;
      increase(this.#counts, place * BLOCKS_MAX + block, points.bucketCount[entry] as number);
    }
  }

  /** Returns the place of a bucket that is not in use yet, from 1. */
  #use(bucket: number): number {
    const place = this.#buckets.push(bucket);
    this.#ascending = undefined;
    this.#placeOf[bucket] = place;
    if (place * BLOCKS_MAX > this.#counts.length) {
      const wider = new Float64Array(2 * this.#counts.length);
      wider.set(this.#counts);
      this.#counts = wider;
    }
    return place;
  }
}

function areEqual(one: Float64Array, other: Float64Array): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

function addTo(sums: Float64Array, others: Float64Array): void {
  for (let index = 0; index < sums.length; index++) {
    sums[index] = (sums[index] as number) + (others[index] as number);
  }
}

function increase(column: Float64Array, index: number, by: number): void {
  column[index] = (column[index] as number) + by;
}
