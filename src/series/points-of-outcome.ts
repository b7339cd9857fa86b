import { type NumberColumn, mapSums, without } from "../model/columns.ts";
import type { DistributionColumns, OutcomeColumns, SumColumns } from "../model/data-points.ts";
import { BOUNDS } from "../model/histogram.ts";
import {
  bucketsOf,
  type Outcome,
  outcomeTimes,
  type OutcomeTimes,
  timedFailedOf,
  timedOf,
} from "../model/outcomes.ts";

/** Points of the passed or failed requests, if any, with exact sums; only averages where outcomes are unknown. */
export function pointsOfOutcome<Columns extends OutcomeColumns>(
  columns: Columns,
  outcome: Outcome,
): Omit<Columns, "outcomes"> {
  const sums = outcome === "failed" ? failedSums(columns) : passedSums(columns);
  const isKept = (_: unknown, point: number): boolean => (sums.requests[point] as number) > 0;
  const keep = <Column extends NumberColumn>(column: Column) => column.filter(isKept) as Column;
  const { outcomes: _, ...others } = columns;
  const { endpoint }: { endpoint?: Uint32Array } = columns as object;
  return {
    ...others,
    ...(endpoint && { endpoint: keep(endpoint) }),
    ...mapSums(sums, keep),
    ...timesOfOutcome(columns, outcome, sums.requests),
  };
}

function failedSums(columns: SumColumns): SumColumns {
  const { untimedFailedRequests, untimedRequests } = columns;
  return {
    ...columns,
    requests: columns.failedRequests,
    elapsedMicros: columns.failedElapsedMicros,
    receivedBytes: columns.failedReceivedBytes,
    untimedRequests: untimedFailedRequests ?? untimedRequests?.map(() => 0),
  };
}

function passedSums(columns: SumColumns): SumColumns {
  const { untimedFailedRequests, untimedRequests } = columns;
  return {
    ...columns,
    requests: without(columns.requests, columns.failedRequests),
    elapsedMicros: without(columns.elapsedMicros, columns.failedElapsedMicros),
    receivedBytes: without(columns.receivedBytes, columns.failedReceivedBytes),
    failedRequests: zerosFor(columns.requests),
    failedElapsedMicros: zerosFor(columns.requests),
    failedReceivedBytes: zerosFor(columns.requests),
    untimedRequests: untimedRequests && without(untimedRequests, untimedFailedRequests),
    untimedFailedRequests: untimedFailedRequests && zerosFor(untimedFailedRequests),
  };
}

function zerosFor({ length }: Float64Array): Float64Array {
  return new Float64Array(length);
}

function timesOfOutcome(
  columns: OutcomeColumns,
  outcome: Outcome,
  requests: Float64Array,
): DistributionColumns {
  const { outcomes } = columns;
  const [minMicros, maxMicros]: [number[], number[]] = [[], []];
  const [bucketsFrom, bucket, bucketCount]: [number[], number[], number[]] = [[0], [], []];
  const entries = new Map(Array.from(outcomes?.point ?? [], (point, entry) => [point, entry]));
  for (const [point, own] of requests.entries()) {
    if (own === 0) continue;
    const entry = entries.get(point);
    const known = outcomes && entry !== undefined ? outcomeTimes(outcomes, entry) : undefined;
    const { min, max, buckets } = timesOfPoint(columns, point, outcome, known);
    minMicros.push(min);
    maxMicros.push(max);
    for (const [number, count] of buckets) {
      bucket.push(number);
      bucketCount.push(count);
    }
    bucketsFrom.push(bucket.length);
  }
  return {
    minMicros: Float64Array.from(minMicros),
    maxMicros: Float64Array.from(maxMicros),
    bucketsFrom: Uint32Array.from(bucketsFrom),
    bucket: Uint16Array.from(bucket),
    bucketCount: Float64Array.from(bucketCount),
  };
}

function timesOfPoint(
  columns: OutcomeColumns,
  point: number,
  outcome: Outcome,
  known: OutcomeTimes | undefined,
) {
  const failed = timedFailedOf(columns, point);
  const own = outcome === "failed" ? failed : timedOf(columns, point) - failed;
  if (own === 0) return { ...BOUNDS.none, buckets: [] };
  if (own === timedOf(columns, point)) {
    const [min, max] = [columns.minMicros[point] as number, columns.maxMicros[point] as number];
    return { min, max, buckets: bucketsOf(columns, point) };
  }
  if (known === undefined) return { ...BOUNDS.unknown, buckets: [] };
  const { passedMin, passedMax, failedMin, failedMax, buckets } = known;
  if (outcome === "failed") return { min: failedMin, max: failedMax, buckets };
  const gone = new Map(buckets);
  const left = bucketsOf(columns, point)
    .map(([bucket, count]) => [bucket, count - (gone.get(bucket) ?? 0)] as const)
    .filter(([, count]) => count > 0);
  return { min: passedMin, max: passedMax, buckets: left };
}
