import { endOfPoints } from "../../model/columns.ts";
import { paced } from "../../concurrency/yielder.ts";
import type { Endpoint } from "../../model/load-test.ts";
import { coarsePoints } from "../../query/coarse-points.ts";
import {
  type PointColumns,
  VarintReader,
  VarintWriter,
  readPoints,
  writePoints,
} from "../../render/report-points.ts";

export interface GatheredSeries {
  readonly endpoint: Endpoint;
  /** Of many endpoints, decoded each time. */
  readonly points: PointColumns;
}

interface HeldSeries extends GatheredSeries {
  /** Compressed. */
  readonly sizeBytes: number;
}

/** Limits in compressed bytes. */
export interface GatherLimits {
  /** Applies while there are enough windows to show something. */
  readonly usualBytes: number;
  /** Applies before windows become too few. */
  readonly mostBytes: number;
}

interface Gathered {
  /** Windows begin at multiples of it. */
  readonly grainSeconds: number;
  /** Those with points, in order of arrival. */
  readonly series: readonly GatheredSeries[];
  readonly span: Span;
}

/** First and last UNIX second with a request, inclusive; absent without timestamps. */
export interface Span {
  readonly from?: number;
  readonly until?: number;
}

/** Seconds; each divides the next one and the longer ones of charts. */
export const GRAINS = [1, 5, 10, 30, 60, 120, 600, 1800, 3600];
export const WINDOWS_MIN = 30;
export const LIMITS: GatherLimits = { usualBytes: 900_000, mostBytes: 3_000_000 };

/** Series that are held as columns. Those of very many endpoints take ten times the memory of their bytes. */
const AS_COLUMNS_MAX = 256;

/** Compressed bytes of a point and of a histogram entry. */
const [BYTES_OF_A_POINT, BYTES_OF_AN_ENTRY] = [14, 0.7];

/** Gathers series at the finest grain within the limits; if they are exceeded, all that was read is coarsened. Throws `sum-too-large`. */
export async function gatherSeries(
  read: AsyncIterable<{ readonly endpoint: Endpoint; readonly columns: PointColumns }>,
  limits = LIMITS,
): Promise<Gathered> {
  let series: HeldSeries[] = [];
  let [grain, bytes, from, until] = [0, 0, Infinity, 0];
  for await (const { endpoint, columns } of paced(read)) {
    if (columns.second.length === 0) continue;
    const points = coarsePoints(columns, GRAINS[grain] as number);
    const own = held(endpoint, points, series.length);
    series.push(own);
    bytes += own.sizeBytes;
    from = Math.min(from, points.second.find((each) => each > 0) ?? Infinity);
    until = Math.max(until, endOfPoints(points));
    for (; grain + 1 < GRAINS.length && bytes > limitOf(grain + 1, until - from, limits); grain++) {
      series = await coarser(series, GRAINS[grain + 1] as number);
      bytes = series.reduce((sum, each) => sum + each.sizeBytes, 0);
    }
  }
  const span = until === 0 ? {} : { from, until: until - 1 };
  return { grainSeconds: GRAINS[grain] as number, series, span };
}

function limitOf(grain: number, seconds: number, { usualBytes, mostBytes }: GatherLimits): number {
  return seconds / (GRAINS[grain] as number) >= WINDOWS_MIN ? usualBytes : mostBytes;
}

async function coarser(series: HeldSeries[], grainSeconds: number): Promise<HeldSeries[]> {
  // In place, so that there is room for one list.
  for await (const [at, { endpoint, points }] of paced(series.entries())) {
    series[at] = held(endpoint, coarsePoints(points, grainSeconds), at);
  }
  return series;
}

function held(endpoint: Endpoint, points: PointColumns, at: number): HeldSeries {
  const sizeBytes = bytesOf(points);
  if (at < AS_COLUMNS_MAX) return { endpoint, sizeBytes, points };
  const out = new VarintWriter();
  writePoints(points, out);
  const packed = out.take();
  return {
    endpoint,
    sizeBytes,
    get points() {
      return readPoints(new VarintReader(packed, 0));
    },
  };
}

function bytesOf({ second, bucket }: PointColumns): number {
  return second.length * BYTES_OF_A_POINT + bucket.length * BYTES_OF_AN_ENTRY;
}
