import {
  type SecondRange,
  spanOf,
  timedFailedRequestsOf,
  timedRequestsOf,
} from "../model/columns.ts";
import type { OutcomeColumns, SeriesColumns } from "../model/data-points.ts";
import { sumOf } from "../model/exact.ts";
import { BucketCounts } from "../model/buckets/bucket-counts.ts";
import { bucketOf } from "../model/buckets/bucket-layout.ts";
import {
  type ExactTimes,
  bucketsWithMillisecond,
  exactTimesOf,
  rankOf,
  valueIn,
} from "../model/histogram.ts";
import { pointsOfOutcome } from "./points-of-outcome.ts";

/** Merges any number of data points of any endpoints into one. Reusable after `clear`. */
export class DistributionSum {
  requests = 0n;
  failedRequests = 0n;
  /** Requests with a response time, and the failed ones among them. */
  timedRequests = 0n;
  timedFailedRequests = 0n;
  /** Requests whose own response time is in the histogram. */
  distributedRequests = 0;
  elapsedMicros = 0n;
  failedElapsedMicros = 0n;
  receivedBytes = 0n;
  failedReceivedBytes = 0n;
  /** Of second 0, which means unknown. */
  undatedRequests = 0n;
  undatedReceivedBytes = 0n;
  minMicros = Infinity;
  maxMicros = -Infinity;
  /** First and last second with a request, inclusive; second 0 is ignored. */
  from = Infinity;
  until = 0;
  readonly #counts = new BucketCounts();
  /** The passed requests alone; only if asked for. Their times are known if the points added have their outcomes. */
  readonly passed: DistributionSum | undefined;

  constructor({ withPassed = false } = {}) {
    this.passed = withPassed ? new DistributionSum() : undefined;
  }

  clear(): void {
    this.passed?.clear();
    this.requests = 0n;
    this.failedRequests = 0n;
    this.timedRequests = 0n;
    this.timedFailedRequests = 0n;
    this.distributedRequests = 0;
    this.elapsedMicros = 0n;
    this.failedElapsedMicros = 0n;
    this.receivedBytes = 0n;
    this.failedReceivedBytes = 0n;
    this.undatedRequests = 0n;
    this.undatedReceivedBytes = 0n;
    this.minMicros = Infinity;
    this.maxMicros = -Infinity;
    this.from = Infinity;
    this.until = 0;
    this.#counts.clear();
  }

  /** Adds the points of a series, ascending by second, within the range. */
  addSpan(points: SeriesColumns, range: SecondRange): void {
    this.add(spanOf(points, range));
  }

  /** Adds points in any order. Throws `sum-too-large`. */
  add(points: OutcomeColumns): void {
    this.passed?.add(pointsOfOutcome(points, "passed"));
    this.requests += sumOf(points.requests);
    this.failedRequests += sumOf(points.failedRequests);
    this.timedRequests += sumOf(timedRequestsOf(points));
    this.timedFailedRequests += sumOf(timedFailedRequestsOf(points));
    this.elapsedMicros += sumOf(points.elapsedMicros);
    this.failedElapsedMicros += sumOf(points.failedElapsedMicros);
    this.receivedBytes += sumOf(points.receivedBytes);
    this.failedReceivedBytes += sumOf(points.failedReceivedBytes);
    let { minMicros: least, maxMicros: most, from, until } = this;
    const { minMicros, maxMicros, second, windowSeconds } = points;
    for (let point = 0; point < second.length; point++) {
      least = Math.min(least, minMicros[point] as number);
      most = Math.max(most, maxMicros[point] as number);
      const at = second[point] as number;
      if (at === 0) {
        this.undatedRequests += BigInt(points.requests[point] as number);
        this.undatedReceivedBytes += BigInt(points.receivedBytes[point] as number);
        continue;
      }
      from = Math.min(from, at);
      until = Math.max(until, at + (windowSeconds?.[point] ?? 1) - 1);
    }
    Object.assign(this, { minMicros: least, maxMicros: most, from, until });
    this.distributedRequests += this.#counts.add(points, 0, points.bucket.length);
  }

  /** Adds what another sum has, which has passed requests if this one has. Throws `sum-too-large`. */
  merge(other: DistributionSum): void {
    if (other.passed !== undefined) this.passed?.merge(other.passed);
    this.requests += other.requests;
    this.failedRequests += other.failedRequests;
    this.timedRequests += other.timedRequests;
    this.timedFailedRequests += other.timedFailedRequests;
    this.distributedRequests += other.distributedRequests;
    this.elapsedMicros += other.elapsedMicros;
    this.failedElapsedMicros += other.failedElapsedMicros;
    this.receivedBytes += other.receivedBytes;
    this.failedReceivedBytes += other.failedReceivedBytes;
    this.undatedRequests += other.undatedRequests;
    this.undatedReceivedBytes += other.undatedReceivedBytes;
    this.minMicros = Math.min(this.minMicros, other.minMicros);
    this.maxMicros = Math.max(this.maxMicros, other.maxMicros);
    this.from = Math.min(this.from, other.from);
    this.until = Math.max(this.until, other.until);
    this.#counts.merge(other.#counts);
  }

  /** Returns the seconds from the first to the last, inclusive; 0 without timestamps. */
  get rangeSeconds(): number {
    return this.until === 0 ? 0 : this.until - this.from + 1;
  }

  /** Whether the histogram holds every request with a response time. */
  get hasDistribution(): boolean {
    return BigInt(this.distributedRequests) === this.timedRequests;
  }

  /** Returns the smallest response time; `undefined` if unknown. */
  get leastMicros(): number | undefined {
    return Number.isFinite(this.minMicros) ? this.minMicros : undefined;
  }

  /** Returns the largest response time; `undefined` if unknown. */
  get mostMicros(): number | undefined {
    return Number.isFinite(this.maxMicros) ? this.maxMicros : undefined;
  }

  /**
   * Returns the values at quantiles (ascending, 0 to 1) by nearest rank: the smallest value that at least
   * that share does not exceed, within 0.1 % (see `valueIn`). 0 and 1 return the exact minimum and maximum, which bound all
   * values. Requests without a response time rank last. `undefined` if the request of that rank has no known
   * response time.
   */
  quantiles(wanted: readonly number[]): (number | undefined)[] {
    if (!this.hasDistribution) return wanted.map(() => undefined);
    const total = Number(this.requests);
    const timed = Number(this.timedRequests);
    const times = this.#exactTimes();
    const answer: (number | undefined)[] = [];
    let [bucket, seen] = [-1, 0];
    for (const q of wanted) {
      const rank = rankOf(q, total);
      if (rank > timed) {
        answer.push(undefined);
        continue;
      }
      while (seen < rank) {
        bucket = this.#counts.next(bucket + 1);
        seen += this.#counts.of(bucket);
      }
      answer.push(this.#valueOfRank(rank, bucket, times));
    }
    return answer;
  }

  /** Returns the requests of at most `micros`, and all others of that bucket, which are up to 0.2 % slower. */
  requestsWithin(micros: number): number {
    const last = bucketOf(Math.min(Number.MAX_SAFE_INTEGER, micros));
    let within = 0;
    for (const bucket of this.#counts.used()) {
      if (bucket > last) break;
      within += this.#counts.of(bucket);
    }
    return within;
  }

  /** Values and counts, ascending: for each bucket in use the value that `quantiles` returns, so both agree. */
  valueCounts(): { readonly micros: readonly number[]; readonly requests: readonly number[] } {
    const [micros, requests]: [number[], number[]] = [[], []];
    const times = this.#exactTimes();
    for (const bucket of this.#counts.used()) {
      micros.push(valueIn(bucket, times));
      requests.push(this.#counts.of(bucket));
    }
    return { micros, requests };
  }

  #valueOfRank(rank: number, bucket: number, times: ExactTimes): number {
    if (rank === 1) return times.minMicros;
    if (rank >= Number(this.timedRequests)) return times.maxMicros;
    return valueIn(bucket, times);
  }

  #exactTimes(): ExactTimes {
    const { minMicros, maxMicros, elapsedMicros, failedElapsedMicros } = this;
    const sums = [elapsedMicros, failedElapsedMicros].map((sum) => Number(sum % 1000n));
    return exactTimesOf({ minMicros, maxMicros }, sums, () =>
      this.#counts.areAllIn(bucketsWithMillisecond()),
    );
  }
}
