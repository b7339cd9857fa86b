/** Positions of each endpoint's points in columns with several endpoints. */

import type { IndexRange } from "./series.ts";

/** Consecutive points of one endpoint. */
export interface EndpointRun extends IndexRange {
  readonly endpoint: number;
}

/** Returns the runs of a column of endpoints, in order. */
export function endpointRuns(endpoint: Uint32Array): readonly EndpointRun[] {
  const runs: EndpointRun[] = [];
  let from = 0;
  for (let point = 1; point <= endpoint.length; point++) {
    if (point < endpoint.length && endpoint[point] === endpoint[from]) continue;
    runs.push({ endpoint: endpoint[from] as number, from, until: point });
    from = point;
  }
  return runs;
}

export function pointsInRuns(runs: readonly EndpointRun[]): number {
  return runs.reduce((sum, { from, until }) => sum + until - from, 0);
}

/** Whether the runs are contiguous. */
export function areNeighbours(runs: readonly EndpointRun[]): boolean {
  return runs.every(({ from }, index) => index === 0 || runs[index - 1]?.until === from);
}
