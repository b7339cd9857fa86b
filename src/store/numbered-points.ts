/** Points of a batch with the endpoint numbers of its load test. */

import type { DataPoints } from "../model/data-points.ts";
import { withoutDefaults } from "../model/columns.ts";
import { mergePoints } from "../model/merge-points.ts";
import { factsOf, withFacts } from "../model/point-facts.ts";
import { areNeighbours, type EndpointRun, endpointRuns } from "./endpoint-runs.ts";
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
  return { columns: points, runs: endpointRuns(points.endpoint) };
}

/** Renumbers the points by label index. */
export function numberPoints(points: DataPoints, numbers: Uint32Array): NumberedPoints {
  const { requests } = factsOf(points).runs;
  if (requests.length * SHORT_RUN > points.second.length) {
    // Moving all points is faster than iterating over the runs.
    return inOrder(numberShortRuns(points, numbers));
  }
  const runs = inOrderOfNumbers(endpointRuns(points.endpoint), numbers);
  const isApart = runs.every(({ endpoint }, at) => endpoint !== runs[at - 1]?.endpoint);
  if (isApart) return { columns: withoutDefaults(points), runs };
  // Two labels of the batch are the same endpoint.
  return inOrder(mergePoints([arrange({ columns: points, runs })]));
}

/** Renumbers and moves runs, without an object for each. */
function numberShortRuns(points: DataPoints, numbers: Uint32Array): DataPoints {
  const facts = factsOf(points);
  const { from, requests, failedRequests } = facts.runs;
  const count = requests.length;
  const keys = new Float64Array(count);
  for (let run = 0; run < count; run++) {
    const label = points.endpoint[from[run] as number] as number;
    keys[run] = (numbers[label] as number) * count + run;
  }
  keys.sort();
  const order = new Uint32Array(points.endpoint.length);
  const endpoint = new Uint32Array(points.endpoint.length);
  const runs = {
    from: new Uint32Array(count + 1),
    requests: new Float64Array(count),
    failedRequests: new Float64Array(count),
  };
  let [rank, before, isApart, isMoved] = [0, -1, true, false];
  for (let at = 0; at < count; at++) {
    const number = Math.floor((keys[at] as number) / count);
    const run = (keys[at] as number) - number * count;
    isApart &&= number > before;
    isMoved ||= run !== at;
    before = number;
    runs.from[at] = rank;
    runs.requests[at] = requests[run] as number;
    runs.failedRequests[at] = failedRequests[run] as number;
    const until = from[run + 1] as number;
    for (let point = from[run] as number; point < until; point++) {
      order[rank] = point;
      endpoint[rank++] = number;
    }
  }
  runs.from[count] = rank;
  const moved = { ...(isMoved ? pickPoints(points, order) : points), endpoint };
  // If two labels of the batch are the same endpoint, seconds may repeat or not ascend.
  return isApart ? withFacts(withoutDefaults(moved), { ...facts, runs }) : mergePoints([moved]);
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
  const isArranged = (runs[0]?.from ?? 0) === 0 && areNeighbours(runs);
  return { ...(isArranged ? columns : arrangePoints(columns, runs)), endpoint };
}
