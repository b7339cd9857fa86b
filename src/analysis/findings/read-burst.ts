import type { SumColumns } from "../../model/data-points.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { Endpoint } from "../../model/load-test.ts";
import type { BurstFinding, NamedEndpoint } from "../../api/findings.ts";
import { facetsOfBurst } from "./incident-facets.ts";
import { type FindingsScope, named, type WeightOf } from "./findings-scope.ts";
import { paced } from "../../concurrency/yielder.ts";
import { lowerBound, sumOf } from "../../model/columns.ts";

const SHARE_OF_FAILURES = 0.8;
const SHARE_OF_RANGE_MAX = 0.1;
const SHARE_OF_REQUESTS_MAX = 0.3;
const FAILURES_MIN = 10;

/** Throws `sum-too-large`, `damaged-store`. */
export async function describeBurst(scope: FindingsScope, burst: Burst): Promise<BurstFinding> {
  const range = { from: burst.from, until: burst.until + 1 };
  const failing: (NamedEndpoint & { readonly failures: number })[] = [];
  const endpoints = await scope.candidates(range, failuresOf);
  for await (const { endpoint, columns } of paced(scope.snapshot.read(endpoints, range, "sums"))) {
    const failures = columns.failedRequests.reduce((total, count) => total + count, 0);
    if (failures > 0) failing.push({ ...named(endpoint), failures });
  }
  const most = failing.toSorted((left, right) => right.failures - left.failures);
  const failure = await kindOf(scope, burst, endpoints);
  const byFailures = most.map(({ label, hash }) => ({ label, hash }));
  const facets = await facetsOfBurst(scope, range);
  return {
    kind: "burst",
    ...burst,
    failure,
    endpoints: byFailures,
    ...(facets.length > 0 && { facets }),
  };
}

const failuresOf: WeightOf = ({ failedRequests }, from, until) => {
  const failures = sumOf(failedRequests, from, until);
  return failures === 0 ? Number.NaN : failures;
};

async function kindOf(
  scope: FindingsScope,
  burst: Burst,
  endpoints: readonly Endpoint[],
): Promise<BurstFinding["failure"]> {
  const range = { from: burst.from, until: burst.until + 1 };
  const counts = new Map<string, FailureKind & { count: number }>();
  for await (const { kinds, kind, requests } of paced(scope.snapshot.failures(endpoints, range))) {
    for (const [row, count] of requests.entries()) {
      const { code, message } = kinds[kind[row] as number] as FailureKind;
      const key = JSON.stringify([code, message]);
      const known = counts.get(key)?.count ?? 0;
      counts.set(key, { code, message, count: known + count });
    }
  }
  const [most] = [...counts.values()].toSorted((left, right) => right.count - left.count);
  return most !== undefined && most.count * 2 > burst.errCount ? most : undefined;
}

type Burst = Pick<BurstFinding, "from" | "until" | "errCount" | "allErrCount">;

type SecondFailures = Pick<SumColumns, "second" | "requests" | "failedRequests" | "windowSeconds">;

export function findBurst(series: SecondFailures): Burst | undefined {
  const { second, requests, failedRequests } = series;
  const allErrCount = sumOf(failedRequests);
  if (allErrCount < FAILURES_MIN) return undefined;
  const burst = shortestSpan(series, Math.ceil(allErrCount * SHARE_OF_FAILURES));
  const length = lengthOf(series, burst);
  if (length >= lengthOf(series, { from: 0, to: second.length - 1 }) * SHARE_OF_RANGE_MAX) {
    return undefined;
  }
  const from = second[burst.from] as number;
  const end = lowerBound(second, from + length);
  const within = sumOf(requests, burst.from, end);
  if (within > sumOf(requests) * SHARE_OF_REQUESTS_MAX) return undefined;
  const errCount = sumOf(failedRequests, burst.from, end);
  return { from, until: from + length - 1, errCount, allErrCount };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Inclusive indexes of the shortest span with this many failures. */
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

/** From the first second to the end of the last window. */
function lengthOf({ second, windowSeconds }: SecondFailures, { from, to }: Span): number {
  return (second[to] as number) + (windowSeconds?.[to] ?? 1) - (second[from] as number);
}
