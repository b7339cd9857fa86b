import type { DataPoints } from "./data-points.ts";
import { sumOf } from "./columns.ts";

/** What data points say together, so that who needs it does not walk over them again. */
export interface PointFacts extends SecondsOfPoints {
  readonly requests: number;
  readonly failedRequests: number;
  readonly distributed: number;
  readonly runs: EndpointSums;
}

interface SecondsOfPoints {
  /** Second 0 is ignored; `undefined` if there is no other one. */
  readonly firstSecond: number | undefined;
  /** Of the points that end last. */
  readonly lastSecond: number | undefined;
}

/** Runs of points of one endpoint, in order. */
export interface EndpointSums {
  /** The first point of each run, then the number of all points. */
  readonly from: Uint32Array;
  /** Sums of each run. */
  readonly requests: Float64Array;
  readonly failedRequests: Float64Array;
}

/** By the object with the columns: a copy with another column has its own facts. */
const known = new WeakMap<DataPoints, PointFacts>();

/** Computed once. */
export function factsOf(points: DataPoints): PointFacts {
  const facts = known.get(points) ?? computed(points);
  known.set(points, facts);
  return facts;
}

/** Notes facts that were computed with the points. Returns the points. */
export function withFacts(points: DataPoints, facts: PointFacts): DataPoints {
  known.set(points, facts);
  return points;
}

/** Requests of each run of points that has a name. */
export function namedRequests(
  points: DataPoints,
  nameOf: (endpoint: number) => string | undefined,
): readonly { readonly name: string; readonly values: number }[] {
  const { from, requests } = factsOf(points).runs;
  return Array.from(requests, (values, run) => {
    const name = nameOf(points.endpoint[from[run] as number] as number);
    return name === undefined ? [] : [{ name, values }];
  }).flat();
}

/** The points in columns of their own, with the same facts: others may be lent. */
export function copyOfPoints(points: DataPoints): DataPoints {
  const { outcomes } = points;
  const own = copyOfColumns(points);
  const failed = outcomes && copyOfColumns(outcomes.failed);
  const copy = failed ? { ...own, outcomes: { ...copyOfColumns(outcomes), failed } } : own;
  return withFacts(copy, factsOf(points));
}

/** Copies the typed arrays; other members are shared. */
export function copyOfColumns<Columns extends object>(columns: Columns): Columns {
  const own = Object.entries(columns).map(([name, column]) => [
    name,
    ArrayBuffer.isView(column) ? (column as Float64Array).slice() : column,
  ]);
  return Object.fromEntries(own) as Columns;
}

export function endpointsOfRuns(
  { endpoint }: Pick<DataPoints, "endpoint">,
  { from }: Pick<EndpointSums, "from">,
): Uint32Array {
  const endpoints = new Uint32Array(from.length - 1);
  for (let run = 0; run < endpoints.length; run++) {
    endpoints[run] = endpoint[from[run] as number] as number;
  }
  return endpoints;
}

function computed(points: DataPoints) {
  const { endpoint, second, requests, failedRequests, bucketCount } = points;
  const from = startsOfRuns(endpoint);
  const runs = {
    from,
    requests: sumRuns(requests, from),
    failedRequests: sumRuns(failedRequests, from),
  };
  const { firstSecond = 0, lastSecond = 0 } = secondsIn(points, [[0, second.length]]);
  return factsOfRuns(runs, { distributed: sumOf(bucketCount), firstSecond, lastSecond });
}

/** Of half-open ranges of points. */
export function secondsIn(
  { second, windowSeconds }: DataPoints,
  ranges: Iterable<readonly [from: number, until: number]>,
): SecondsOfPoints {
  let first = 2 ** 32;
  let last = 0;
  for (const [from, until] of ranges) {
    for (let point = from; point < until; point++) {
      const at = second[point] as number;
      if (at === 0) continue;
      last = Math.max(last, at + (windowSeconds?.[point] ?? 1) - 1);
      first = Math.min(first, at);
    }
  }
  return last === 0
    ? { firstSecond: undefined, lastSecond: undefined }
    : { firstSecond: first, lastSecond: last };
}

/** The first point of each run, then the number of all points. */
export function startsOfRuns(endpoint: Uint32Array): Uint32Array {
  const from = new Uint32Array(endpoint.length + 1);
  let runs = 0;
  for (let point = 0; point < endpoint.length; point++) {
    if (point === 0 || endpoint[point] !== endpoint[point - 1]) from[runs++] = point;
  }
  from[runs] = endpoint.length;
  return from.slice(0, runs + 1);
}

function sumRuns(column: Float64Array, from: Uint32Array): Float64Array {
  const sums = new Float64Array(from.length - 1);
  for (let run = 0; run < sums.length; run++) {
    const until = from[run + 1] as number;
    let sum = 0;
    for (let point = from[run] as number; point < until; point++) sum += column[point] as number;
    sums[run] = sum;
  }
  return sums;
}

/** Seconds are 0 if there is none. */
export function factsOfRuns(
  runs: EndpointSums,
  rest: { readonly distributed: number; readonly firstSecond: number; readonly lastSecond: number },
): PointFacts {
  const { distributed, firstSecond, lastSecond } = rest;
  return {
    requests: sumOf(runs.requests),
    failedRequests: sumOf(runs.failedRequests),
    distributed,
    firstSecond: lastSecond === 0 ? undefined : firstSecond,
    lastSecond: lastSecond === 0 ? undefined : lastSecond,
    runs,
  };
}
