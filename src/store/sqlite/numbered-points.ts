/** The points of a batch under the endpoint numbers of its load test. */

import type { DataPoints } from "../../model/data-points.ts";
import { inOneForm, mergePoints } from "../../model/merge-points.ts";
import { areNeighbours, type EndpointRun, endpointRuns } from "../endpoint-runs.ts";
import { arrangePoints } from "../series.ts";

/** Points of a run, on average, below which it is short. */
const SHORT_RUN = 32;

/**
 * Points by (endpoint, second), no pair twice: in the columns they came in, as moving all of them
 * would take longer than encoding them. The endpoints are those of the runs, not of their column.
 */
export interface NumberedPoints {
  readonly columns: DataPoints;
  /** Ascending by endpoint, none twice; all points are in one of them. */
  readonly runs: readonly EndpointRun[];
}

/** Points that are sorted by (endpoint, second) already. */
export function inOrder(points: DataPoints): NumberedPoints {
  return { columns: points, runs: endpointRuns(points.endpoint) };
}

/** The points under the numbers of their labels. */
export function numberPoints(
  points: DataPoints,
  numbers: ReadonlyMap<number, number>,
): NumberedPoints {
  const runs = endpointRuns(points.endpoint)
    .map(({ endpoint, from, until }) => ({
      endpoint: numbers.get(endpoint) as number,
      from,
      until,
    }))
    .toSorted((left, right) => left.endpoint - right.endpoint);
  const isApart = runs.every(({ endpoint }, at) => endpoint !== runs[at - 1]?.endpoint);
  if (isApart) return inFewRuns({ columns: inOneForm(points), runs });
  // Two labels of the batch are the same endpoint.
  return inOrder(mergePoints([arrange({ columns: points, runs })]));
}

/** Short runs are put in order after all: to go from one to the other would take longer. */
function inFewRuns(points: NumberedPoints): NumberedPoints {
  const { columns, runs } = points;
  const isShort = runs.length * SHORT_RUN > columns.second.length;
  return isShort && !areNeighbours(runs) ? inOrder(arrange(points)) : points;
}

/** The points in columns that are sorted by (endpoint, second). */
export function arrange({ columns, runs }: NumberedPoints): DataPoints {
  const endpoint = new Uint32Array(columns.endpoint.length);
  let at = 0;
  for (const { endpoint: number, from, until } of runs) {
    endpoint.fill(number, at, at + until - from);
    at += until - from;
  }
  return { ...arrangePoints(columns, runs), endpoint };
}
