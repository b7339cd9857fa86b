/** Response times of passed and failed requests apart. Only mixed points, which have both, need more than their own: see `Outcomes`. */

import type {
  DistributionColumns,
  OutcomeColumns,
  Outcomes,
  SeriesColumns,
  SumColumns,
} from "./data-points.ts";
import { addExactly } from "./exact.ts";
import type { RowGroups } from "./row-groups.ts";

export type Outcome = "passed" | "failed";

export const OUTCOMES = ["passed", "failed"] as const satisfies readonly Outcome[];

type Counts = Pick<
  SumColumns,
  "requests" | "failedRequests" | "untimedRequests" | "untimedFailedRequests"
>;

/** Requests of a point with a response time. */
export function timedOf({ requests, untimedRequests }: Counts, point: number): number {
  return (requests[point] as number) - (untimedRequests?.[point] ?? 0);
}

/** Failed requests of a point with a response time. */
export function timedFailedOf(
  { failedRequests, untimedFailedRequests }: Counts,
  point: number,
): number {
  return (failedRequests[point] as number) - (untimedFailedRequests?.[point] ?? 0);
}

/** Whether requests with a response time both passed and failed. */
export function isMixed(columns: Counts, point: number): boolean {
  if (columns.failedRequests[point] === 0) return false;
  const failed = timedFailedOf(columns, point);
  return failed > 0 && failed < timedOf(columns, point);
}

/** Returns how many requests the histogram of a point holds. */
export function distributedOf(
  { bucketsFrom, bucketCount }: Pick<DistributionColumns, "bucketsFrom" | "bucketCount">,
  point: number,
): number {
  let sum = 0;
  const end = bucketsFrom[point + 1] as number;
  for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
    sum += bucketCount[entry] as number;
  }
  return sum;
}

/** One entry to add to `OutcomesBuilder`. */
export interface OutcomeTimes {
  readonly passedMin: number;
  readonly passedMax: number;
  readonly failedMin: number;
  readonly failedMax: number;
  /** Ascending by bucket. */
  readonly buckets: Iterable<readonly [bucket: number, count: number]>;
}

/** Collects entries in the order of their points. */
export class OutcomesBuilder {
  readonly #point: number[] = [];
  readonly #passedMin: number[] = [];
  readonly #passedMax: number[] = [];
  readonly #failedMin: number[] = [];
  readonly #failedMax: number[] = [];
  readonly #bucketsFrom = [0];
  readonly #bucket: number[] = [];
  readonly #bucketCount: number[] = [];

  add(point: number, { passedMin, passedMax, failedMin, failedMax, buckets }: OutcomeTimes): void {
    for (const [bucket, count] of buckets) {
      this.#bucket.push(bucket);
      this.#bucketCount.push(count);
    }
    this.#addExtremes(point, passedMin, passedMax);
    this.#failedMin.push(failedMin);
    this.#failedMax.push(failedMax);
  }

  copy(point: number, { passedMinMicros, passedMaxMicros, failed }: Outcomes, entry: number): void {
    const [passedMin, passedMax] = [
      passedMinMicros[entry] as number,
      passedMaxMicros[entry] as number,
    ];
    this.addFailed(point, { passedMin, passedMax }, failed, entry);
  }

  /** Adds all entries of other outcomes, whose points begin at `first`. */
  copyAll(first: number, outcomes: Outcomes): void {
    for (let entry = 0; entry < outcomes.point.length; entry++) {
      this.copy(first + (outcomes.point[entry] as number), outcomes, entry);
    }
  }

  /** Adds the extremes of passed requests, and the times of failed ones: those of point `own`. */
  addFailed(
    point: number,
    { passedMin, passedMax }: Pick<OutcomeTimes, "passedMin" | "passedMax">,
    failed: DistributionColumns,
    own: number,
  ): void {
    const end = failed.bucketsFrom[own + 1] as number;
    for (let entry = failed.bucketsFrom[own] as number; entry < end; entry++) {
      this.#bucket.push(failed.bucket[entry] as number);
      this.#bucketCount.push(failed.bucketCount[entry] as number);
    }
    this.#addExtremes(point, passedMin, passedMax);
    this.#failedMin.push(failed.minMicros[own] as number);
    this.#failedMax.push(failed.maxMicros[own] as number);
  }

  #addExtremes(point: number, passedMin: number, passedMax: number): void {
    this.#point.push(point);
    this.#passedMin.push(passedMin);
    this.#passedMax.push(passedMax);
    this.#bucketsFrom.push(this.#bucket.length);
  }

  /** `undefined` if there are none. */
  finish(): Outcomes | undefined {
    if (this.#point.length === 0) return undefined;
    return {
      point: new Uint32Array(this.#point),
      passedMinMicros: new Float64Array(this.#passedMin),
      passedMaxMicros: new Float64Array(this.#passedMax),
      failed: {
        minMicros: new Float64Array(this.#failedMin),
        maxMicros: new Float64Array(this.#failedMax),
        bucketsFrom: new Uint32Array(this.#bucketsFrom),
        bucket: new Uint16Array(this.#bucket),
        bucketCount: new Float64Array(this.#bucketCount),
      },
    };
  }
}

export function outcomeTimes(
  { passedMinMicros, passedMaxMicros, failed }: Outcomes,
  entry: number,
): OutcomeTimes {
  return {
    passedMin: passedMinMicros[entry] as number,
    passedMax: passedMaxMicros[entry] as number,
    failedMin: failed.minMicros[entry] as number,
    failedMax: failed.maxMicros[entry] as number,
    buckets: bucketsOf(failed, entry),
  };
}

export function bucketsOf(
  { bucketsFrom, bucket, bucketCount }: DistributionColumns,
  point: number,
): readonly (readonly [bucket: number, count: number])[] {
  const buckets: (readonly [number, number])[] = [];
  const end = bucketsFrom[point + 1] as number;
  for (let entry = bucketsFrom[point] as number; entry < end; entry++) {
    buckets.push([bucket[entry] as number, bucketCount[entry] as number]);
  }
  return buckets;
}

/** Returns the entries of moved points; `placeOf` gives the new index of each, below 0 to drop it. */
export function moveOutcomes(
  outcomes: Outcomes | undefined,
  placeOf: (point: number) => number,
): Outcomes | undefined {
  if (outcomes === undefined) return undefined;
  const moved = Array.from(outcomes.point, (point, entry) => ({ place: placeOf(point), entry }))
    .filter(({ place }) => place >= 0)
    .toSorted((left, right) => left.place - right.place);
  const builder = new OutcomesBuilder();
  for (const { place, entry } of moved) builder.copy(place, outcomes, entry);
  return builder.finish();
}

/** Returns the entries of the points `from` to `until` (half open), which become 0 and so on. */
export function sliceOutcomes(
  outcomes: Outcomes | undefined,
  from: number,
  until: number,
): Outcomes | undefined {
  if (outcomes === undefined) return undefined;
  const builder = new OutcomesBuilder();
  for (let entry = 0; entry < outcomes.point.length; entry++) {
    const point = outcomes.point[entry] as number;
    if (point >= from && point < until) builder.copy(point - from, outcomes, entry);
  }
  return builder.finish();
}

/** Returns the outcomes of merged points, one for each group. Throws `sum-too-large`. */
export function mergeOutcomes(
  all: OutcomeColumns,
  { order, from }: RowGroups,
  merged: OutcomeColumns,
): Outcomes | undefined {
  const builder = new OutcomesBuilder();
  const { outcomes } = all;
  const entries = new Map(Array.from(outcomes?.point ?? [], (point, entry) => [point, entry]));
  for (let group = 0; group < merged.second.length; group++) {
    if (!isMixed(merged, group)) continue;
    const [first, end] = [from[group] as number, from[group + 1] as number];
    if (end - first === 1) {
      const only = entries.get(order[first] as number);
      if (only !== undefined && outcomes !== undefined) builder.copy(group, outcomes, only);
    } else {
      const times = mergedTimes(all, entries, order.subarray(first, end));
      if (times !== undefined && areComplete(merged, group, times)) builder.add(group, times);
    }
  }
  return builder.finish();
}

/** Joins the outcomes of consecutive parts. */
export function concatenateOutcomes(parts: readonly OutcomeColumns[]): Outcomes | undefined {
  if (parts.every(({ outcomes }) => outcomes === undefined)) return undefined;
  const builder = new OutcomesBuilder();
  let before = 0;
  for (const { outcomes, second } of parts) {
    if (outcomes !== undefined) builder.copyAll(before, outcomes);
    before += second.length;
  }
  return builder.finish();
}

/** `undefined` if those of a part are unknown. */
function mergedTimes(
  all: OutcomeColumns,
  entries: ReadonlyMap<number, number>,
  parts: Uint32Array,
): OutcomeTimes | undefined {
  let [passedMin, passedMax, failedMin, failedMax] = [Infinity, -Infinity, Infinity, -Infinity];
  const counts = new Map<number, number>();
  for (const part of parts) {
    const times = timesOfPart(all, entries, part);
    if (times === undefined) return undefined;
    passedMin = Math.min(passedMin, times.passedMin);
    passedMax = Math.max(passedMax, times.passedMax);
    failedMin = Math.min(failedMin, times.failedMin);
    failedMax = Math.max(failedMax, times.failedMax);
    for (const [bucket, count] of times.buckets) {
      counts.set(bucket, addExactly(counts.get(bucket) ?? 0, count));
    }
  }
  const buckets = [...counts].toSorted(([left], [right]) => left - right);
  return { passedMin, passedMax, failedMin, failedMax, buckets };
}

const NOTHING: OutcomeTimes = {
  passedMin: Infinity,
  passedMax: -Infinity,
  failedMin: Infinity,
  failedMax: -Infinity,
  buckets: [],
};

function timesOfPart(
  all: OutcomeColumns,
  entries: ReadonlyMap<number, number>,
  part: number,
): OutcomeTimes | undefined {
  if (isMixed(all, part)) {
    const entry = entries.get(part);
    if (entry === undefined || all.outcomes === undefined) return undefined;
    return outcomeTimes(all.outcomes, entry);
  }
  const [min, max] = [all.minMicros[part] as number, all.maxMicros[part] as number];
  if (timedFailedOf(all, part) === 0) return { ...NOTHING, passedMin: min, passedMax: max };
  return { ...NOTHING, failedMin: min, failedMax: max, buckets: bucketsOf(all, part) };
}

/** Whether every response time of a mixed point is known. */
function areComplete(points: SeriesColumns, point: number, times: OutcomeTimes): boolean {
  const { passedMin, passedMax, failedMin, failedMax, buckets } = times;
  if (![passedMin, passedMax, failedMin, failedMax].every(Number.isFinite)) return false;
  let failed = 0;
  for (const [, count] of buckets) failed += count;
  if (failed !== timedFailedOf(points, point)) return false;
  return distributedOf(points, point) === timedOf(points, point);
}
