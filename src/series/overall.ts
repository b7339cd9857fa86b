/** Which endpoints count in overall results: one rule for all readers. */

import type { DerivedRole } from "../model/role.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";

interface WithRole {
  readonly role?: DerivedRole | undefined;
}

export interface OverallContents {
  /** `everything` if it includes transactions or sub-results. */
  readonly overallOf: "requests" | "everything";
  /** Number of excluded endpoints. */
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
