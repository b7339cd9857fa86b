import type { DistributionColumns, SumColumns } from "../../model/data-points.ts";
import { BUCKET_COUNT, bucketFloor, bucketOf, bucketWidth } from "../../model/histogram.ts";
import { DistributionSum } from "../../series/distribution-sum.ts";

/** How the seconds of one endpoint are cut into blocks of even length. */
export interface BlockPlan {
  readonly from: number;
  readonly blocks: number;
  readonly blockSeconds: number;
}

/** What blocks are planned by. */
export interface Span {
  readonly requests: number;
  /** First second, and the one after the last; both 0 where no instant is known. */
  readonly from: number;
  readonly until: number;
  /** The longest window that one of the points stands for. */
  readonly windowSeconds: number;
}

/** More blocks would tell the noise more exactly, but longer ones depend less on their neighbours. */
const BLOCKS_MAX = 30;
const BLOCKS_MIN = 6;
const BLOCK_SECONDS_MIN = 3;
const SECONDS_MIN = 30;
/** With fewer requests noise cannot be told from change. */
export const REQUESTS_MIN = 50;

/** The blocks of a span; `undefined` where it is too little to tell noise from change. */
export function planBlocks(span: Span): BlockPlan | undefined {
  const seconds = span.until - span.from;
  const shortest = Math.max(BLOCK_SECONDS_MIN, span.windowSeconds);
  const blocks = Math.min(BLOCKS_MAX, Math.floor(seconds / shortest));
  const isTooLittle = seconds < SECONDS_MIN || span.requests < REQUESTS_MIN;
  if (isTooLittle || blocks < BLOCKS_MIN) return undefined;
  return { from: span.from, blocks, blockSeconds: seconds / blocks };
}

/** One count for each block, and how many requests each block has. */
export interface BlockCounts {
  readonly counts: Float64Array;
  readonly requests: Float64Array;
}

/** The natural logarithm of the middle of each bucket; less than a microsecond counts as one. */
const LOGARITHM_OF_BUCKET = Float64Array.from({ length: BUCKET_COUNT }, (_, bucket) =>
  Math.log(Math.max(1, bucketFloor(bucket) + (bucketWidth(bucket) - 1) / 2)),
);

/** Points of any endpoints as a whole, and block by block. Reused by `begin`. */
export class CompareBlocks {
  readonly sum = new DistributionSum();
  #plan: BlockPlan | undefined;
  readonly #requests = new Float64Array(BLOCKS_MAX);
  /** Those of them that have a response time. */
  readonly #timedRequests = new Float64Array(BLOCKS_MAX);
  readonly #failedRequests = new Float64Array(BLOCKS_MAX);
  readonly #elapsedMicros = new Float64Array(BLOCKS_MAX);
  /** Requests of (bucket, block); the buckets in use, among these: only they are looked at. */
  readonly #counts = new Float64Array(BUCKET_COUNT * BLOCKS_MAX);
  readonly #isUsed = new Uint8Array(BUCKET_COUNT);
  #bucketFrom = BUCKET_COUNT;
  #bucketUntil = 0;

  /** Forgets all points. Without a plan only `sum` is kept. */
  begin(plan: BlockPlan | undefined): void {
    this.sum.clear();
    this.#plan = plan;
    this.#requests.fill(0);
    this.#timedRequests.fill(0);
    this.#failedRequests.fill(0);
    this.#elapsedMicros.fill(0);
    for (let bucket = this.#bucketFrom; bucket < this.#bucketUntil; bucket++) {
      if (this.#isUsed[bucket] === 0) continue;
      this.#counts.fill(0, bucket * BLOCKS_MAX, (bucket + 1) * BLOCKS_MAX);
      this.#isUsed[bucket] = 0;
    }
    [this.#bucketFrom, this.#bucketUntil] = [BUCKET_COUNT, 0];
  }

  /** Adds points in any order; those at second 0 belong to no block. Throws `sum-too-large`. */
  add(points: SumColumns & DistributionColumns): void {
    this.sum.add(points);
    const plan = this.#plan;
    if (plan === undefined) return;
    for (const [point, second] of points.second.entries()) {
      if (second === 0) continue;
      const block = Math.floor((second - plan.from) / plan.blockSeconds);
      this.#addPoint(points, point, Math.min(plan.blocks - 1, Math.max(0, block)));
    }
  }

  /** Blocks that have requests. */
  get usedBlocks(): number {
    return this.#requests.reduce((used, requests) => used + (requests > 0 ? 1 : 0), 0);
  }

  failures(): BlockCounts {
    return { counts: this.#failedRequests, requests: this.#requests };
  }

  /** Over the requests that have a response time. */
  elapsedMicros(): BlockCounts {
    return { counts: this.#elapsedMicros, requests: this.#timedRequests };
  }

  /** Requests up to the end of the bucket that `micros` lies in. */
  requestsWithin(micros: number): BlockCounts {
    return this.#weighted(bucketOf(micros) + 1, () => 1);
  }

  /** The logarithms of response times in microseconds, added up; those beyond the limits count as these. */
  logarithms({ low, high }: { readonly low: number; readonly high: number }): BlockCounts {
    const { counts } = this.#weighted(BUCKET_COUNT, (bucket) =>
      Math.min(high, Math.max(low, LOGARITHM_OF_BUCKET[bucket] as number)),
    );
    return { counts, requests: this.#timedRequests };
  }

  /** The requests of each block in the buckets up to `bucketUntil`, each with the weight of its bucket. */
  #weighted(bucketUntil: number, weightOf: (bucket: number) => number): BlockCounts {
    const counts = new Float64Array(BLOCKS_MAX);
    const until = Math.min(this.#bucketUntil, bucketUntil);
    const blocks = this.#plan?.blocks ?? 0;
    for (let bucket = this.#bucketFrom; bucket < until; bucket++) {
      if (this.#isUsed[bucket] === 0) continue;
      const weight = weightOf(bucket);
      const from = bucket * BLOCKS_MAX;
      for (let block = 0; block < blocks; block++) {
        increase(counts, block, weight * (this.#counts[from + block] as number));
      }
    }
    return { counts, requests: this.#requests };
  }

  #addPoint(points: SumColumns & DistributionColumns, point: number, block: number): void {
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
      increase(this.#counts, bucket * BLOCKS_MAX + block, points.bucketCount[entry] as number);
      this.#isUsed[bucket] = 1;
      this.#bucketFrom = Math.min(this.#bucketFrom, bucket);
      this.#bucketUntil = Math.max(this.#bucketUntil, bucket + 1);
    }
  }
}

function increase(column: Float64Array, index: number, by: number): void {
  column[index] = (column[index] as number) + by;
}
