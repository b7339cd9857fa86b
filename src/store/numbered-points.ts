/** The points of a batch under the endpoint numbers of its load test. */

import type { DataPoints } from "../model/data-points.ts";
import { inOneForm, mergePoints } from "../model/merge-points.ts";
import { areNeighbours, type EndpointRun, endpointRuns } from "./endpoint-runs.ts";
import { arrangePoints } from "./series.ts";

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

/** The points under the numbers of their labels, by index. */
export function numberPoints(points: DataPoints, numbers: Uint32Array): NumberedPoints {
  const runs = inOrderOfNumbers(endpointRuns(points.endpoint), numbers);
  const isApart = runs.every(({ endpoint }, at) => endpoint !== runs[at - 1]?.endpoint);
  if (isApart) return inFewRuns({ columns: inOneForm(points), runs });
  // Two labels of the batch are the same endpoint.
  return inOrder(mergePoints([arrange({ columns: points, runs })]));
}

/** Sorts as numbers, many times as fast as by a comparison where there are very many runs. */
function inOrderOfNumbers(
  runs: readonly EndpointRun[],
  numbers: Uint32Array,
): readonly EndpointRun[] {
  const keys = new Float64Array(runs.length);
  for (const [at, { endpoint }] of runs.entries()) {
    keys[at] = (numbers[endpoint] as number) * runs.length + at;
  }
  keys.sort();
  const sorted: EndpointRun[] = [];
  for (const key of keys) {
    const endpoint = Math.floor(key / runs.length);
    const { from, until } = runs[key - endpoint * runs.length] as EndpointRun;
    sorted.push({ endpoint, from, until });
  }
  return sorted;
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
