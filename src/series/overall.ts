/** Which endpoints count where several are merged into one overall result: one rule for all readers. */

import type { DerivedRole } from "../model/role.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";

interface WithRole {
  readonly role?: DerivedRole | undefined;
}

/** What an overall result consists of. */
export interface OverallContents {
  /** `everything` where transactions or sub-results are in it. */
  readonly overallOf: "requests" | "everything";
  /** How many of the endpoints are not in it. */
  readonly leftOut: { readonly transactions: number; readonly subresults: number };
}

/**
 * Those of the selected endpoints that are merged: without transactions and sub-results,
 * which repeat the requests. Endpoints that were named by their hashes are all in it, and so are all
 * where none of them is of requests.
 */
export function overallEndpoints<Selected extends WithRole>(
  endpoints: readonly Selected[],
  selection: EndpointSelection,
): readonly Selected[] {
  if (selection.by !== "filter") return endpoints;
  const requests = endpoints.filter(({ role }) => role === undefined);
  return requests.length === 0 ? endpoints : requests;
}

/** What an overall result consists of; `shown` are all endpoints of the same answer. */
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
