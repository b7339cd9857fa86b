import { releaseMemory } from "../concurrency/release-memory.ts";
import { type SecondRange, lowerBound, mapSums, pickPoints, viewSeries } from "../model/columns.ts";
import type { DataPoints, DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { PointSums } from "./snapshot.ts";
import { endpointsOfRuns, startsOfRuns } from "../model/point-facts.ts";

/** Returns copies of the points with index `from` to `until` (half open). */
export function sliceSums(points: SumColumns, from: number, until: number): SumColumns {
  return mapSums(points, (column) => column.slice(from, until) as typeof column);
}

/** The same with distributions. */
export function sliceDistribution(
  points: DistributionColumns,
  from: number,
  until: number,
): DistributionColumns {
  const firstEntry = points.bucketsFrom[from] as number;
  const lastEntry = points.bucketsFrom[until] as number;
  return {
    minMicros: points.minMicros.slice(from, until),
    maxMicros: points.maxMicros.slice(from, until),
    bucketsFrom: points.bucketsFrom.slice(from, until + 1).map((entry) => entry - firstEntry),
    bucket: points.bucket.slice(firstEntry, lastEntry),
    bucketCount: points.bucketCount.slice(firstEntry, lastEntry),
  };
}

/** The same as `viewSeries`, with endpoints. */
export function viewPoints(points: DataPoints, from: number, until: number): DataPoints {
  return { endpoint: points.endpoint.subarray(from, until), ...viewSeries(points, from, until) };
}

export function viewSums(points: PointSums, from: number, until: number): PointSums {
  return {
    endpoint: points.endpoint.subarray(from, until),
    ...mapSums(points, (column) => column.subarray(from, until) as typeof column),
  };
}

/** Consecutive points as indexes, half open. */
export interface IndexRange {
  readonly from: number;
  readonly until: number;
}

/** Several of them: range i is `[from[i], until[i])`. */
export interface IndexRanges {
  readonly from: Uint32Array;
  readonly until: Uint32Array;
}

/** Returns the points of all ranges, in the order of the ranges. There are `count`. */
export function arrangePoints(
  points: DataPoints,
  { from, until }: IndexRanges,
  count: number,
): DataPoints {
  const order = new Uint32Array(count);
  let at = 0;
  for (let range = 0; range < from.length; range++) {
    const end = until[range] as number;
    for (let point = from[range] as number; point < end; point++) order[at++] = point;
  }
  const arranged = pickPoints(points, order);
  releaseMemory(order);
  return arranged;
}

/** Returns the indexes of the points within `range`, given ascending seconds; half open. */
export function indexesOf(
  second: Uint32Array,
  range: SecondRange,
): { readonly from: number; readonly until: number } {
  const from = lowerBound(second, range.from);
  return { from, until: Math.max(from, lowerBound(second, range.until)) };
}

/** Runs of consecutive points of one endpoint each. */
export interface EndpointRuns extends IndexRanges {
  readonly endpoint: Uint32Array;
}

/** Returns the runs of a column of endpoints, in order. `starts`: the first point of each, then the number of all points. */
export function endpointRuns(endpoint: Uint32Array, starts = startsOfRuns(endpoint)): EndpointRuns {
  const from = starts.subarray(0, -1);
  return {
    endpoint: endpointsOfRuns({ endpoint }, { from: starts }),
    from,
    until: starts.subarray(1),
  };
}

/** Returns where the points of each endpoint are, which have one run each. */
export function rangesByEndpoint(endpoint: Uint32Array): ReadonlyMap<number, IndexRange> {
  const runs = endpointRuns(endpoint);
  const ranges = Array.from(runs.endpoint, (own, run) => {
    return [own, { from: runs.from[run] as number, until: runs.until[run] as number }] as const;
  });
  return new Map(ranges);
}

/** Views of the runs `[first, end)`. */
export function sliceRuns(runs: EndpointRuns, first: number, end: number): EndpointRuns {
  return {
    endpoint: runs.endpoint.subarray(first, end),
    from: runs.from.subarray(first, end),
    until: runs.until.subarray(first, end),
  };
}

/** Number of points before each run, then of all. */
export function pointsBefore({ from, until }: IndexRanges): Uint32Array {
  const before = new Uint32Array(from.length + 1);
  for (let run = 0; run < from.length; run++) {
    const points = (until[run] as number) - (from[run] as number);
    before[run + 1] = (before[run] as number) + points;
  }
  return before;
}

export function pointsInRuns(runs: IndexRanges): number {
  return pointsBefore(runs)[runs.from.length] as number;
}

/** Returns one range for runs that are contiguous. */
export function joinedRanges(runs: IndexRanges): IndexRanges {
  const { from, until } = runs;
  for (let run = 1; run < from.length; run++) if (from[run] !== until[run - 1]) return runs;
  return { from: from.subarray(0, 1), until: until.subarray(-1) };
}
