/** Points of a batch with the endpoint numbers of its load test. */

import type { DataPoints } from "../model/data-points.ts";
import { withoutDefaults } from "../model/columns.ts";
import { mergePoints } from "../model/merge-points.ts";
import { factsOf } from "../model/point-facts.ts";
import type { EndpointRun } from "./endpoint-runs.ts";
import { arrangePoints, pickPoints } from "./series.ts";

/** Average points per run below which runs are short. */
const SHORT_RUN = 32;

/**
 * Points by (endpoint, second), unique, in the original columns, because moving all of them would take longer
 * than encoding them. The runs have the endpoints, not the column.
 */
export interface NumberedPoints {
  readonly columns: DataPoints;
  /** Ascending by endpoint, distinct; all points are in one of them. */
  readonly runs: readonly EndpointRun[];
}

/** Points already sorted by (endpoint, second). */
export function inOrder(points: DataPoints): NumberedPoints {
  return { columns: points, runs: runsOf(points) };
}

/** Renumbers the points by label index. */
export function numberPoints(points: DataPoints, numbers: Uint32Array): NumberedPoints {
  const { requests } = factsOf(points).runs;
  if (requests.length * SHORT_RUN > points.second.length) {
    // Sorting all points is faster than iterating over the runs.
    return inOrder(numberEach(points, numbers));
  }
  const runs = inOrderOfNumbers(runsOf(points), numbers);
  const isApart = runs.every(({ endpoint }, at) => endpoint !== runs[at - 1]?.endpoint);
  if (isApart) return { columns: withoutDefaults(points), runs };
  // Two labels of the batch are the same endpoint.
  return inOrder(mergePoints([arrange({ columns: points, runs })]));
}

function runsOf(points: DataPoints): readonly EndpointRun[] {
  const { from, requests } = factsOf(points).runs;
  return Array.from(requests, (_, run) => ({
    endpoint: points.endpoint[from[run] as number] as number,
    from: from[run] as number,
    until: from[run + 1] as number,
  }));
}

/** Renumbers and sorts points one by one, without an object per run. */
function numberEach(points: DataPoints, numbers: Uint32Array): DataPoints {
  const { length } = points.endpoint;
  const keys = new Float64Array(length);
  for (let point = 0; point < length; point++) {
    keys[point] = (numbers[points.endpoint[point] as number] as number) * length + point;
  }
  keys.sort();
  const order = new Uint32Array(length);
  const endpoint = new Uint32Array(length);
  for (const [rank, key] of keys.entries()) {
    const number = Math.floor(key / length);
    endpoint[rank] = number;
    order[rank] = key - number * length;
  }
  // If two labels of the batch are the same endpoint, seconds may repeat or not ascend.
  const isMoved = order.some((point, rank) => point !== rank);
  return mergePoints([{ ...(isMoved ? pickPoints(points, order) : points), endpoint }]);
}

/** Sorting as numbers is many times faster than with a comparison function. */
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

/** Returns the points in columns sorted by (endpoint, second). */
export function arrange({ columns, runs }: NumberedPoints): DataPoints {
  const endpoint = new Uint32Array(columns.endpoint.length);
  let at = 0;
  for (const { endpoint: number, from, until } of runs) {
    endpoint.fill(number, at, at + until - from);
    at += until - from;
  }
  return { ...arrangePoints(columns, runs), endpoint };
}
