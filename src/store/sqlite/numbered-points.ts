/** The points of a batch under the endpoint numbers of its load test. */

import type { DataPoints } from "../../model/data-points.ts";
import { mergePoints } from "../../model/merge-points.ts";
import { arrangePoints, type Stretch } from "../series.ts";

/** The points under the numbers of their labels, sorted anew. */
export function renumberPoints(
  points: DataPoints,
  numbers: ReadonlyMap<number, number>,
): DataPoints {
  const runs = endpointRuns(points.endpoint).map((run) => ({
    ...run,
    endpoint: numbers.get(run.endpoint) as number,
  }));
  const ordered = runs.toSorted((left, right) => left.endpoint - right.endpoint);
  const inOrder = ordered.every((run, index) => run === runs[index]);
  const moved = inOrder ? points : arrangePoints(points, ordered);
  const endpoint = new Uint32Array(points.endpoint.length);
  let at = 0;
  for (const { endpoint: number, from, until } of ordered) {
    endpoint.fill(number, at, at + until - from);
    at += until - from;
  }
  // Merging does something only where two labels of the batch are the same endpoint.
  return mergePoints([{ ...moved, endpoint }]);
}

interface EndpointRun extends Stretch {
  readonly endpoint: number;
}

/** Neighbouring points of the same endpoint. */
function endpointRuns(endpoint: Uint32Array): readonly EndpointRun[] {
  const runs: EndpointRun[] = [];
  let from = 0;
  for (let point = 1; point <= endpoint.length; point++) {
    if (point < endpoint.length && endpoint[point] === endpoint[from]) continue;
    runs.push({ endpoint: endpoint[from] as number, from, until: point });
    from = point;
  }
  return runs;
}
