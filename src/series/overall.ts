/** Which endpoints count in overall results: one rule for all readers. */

import { paced } from "../concurrency/yielder.ts";
import {
  ALL_SECONDS,
  type SecondRange,
  UNKNOWN_SECOND,
  withoutSecondZero,
} from "../model/columns.ts";
import type { DerivedRole } from "../model/role.ts";
import type { Snapshot } from "../store/snapshot.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";

interface WithRole {
  readonly role?: DerivedRole | undefined;
}

export interface OverallContents {
  /** `everything` if it includes transactions or sub-results. */
  readonly overallOf: "requests" | "everything";
  readonly leftOut: { readonly transactions: number; readonly subresults: number };
}

/**
 * Returns the selected endpoints that are merged: without transactions and sub-results, which repeat the
 * requests. Includes all if they were selected by hash, or if none of them is a request.
 */
export function overallEndpoints<Selected extends WithRole>(
  endpoints: readonly Selected[],
  selection: EndpointSelection,
): readonly Selected[] {
  if (selection.by !== "filter") return endpoints;
  const requests = endpoints.filter(({ role }) => role === undefined);
  return requests.length === 0 ? endpoints : requests;
}

/** Returns the contents of an overall result; `shown` are all endpoints of the same response. */
export function overallContents<Shown extends WithRole>(
  shown: readonly Shown[],
  isInOverall: (endpoint: Shown) => boolean,
): OverallContents {
  const [within, leftOut] = [shown.filter(isInOverall), shown.filter((each) => !isInOverall(each))];
  const count = (wanted: DerivedRole) => leftOut.filter(({ role }) => role === wanted).length;
  return {
    overallOf: within.every(({ role }) => role === undefined) ? "requests" : "everything",
    leftOut: { transactions: count("transaction"), subresults: count("subresult") },
  };
}

/** The part of a load test to analyse: a range without ramps. */
export interface SteadyPart {
  /** `undefined`: all of it. */
  readonly range: SecondRange | undefined;
  /** Seconds skipped at the start of the load test, during ramp-up. */
  readonly skipStartSeconds: number;
  /** Seconds skipped at its end, during ramp-down. */
  readonly skipEndSeconds: number;
}

/** Whether the span of the load test is needed. */
export function hasRamps({ skipStartSeconds, skipEndSeconds }: SteadyPart): boolean {
  return skipStartSeconds > 0 || skipEndSeconds > 0;
}

/** Returns the seconds of a part; `span` is that of the load test, `undefined` if unknown. */
export function steadyRange(
  { range, skipStartSeconds, skipEndSeconds }: SteadyPart,
  span: SecondRange | undefined,
): SecondRange {
  // No part of a run contains second 0, so this one is empty.
  if (span === undefined) return UNKNOWN_SECOND;
  const from = Math.max(range?.from ?? 0, span.from + skipStartSeconds);
  const until = Math.min(range?.until ?? Infinity, span.until - skipEndSeconds);
  return from < until ? { from, until } : UNKNOWN_SECOND;
}

/** From the first timestamped request of any endpoint to the last, whatever facets a view chooses; `undefined` without one. */
export async function spanOfRun({
  index: indexOfView,
  unmerged,
}: Pick<Snapshot, "index" | "unmerged">): Promise<SecondRange | undefined> {
  let [first, end] = [Infinity, 0];
  const index = await (unmerged?.index() ?? indexOfView());
  const sums = index.scan(index.numbers, withoutSecondZero(ALL_SECONDS), "sums", "any");
  for await (const { second, windowSeconds } of paced(sums)) {
    for (const [point, from] of second.entries()) {
      first = Math.min(first, from);
      end = Math.max(end, from + (windowSeconds?.[point] ?? 1));
    }
  }
  return end === 0 ? undefined : { from: first, until: end };
}
