/** Endpoints that fail throughout: no burst stands out of them. */

import type { FailingFinding } from "../../api/findings.ts";
import { named } from "./findings-scope.ts";
import type { EndpointSigns } from "./read-endpoints.ts";

const REQUESTS_MIN = 10;
const SHARE_MIN = 0.5;

/** Listed; the most failures first. */
const ENDPOINTS_MAX = 50;

export function isFailing({ count, errCount, bursts }: EndpointSigns): boolean {
  const [requests, failures] = bursts.reduce(
    ([all, failed], burst) => [all - burst.requests, failed - burst.errCount] as const,
    [count, errCount] as const,
  );
  return requests >= REQUESTS_MIN && failures >= SHARE_MIN * requests;
}

/** `count`: the requests of all endpoints, also of those that are not given. */
export function findFailing(
  endpoints: readonly EndpointSigns[],
  {
    from,
    until,
    count: all,
  }: { readonly from: number; readonly until: number; readonly count: number },
): FailingFinding | undefined {
  const failing = endpoints
    .filter(isFailing)
    .toSorted((left, right) => right.errCount - left.errCount);
  if (failing.length === 0) return undefined;
  const sumOf = (which: "count" | "errCount"): number =>
    failing.reduce((sum, each) => sum + each[which], 0);
  const count = sumOf("count");
  return {
    kind: "failing",
    from,
    until: until - 1,
    count,
    errCount: sumOf("errCount"),
    isAll: count === all,
    endpointCount: failing.length,
    endpoints: failing.slice(0, ENDPOINTS_MAX).map(({ endpoint }) => named(endpoint)),
  };
}
