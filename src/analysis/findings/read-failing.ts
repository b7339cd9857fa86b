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

export function findFailing(
  endpoints: readonly EndpointSigns[],
  span: { readonly from: number; readonly until: number },
): FailingFinding | undefined {
  const failing = endpoints
    .filter(isFailing)
    .toSorted((left, right) => right.errCount - left.errCount);
  if (failing.length === 0) return undefined;
  const sumOf = (which: "count" | "errCount"): number =>
    failing.reduce((sum, each) => sum + each[which], 0);
  return {
    kind: "failing",
    from: span.from,
    until: span.until - 1,
    count: sumOf("count"),
    errCount: sumOf("errCount"),
    isAll: failing.length === endpoints.length,
    endpointCount: failing.length,
    endpoints: failing.slice(0, ENDPOINTS_MAX).map(({ endpoint }) => named(endpoint)),
  };
}
