/** What a whole is made of, where several endpoints are taken as one: one rule for all that do so. */

import type { DerivedRole } from "../model/role.ts";
import type { EndpointSelection } from "./endpoint-selection.ts";

interface WithRole {
  readonly role?: DerivedRole | undefined;
}

/** What is said of a whole beside its figures. */
export interface WholeContents {
  /** `everything` where transactions or sub-results are in it. */
  readonly overallOf: "requests" | "everything";
  /** How many of the endpoints are not in it. */
  readonly leftOut: { readonly transactions: number; readonly subresults: number };
}

/**
 * Those of the selected endpoints that a whole is made of: without transactions and sub-results,
 * which repeat the requests. Endpoints that were named by their hashes are all in it, and so are all
 * where none of them is of requests.
 */
export function wholeOf<Selected extends WithRole>(
  endpoints: readonly Selected[],
  selection: EndpointSelection,
): readonly Selected[] {
  if (selection.by !== "filter") return endpoints;
  const requests = endpoints.filter(({ role }) => role === undefined);
  return requests.length === 0 ? endpoints : requests;
}

/** Says what a whole is made of, where `shown` are all that are answered beside it. */
export function contentsOf<Shown extends WithRole>(
  shown: readonly Shown[],
  isInWhole: (endpoint: Shown) => boolean,
): WholeContents {
  const [within, leftOut] = [shown.filter(isInWhole), shown.filter((each) => !isInWhole(each))];
  const count = (wanted: DerivedRole) => leftOut.filter(({ role }) => role === wanted).length;
  return {
    overallOf: within.every(({ role }) => role === undefined) ? "requests" : "everything",
    leftOut: { transactions: count("transaction"), subresults: count("subresult") },
  };
}
