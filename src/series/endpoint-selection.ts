import { hash } from "node:crypto";
import type { FacetSelection } from "./series-groups.ts";
import type { SecondRange } from "../model/columns.ts";

/** Selects endpoints: labels that contain a text, or those with one of these SHA-1 hashes (lower case). */
export type EndpointSelection = (
  | { readonly by: "filter"; readonly filter: string }
  | { readonly by: "hash"; readonly hash: string }
  | { readonly by: "hashes"; readonly hashes: readonly string[] }
) & {
  /** Which series of the labels, and how they are shown. @default all, merged */
  readonly facets?: FacetSelection;
  /** Transactions alone. @default requests count, transactions and sub-results are listed beside them */
  readonly count?: "transactions" | undefined;
};

export interface SelectedPart {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything; what is read over time has no requests without a timestamp. */
  readonly range: SecondRange | undefined;
}

/** Every label contains the empty text. */
export const ALL_ENDPOINTS: EndpointSelection = { by: "filter", filter: "" };

export function isEverything(selection: EndpointSelection): boolean {
  const isWhole = selection.facets === undefined || selection.facets.where.length === 0;
  return (
    isWhole && selection.count === undefined && selection.by === "filter" && selection.filter === ""
  );
}

/** Endpoints by their hashes, and the facets of a selection. */
export function ofHashes(
  { facets }: EndpointSelection,
  hashes: readonly string[],
): EndpointSelection {
  return { by: "hashes", hashes, ...(facets && { facets }) };
}

/** The same, of load tests that need not have its facets. */
export function whereverFound(selection: EndpointSelection): EndpointSelection {
  const { facets } = selection;
  return facets === undefined
    ? selection
    : { ...selection, facets: { ...facets, mayBeMissing: true } };
}

/** Returns the hash of an endpoint: SHA-1 of its label in UTF-8, lower-case hex. */
export function hashOfLabel(label: string): string {
  return hash("sha1", label);
}
