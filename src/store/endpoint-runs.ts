/** Positions of each endpoint's points in columns with several endpoints. */

import { endpointsOfRuns, startsOfRuns } from "../model/point-facts.ts";
import type { IndexRange, IndexRanges } from "./series.ts";

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
