/**
 * The shortest span that holds 80 % of the failures. It is told only where it is short (under a tenth
 * of the load test), where there are failures enough that chance does not bring them together, and
 * where the requests are not just as crowded there.
 */

import { firstFrom } from "../../series/series-span.ts";

const SHARE_OF_FAILURES = 0.8;
const SHARE_OF_RANGE_MAX = 0.1;
const SHARE_OF_REQUESTS_MAX = 0.3;
const FAILURES_MIN = 10;

export interface Burst {
  /** First and last second, both included. */
  readonly from: number;
  readonly until: number;
  /** Failures in it, and in all. */
  readonly failures: number;
  readonly allFailures: number;
}

/** Requests and failed requests in each second that has any, ascending. */
export interface SecondFailures {
  readonly second: Uint32Array;
  readonly requests: Float64Array;
  readonly failedRequests: Float64Array;
  /** See `SumColumns`. */
  readonly windowSeconds?: Uint16Array | undefined;
}

export function findBurst(series: SecondFailures): Burst | undefined {
  const { second, requests, failedRequests } = series;
  const allFailures = sum(failedRequests, 0, second.length);
  if (allFailures < FAILURES_MIN) return undefined;
  const burst = shortestSpan(series, Math.ceil(allFailures * SHARE_OF_FAILURES));
  const length = lengthOf(series, burst);
  if (length >= lengthOf(series, { from: 0, to: second.length - 1 }) * SHARE_OF_RANGE_MAX) {
    return undefined;
  }
  const from = second[burst.from] as number;
  const end = firstFrom(second, from + length);
  const within = sum(requests, burst.from, end);
  if (within > sum(requests, 0, second.length) * SHARE_OF_REQUESTS_MAX) return undefined;
  const failures = sum(failedRequests, burst.from, end);
  return { from, until: from + length - 1, failures, allFailures };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Indexes, both included, of the shortest span with so many failures. */
function shortestSpan(series: SecondFailures, wanted: number): Span {
  const { second, failedRequests } = series;
  let shortest = { from: 0, to: second.length - 1 };
  let from = 0;
  let held = 0;
  for (let to = 0; to < second.length; to++) {
    held += failedRequests[to] as number;
    while (held - (failedRequests[from] as number) >= wanted) {
      held -= failedRequests[from] as number;
      from += 1;
    }
    if (held >= wanted && lengthOf(series, { from, to }) < lengthOf(series, shortest)) {
      shortest = { from, to };
    }
  }
  return shortest;
}

/** Seconds from the first to the end of the last one, or of the window that begins with it. */
function lengthOf({ second, windowSeconds }: SecondFailures, { from, to }: Span): number {
  return (second[to] as number) + (windowSeconds?.[to] ?? 1) - (second[from] as number);
}

function sum(column: Float64Array, from: number, to: number): number {
  return column.subarray(from, to).reduce((total, value) => total + value, 0);
}
