import type { DataPoints } from "./data-points.ts";

/** What data points say together, so that who needs it does not walk over them again. */
export interface PointFacts {
  readonly requests: number;
  readonly failedRequests: number;
  /** Requests in histograms. */
  readonly distributed: number;
  /** Second 0 is ignored; `undefined` if there is no other one. */
  readonly firstSecond: number | undefined;
  readonly lastSecond: number | undefined;
  readonly runs: EndpointSums;
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

export function endpointsOfRuns({ endpoint }: DataPoints, { from }: EndpointSums): Uint32Array {
  return from.subarray(0, -1).map((point) => endpoint[point] as number);
}

function computed({ endpoint, second, requests, failedRequests, bucketCount }: DataPoints) {
  const from: number[] = [];
  const [ofRuns, failedOfRuns]: [number[], number[]] = [[], []];
  let [first, last, own, failed] = [Infinity, 0, 0, 0];
  for (let point = 0; point <= second.length; point++) {
    if (point === second.length || point === 0 || endpoint[point] !== endpoint[point - 1]) {
      if (point > 0) {
        ofRuns.push(own);
        failedOfRuns.push(failed);
      }
      from.push(point);
      [own, failed] = [0, 0];
      if (point === second.length) break;
    }
    own += requests[point] as number;
    failed += failedRequests[point] as number;
    const at = second[point] as number;
    if (at > last) last = at;
    if (at > 0 && at < first) first = at;
  }
  return factsOfRuns(
    {
      from: Uint32Array.from(from),
      requests: Float64Array.from(ofRuns),
      failedRequests: Float64Array.from(failedOfRuns),
    },
    { distributed: sumOf(bucketCount), firstSecond: last === 0 ? 0 : first, lastSecond: last },
  );
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

function sumOf(column: Float64Array): number {
  let sum = 0;
  for (let row = 0; row < column.length; row++) sum += column[row] as number;
  return sum;
}
