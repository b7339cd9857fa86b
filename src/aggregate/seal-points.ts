import type { DataPoints, DistributionColumns } from "../model/data-points.ts";
import { UserError } from "../model/errors.ts";
import { orderByLabelAndSecond } from "./point-order.ts";

/**
 * What one open point keeps side by side: 64 bytes, one line of the processor's cache. The kernel
 * keeps the same (kernel/aggregate/record.ts).
 */
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

/** Cells of one point. */
export const CELLS = 8;

/** Open points in order of their opening; the same (label, second) may have several. */
export interface OpenPoints {
  readonly label: Uint32Array;
  readonly second: Uint32Array;
  /** `CELLS` numbers for each point. */
  readonly cells: Float64Array;
}

/** Which sealed point each open point is a part of. */
export interface Ranks {
  /** The open points by (label, second). */
  readonly order: Uint32Array;
  readonly rankOf: Uint32Array;
  /** Number of sealed points. */
  readonly count: number;
}

export type BucketColumns = Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount">;

/**
 * Sorts open points by (label, second) and merges the parts of each; `sealBuckets` merges their
 * latencies. Throws `sum-too-large`.
 */
export function sealPoints(
  open: OpenPoints,
  sealBuckets: (ranks: Ranks) => BucketColumns,
): DataPoints {
  const order = orderByLabelAndSecond(open.label, open.second);
  const ranks = rankOpenPoints(open, order);
  return { ...mergeCells(open, ranks), ...sealBuckets(ranks) };
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

type CellColumns = Omit<DataPoints, keyof BucketColumns | "windowSeconds">;

/** Goes through the points in their order, so that each line of the cache is read once. */
function mergeCells(open: OpenPoints, { order, rankOf, count }: Ranks): CellColumns {
  const merged = emptyColumns(count);
  const { cells } = open;
  for (let at = 0; at < order.length; at++) {
    const point = order[at] as number;
    const rank = rankOf[point] as number;
    const cell = point * CELLS;
    merged.endpoint[rank] = open.label[point] as number;
    merged.second[rank] = open.second[point] as number;
    add(merged.requests, rank, cells[cell + CELL.requests] as number);
    add(merged.failedRequests, rank, cells[cell + CELL.failedRequests] as number);
    add(merged.elapsedMicros, rank, cells[cell + CELL.elapsedMicros] as number);
    add(merged.receivedBytes, rank, cells[cell + CELL.receivedBytes] as number);
    add(merged.failedElapsedMicros, rank, cells[cell + CELL.failedElapsedMicros] as number);
    add(merged.failedReceivedBytes, rank, cells[cell + CELL.failedReceivedBytes] as number);
    const [lower, higher] = [merged.minMicros[rank] as number, merged.maxMicros[rank] as number];
    merged.minMicros[rank] = Math.min(lower, cells[cell + CELL.minMicros] as number);
    merged.maxMicros[rank] = Math.max(higher, cells[cell + CELL.maxMicros] as number);
  }
  requireExact(merged.elapsedMicros, merged.second);
  requireExact(merged.receivedBytes, merged.second);
  return merged;
}

function emptyColumns(count: number) {
  return {
    endpoint: new Uint32Array(count),
    second: new Uint32Array(count),
    requests: new Float64Array(count),
    elapsedMicros: new Float64Array(count),
    receivedBytes: new Float64Array(count),
    failedRequests: new Float64Array(count),
    failedElapsedMicros: new Float64Array(count),
    failedReceivedBytes: new Float64Array(count),
    minMicros: new Float64Array(count).fill(Infinity),
    maxMicros: new Float64Array(count).fill(-Infinity),
  };
}

function add(column: Float64Array, at: number, value: number): void {
  column[at] = (column[at] as number) + value;
}

/**
 * Sums of integers never fall, not even rounded: a sum that ever passed 2^53 - 1 shows it at the
 * end, so that one check here is enough for all additions before. Those over failed requests are no
 * larger.
 */
function requireExact(sums: Float64Array, second: Uint32Array): void {
  for (let rank = 0; rank < sums.length; rank++) {
    if ((sums[rank] as number) > Number.MAX_SAFE_INTEGER) {
      throw new UserError("sum-too-large", `a sum of second ${second[rank]} passes 2^53 - 1`);
    }
  }
}
