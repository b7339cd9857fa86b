/** Points of a batch with the endpoint numbers of its load test. */

import { releaseMemory } from "../concurrency/release-memory.ts";
import type { DataPoints } from "../model/data-points.ts";
import { withoutDefaults } from "../model/columns.ts";
import { mergePoints } from "../model/merge-points.ts";
import { factsOf, withFacts } from "../model/point-facts.ts";
import { type EndpointRuns, endpointRuns, joinedRanges } from "./endpoint-runs.ts";
import { arrangePoints, pick, pickPoints } from "./series.ts";

/** Average points per run below which runs are short. */
const SHORT_RUN = 32;

/**
 * Points by (endpoint, second), unique, in the original columns, because moving all of them would take longer
 * than encoding them. The runs have the endpoints, not the column.
 */
export interface NumberedPoints {
  readonly columns: DataPoints;
  /** Ascending by endpoint, distinct; all points are in one of them. */
  readonly runs: EndpointRuns;
}

/** Points already sorted by (endpoint, second). `starts`: see `endpointRuns`. */
export function inOrder(points: DataPoints, starts?: Uint32Array): NumberedPoints {
  return { columns: points, runs: endpointRuns(points.endpoint, starts) };
}

/** Renumbers the points by label index. */
export function numberPoints(points: DataPoints, numbers: Uint32Array): NumberedPoints {
  const { requests, from } = factsOf(points).runs;
  if (requests.length * SHORT_RUN > points.second.length) {
    // Moving all points is faster than iterating over the runs.
    const moved = numberShortRuns(points, numbers);
    return inOrder(moved, factsOf(moved).runs.from);
  }
  const runs = inOrderOfNumbers(endpointRuns(points.endpoint, from), numbers);
  const isApart = runs.endpoint.every((endpoint, at) => endpoint !== runs.endpoint[at - 1]);
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
  for (const column of [keys, order]) releaseMemory(column);
  // If two labels of the batch are the same endpoint, seconds may repeat or not ascend.
  return isApart ? withFacts(withoutDefaults(moved), { ...facts, runs }) : mergePoints([moved]);
}

/** Sorting as numbers is many times faster than with a comparison function. */
function inOrderOfNumbers(runs: EndpointRuns, numbers: Uint32Array): EndpointRuns {
  const count = runs.endpoint.length;
  const keys = Float64Array.from(runs.endpoint, (label, at) => {
    return (numbers[label] as number) * count + at;
  });
  keys.sort();
  const endpoint = Uint32Array.from(keys, (key) => Math.floor(key / count));
  const order = keys.map((key, at) => key - (endpoint[at] as number) * count);
  return { endpoint, from: pick(runs.from, order), until: pick(runs.until, order) };
}

/** Returns the points in columns sorted by (endpoint, second). */
export function arrange({ columns, runs }: NumberedPoints): DataPoints {
  const endpoint = new Uint32Array(columns.endpoint.length);
  let at = 0;
  for (let run = 0; run < runs.endpoint.length; run++) {
    const points = (runs.until[run] as number) - (runs.from[run] as number);
    endpoint.fill(runs.endpoint[run] as number, at, at + points);
    at += points;
  }
  const { from } = joinedRanges(runs);
  const isArranged = from.length === 0 || (from.length === 1 && from[0] === 0);
  return { ...(isArranged ? columns : arrangePoints(columns, runs, endpoint.length)), endpoint };
}
