/** Points of a batch with the endpoint numbers of its load test. */

import type { DataPoints } from "../model/data-points.ts";
import { pick, withoutDefaults } from "../model/columns.ts";
import { mergePoints } from "../model/merge-points.ts";
import { endpointsOfRuns, factsOf, withFacts } from "../model/point-facts.ts";
import { areGrouped, orderOf } from "../model/row-groups.ts";
import {
  type EndpointRuns,
  endpointRuns,
  joinedRanges,
  pointsBefore,
  arrangePoints,
} from "./series.ts";

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
  const facts = factsOf(points);
  const { from } = facts.runs;
  const unsorted = pick(numbers, endpointsOfRuns(points, facts.runs));
  const order = orderOf([unsorted], unsorted.length);
  const runs = {
    endpoint: pick(unsorted, order),
    from: pick(from.subarray(0, -1), order),
    until: pick(from.subarray(1), order),
  };
  if (!areGrouped([runs.endpoint])) {
    // Two labels of the batch are the same endpoint.
    return inOrder(mergePoints([arrange({ columns: points, runs })]));
  }
  if (order.length * SHORT_RUN <= points.second.length) {
    return { columns: withoutDefaults(points), runs };
  }
  // Moving all points is faster than iterating over the runs.
  const moved = withoutDefaults(arrange({ columns: points, runs }));
  const starts = pointsBefore(runs);
  const requests = pick(facts.runs.requests, order);
  const failedRequests = pick(facts.runs.failedRequests, order);
  const ofMoved = { ...facts, runs: { from: starts, requests, failedRequests } };
  return inOrder(withFacts(moved, ofMoved), starts);
}

/** Returns the points in columns sorted by (endpoint, second). */
export function arrange({ columns, runs }: NumberedPoints): DataPoints {
  const endpoint = new Uint32Array(columns.endpoint.length);
  let at = 0;
  for (let run = 0; run < runs.endpoint.length; run++) {
    const own = runs.endpoint[run] as number;
    const end = at + (runs.until[run] as number) - (runs.from[run] as number);
    // Not by `fill`: most runs of a live batch have one point.
    while (at < end) endpoint[at++] = own;
  }
  const { from } = joinedRanges(runs);
  const isArranged = from.length === 0 || (from.length === 1 && from[0] === 0);
  return { ...(isArranged ? columns : arrangePoints(columns, runs, endpoint.length)), endpoint };
}
