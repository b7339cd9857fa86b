import type { Facet } from "../../api/facets.ts";
import type { Scope } from "../../api/figures.ts";
import {
  type FacetFilter,
  pairsOf,
  valuesOf,
  whereOf,
  withValues,
} from "../../facets/facet-filter.ts";
import { type DrawnLine, hasLines, OTHERS } from "../endpoints/endpoint-lines.ts";

interface ValueLine extends DrawnLine {
  readonly part: Pick<Scope, "where">;
}

const VALUES_MAX = 8;

function orderOf({ value }: { readonly value: string }): string {
  return value.startsWith("(") ? `\u{10ffff}${value}` : value;
}

/** Selected endpoints, if they are few; without any, values. Empty if one thing is drawn, `undefined` while it is not known. */
export function drawnLines(
  scope: Scope,
  facets: readonly Facet[] | undefined,
): readonly DrawnLine[] | undefined {
  const { hashes } = scope;
  if (hashes.length === 0) return valueLines(scope, facets);
  return hasLines(hashes) ? hashes.map((hash) => ({ key: hash, part: { hashes: [hash] } })) : [];
}

/**
 * Values of the facet that splits, unless it only makes a tree of the table: those with the most requests in the order of their names, then all others together.
 * Empty if there are not two, `undefined` while they are not known.
 */
export function valueLines(
  { where, by, tree }: FacetFilter,
  facets: readonly Facet[] | undefined,
): readonly ValueLine[] | undefined {
  if (by === undefined || tree) return [];
  if (facets === undefined) return undefined;
  const chosen = valuesOf(where, by);
  const all = facets.find(({ name }) => name === by)?.values ?? [];
  const values = all.filter(({ value }) => chosen.length === 0 || chosen.includes(value));
  if (values.length < 2) return [];
  const first = values
    .slice(0, VALUES_MAX)
    // A growing run keeps its colours; `(none)` and `(other)` come last.
    .toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  const rest = values.slice(VALUES_MAX);
  const lines = first.map(({ value, requests }) => ({
    key: `=${encodeURIComponent(value)}`,
    text: value,
    part: { where: withValues(where, by, [value]) },
    requests,
  }));
  if (rest.length === 0) return lines;
  const others = {
    key: OTHERS,
    text: `${rest.length} others`,
    part: {
      where: whereOf([...pairsOf(where), ...first.map(({ value }) => [`${by}!`, value] as const)]),
    },
    requests: rest.reduce((sum, { requests }) => sum + requests, 0),
  };
  return [...lines, others];
}
