import type { ComparedEndpoint } from "../api/comparison.ts";
import type { ShownPart } from "./shown-part.ts";
import { sortedRows } from "./sort-rows.ts";
import { kindOf } from "./verdicts.ts";

/** Endpoints whose label contains the filter: verdict counts refer to them. */
export function matchingRows(
  endpoints: readonly ComparedEndpoint[],
  { filter }: Pick<ShownPart, "filter">,
): readonly ComparedEndpoint[] {
  return filter === "" ? endpoints : endpoints.filter(({ label }) => label.includes(filter));
}

export function shownRows(
  endpoints: readonly ComparedEndpoint[],
  { filter, kind, order }: Pick<ShownPart, "filter" | "kind" | "order">,
): readonly ComparedEndpoint[] {
  const matching = matchingRows(endpoints, { filter });
  const chosen = kind === undefined ? matching : matching.filter((row) => kindOf(row) === kind);
  return sortedRows(chosen, order);
}
