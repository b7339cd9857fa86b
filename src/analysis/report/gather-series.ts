import type { PointColumns } from "../../render/report-points.ts";
import type { Endpoint } from "../../model/load-test.ts";
import { coarsePoints } from "../../query/coarse-points.ts";
import type { TimeSlice } from "../../series/time-slice.ts";

export interface GatheredSeries {
  readonly endpoint: Endpoint;
  readonly points: PointColumns;
}

/** How much is gathered, in bytes that it takes when it is compressed. */
export interface GatherLimits {
  /** As long as there are enough windows to see something. */
  readonly usualBytes: number;
  /** Rather than to have fewer of them. */
  readonly mostBytes: number;
}

interface Gathered {
  /** Seconds that are merged: windows begin at multiples of it. */
  readonly grainSeconds: number;
  /** Those that have points, in the order in which they came. */
  readonly series: readonly GatheredSeries[];
  readonly span: Span;
}

/** First and last UNIX second with a request, both included; absent where no instant is known. */
interface Span {
  readonly from?: number;
  readonly until?: number;
}

/** Seconds; each divides the next one, and those that charts use beyond it. */
const GRAINS = [1, 5, 10, 30, 60, 120, 600, 1800, 3600];
const WINDOWS_MIN = 30;

const LIMITS: GatherLimits = { usualBytes: 900_000, mostBytes: 3_000_000 };
/** What a point costs beside its histogram, and an entry of it, when compressed. */
const [BYTES_OF_A_POINT, BYTES_OF_AN_ENTRY] = [14, 0.7];

/**
 * Reads series at the finest grain at which all of them stay within the limits: when it becomes too
 * much, all that was read until then is made coarser. Throws `sum-too-large`.
 */
export async function gatherSeries(
  read: AsyncIterable<{ readonly endpoint: Endpoint; readonly columns: PointColumns }>,
  slice: TimeSlice,
  limits = LIMITS,
): Promise<Gathered> {
  let series: GatheredSeries[] = [];
  let [grain, bytes, from, until] = [0, 0, Infinity, 0];
  for await (const { endpoint, columns } of read) {
    if (columns.second.length === 0) continue;
    const points = coarsePoints(columns, GRAINS[grain] as number);
    series.push({ endpoint, points });
    bytes += bytesOf(points);
    from = Math.min(from, firstOf(points));
    until = Math.max(until, endOf(points));
    for (; grain + 1 < GRAINS.length && bytes > limitOf(grain + 1, until - from, limits); grain++) {
      series = await coarser(series, GRAINS[grain + 1] as number, slice);
      bytes = series.reduce((sum, each) => sum + bytesOf(each.points), 0);
    }
    if (slice.isOver()) await slice.next();
  }
  const span = until === 0 ? {} : { from, until: until - 1 };
  return { grainSeconds: GRAINS[grain] as number, series, span };
}

/** How much there may be before this grain is taken. */
function limitOf(grain: number, seconds: number, { usualBytes, mostBytes }: GatherLimits): number {
  return seconds / (GRAINS[grain] as number) >= WINDOWS_MIN ? usualBytes : mostBytes;
}

async function coarser(
  series: readonly GatheredSeries[],
  grainSeconds: number,
  slice: TimeSlice,
): Promise<GatheredSeries[]> {
  const made: GatheredSeries[] = [];
  for (const { endpoint, points } of series) {
    made.push({ endpoint, points: coarsePoints(points, grainSeconds) });
    if (slice.isOver()) await slice.next();
  }
  return made;
}

function bytesOf({ second, bucket }: PointColumns): number {
  return second.length * BYTES_OF_A_POINT + bucket.length * BYTES_OF_AN_ENTRY;
}

/** Second 0 is none. */
function firstOf({ second }: PointColumns): number {
  return second.find((each) => each > 0) ?? Infinity;
}

function endOf({ second, windowSeconds }: PointColumns): number {
  const last = second.at(-1) ?? 0;
  return last === 0 ? 0 : last + (windowSeconds?.at(-1) ?? 1);
}
