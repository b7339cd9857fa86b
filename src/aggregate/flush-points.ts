import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
import { UserError } from "../model/errors.ts";
import { bucketOf } from "../model/buckets/bucket-layout.ts";
import { BOUNDS } from "../model/histogram.ts";
import { mergePoints } from "../model/merge-points.ts";
import type { SampleWindow } from "../model/sample-batch.ts";

/** Seconds that a counting sort may span: twelve days. */
const COUNTED_SECONDS_MAX = 1 << 20;

/** Columns of an open point: 64 bytes, one cache line. Same layout as kernel/aggregate/record.ts. */
export const CELL = {
  requests: 0,
  failedRequests: 1,
  elapsedMicros: 2,
  receivedBytes: 3,
  failedElapsedMicros: 4,
  failedReceivedBytes: 5,
  minMicros: 6,
  maxMicros: 7,
} as const;

export const CELLS = 8;

/** Open points in insertion order; (label, second) is not unique. */
export interface OpenPoints {
  readonly label: Uint32Array;
  readonly second: Uint32Array;
  readonly cells: Float64Array;
}

export interface Ranks {
  /** The open points by (label, second). */
  readonly order: Uint32Array;
  readonly rankOf: Uint32Array;
  readonly count: number;
}

export type BucketColumns = Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount">;

/**
 * Sorts open points by (label, second) and merges equal ones; `sealBuckets` merges their latencies. Throws `sum-
 * too-large`.
 */
export function flushPoints(
  open: OpenPoints,
  sealBuckets: (ranks: Ranks) => BucketColumns,
): DataPoints {
  const order = orderByLabelAndSecond(open.label, open.second);
  const ranks = rankOpenPoints(open, order);
  const endpoint = new Uint32Array(ranks.count);
  const second = new Uint32Array(ranks.count);
  for (let at = 0; at < order.length; at++) {
    const point = order[at] as number;
    const rank = ranks.rankOf[point] as number;
    endpoint[rank] = open.label[point] as number;
    second[rank] = open.second[point] as number;
  }
  return {
    endpoint,
    second,
    ...sumColumns(open, ranks),
    minMicros: extremeColumn(open, ranks, CELL.minMicros),
    maxMicros: extremeColumn(open, ranks, CELL.maxMicros),
    ...sealBuckets(ranks),
  };
}

function rankOpenPoints(open: OpenPoints, order: Uint32Array): Ranks {
  const rankOf = new Uint32Array(order.length);
  let count = 0;
  for (let at = 0; at < order.length; at++) {
    const point = order[at] as number;
    const previous = order[at - 1];
    const same =
      previous !== undefined &&
      open.label[previous] === open.label[point] &&
      open.second[previous] === open.second[point];
    if (!same) count += 1;
    rankOf[point] = count - 1;
  }
  return { order, rankOf, count };
}

function sumColumns(open: OpenPoints, ranks: Ranks): Omit<SumColumns, "second"> {
  return {
    requests: sumColumn(open, ranks, CELL.requests),
    elapsedMicros: sumColumn(open, ranks, CELL.elapsedMicros),
    receivedBytes: sumColumn(open, ranks, CELL.receivedBytes),
    failedRequests: sumColumn(open, ranks, CELL.failedRequests),
    failedElapsedMicros: sumColumn(open, ranks, CELL.failedElapsedMicros),
    failedReceivedBytes: sumColumn(open, ranks, CELL.failedReceivedBytes),
  };
}

/** Sums never fall, so that one check at the end finds every sum that passed 2^53 - 1. */
function sumColumn(open: OpenPoints, { rankOf, count }: Ranks, cell: number): Float64Array {
  const column = new Float64Array(count);
  for (let point = 0; point < rankOf.length; point++) {
    const rank = rankOf[point] as number;
    const sum = (column[rank] as number) + (open.cells[point * CELLS + cell] as number);
    if (sum > Number.MAX_SAFE_INTEGER) {
      throw new UserError(
        "sum-too-large",
        `a sum of second ${open.second[point]} exceeds 2^53 - 1`,
      );
    }
    column[rank] = sum;
  }
  return column;
}

function extremeColumn(open: OpenPoints, { rankOf, count }: Ranks, cell: number): Float64Array {
  const smallest = cell === CELL.minMicros;
  const column = new Float64Array(count).fill(smallest ? Infinity : -Infinity);
  for (let point = 0; point < rankOf.length; point++) {
    const rank = rankOf[point] as number;
    const value = open.cells[point * CELLS + cell] as number;
    const best = column[rank] as number;
    if (smallest ? value < best : value > best) column[rank] = value;
  }
  return column;
}

function orderByLabelAndSecond(label: Uint32Array, second: Uint32Array): Uint32Array {
  return countingOrder(label, orderBySecond(second), spanOf(label));
}

function orderBySecond(second: Uint32Array): Uint32Array {
  const order = new Uint32Array(second.length);
  for (let point = 0; point < order.length; point++) order[point] = point;
  const span = spanOf(second);
  if (span.highest - span.lowest < COUNTED_SECONDS_MAX) return countingOrder(second, order, span);
  return order.toSorted((left, right) => (second[left] as number) - (second[right] as number));
}

/** Stable. */
function countingOrder(
  column: Uint32Array,
  order: Uint32Array,
  { lowest, highest }: Span,
): Uint32Array {
  const from = new Uint32Array(highest - lowest + 2);
  for (let point = 0; point < column.length; point++) {
    const next = (column[point] as number) - lowest + 1;
    from[next] = (from[next] as number) + 1;
  }
  for (let value = 1; value < from.length; value++) {
    from[value] = (from[value] as number) + (from[value - 1] as number);
  }
  const sorted = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) {
    const point = order[rank] as number;
    const value = (column[point] as number) - lowest;
    const place = from[value] as number;
    from[value] = place + 1;
    sorted[place] = point;
  }
  return sorted;
}

interface Span {
  readonly lowest: number;
  readonly highest: number;
}

function spanOf(column: Uint32Array): Span {
  let lowest = column[0] ?? 0;
  let highest = lowest;
  for (let point = 1; point < column.length; point++) {
    lowest = Math.min(lowest, column[point] as number);
    highest = Math.max(highest, column[point] as number);
  }
  return { lowest, highest };
}

/** Throws `sum-too-large`. */
export function pointsOfWindows(windows: readonly SampleWindow[]): DataPoints {
  const histograms = windows.map(histogramOf);
  const bucketsFrom = new Uint32Array(windows.length + 1);
  for (const [point, histogram] of histograms.entries()) {
    bucketsFrom[point + 1] = (bucketsFrom[point] as number) + histogram.length;
  }
  const column = (valueOf: (window: SampleWindow) => number) => Float64Array.from(windows, valueOf);
  const points = {
    endpoint: Uint32Array.from(windows, ({ label }) => label),
    second: Uint32Array.from(windows, ({ second }) => second),
    requests: column(({ requests }) => requests),
    elapsedMicros: column(({ elapsedMicros }) => elapsedMicros),
    receivedBytes: column(({ receivedBytes }) => receivedBytes),
    failedRequests: column(({ failedRequests }) => failedRequests),
    failedElapsedMicros: column(({ failedElapsedMicros }) => failedElapsedMicros),
    failedReceivedBytes: column(({ failedReceivedBytes }) => failedReceivedBytes),
    minMicros: column((window) => window.minMicros ?? boundsOf(window).min),
    maxMicros: column((window) => window.maxMicros ?? boundsOf(window).max),
    bucketsFrom,
    bucket: Uint16Array.from(histograms.flat(), ([bucket]) => bucket),
    bucketCount: Float64Array.from(histograms.flat(), ([, count]) => count),
    windowSeconds: Uint16Array.from(windows, ({ windowSeconds }) => windowSeconds),
    untimedRequests: column(({ untimedRequests = 0 }) => untimedRequests),
    untimedFailedRequests: column(({ untimedFailedRequests = 0 }) => untimedFailedRequests),
  };
  return mergePoints([points]);
}

function boundsOf({ requests, untimedRequests = 0 }: SampleWindow) {
  return requests === untimedRequests ? BOUNDS.none : BOUNDS.unknown;
}

/** (bucket, count) pairs, ascending by bucket. */
function histogramOf(window: SampleWindow): [bucket: number, count: number][] {
  const counts = new Map<number, number>();
  for (const latency of window.latencies) {
    const bucket = bucketOf(latency.elapsedMicros);
    counts.set(bucket, (counts.get(bucket) ?? 0) + latency.requests);
  }
  return [...counts].toSorted(([left], [right]) => left - right);
}
