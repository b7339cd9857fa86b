import type { EndpointFigures, ParentFigures } from "../../api/figures.ts";

/** A row of the tree: a parent, or an endpoint with the text that replaces its label below a parent. */
export type TreeRow =
  | { readonly figures: EndpointFigures; readonly text?: string }
  | { readonly parent: ParentFigures };

/** Each parent, then its endpoints, in their order; those without a parent come last. */
export function treeRows(
  endpoints: readonly EndpointFigures[],
  parents: readonly ParentFigures[] | undefined,
): readonly TreeRow[] {
  if (parents === undefined) return endpoints.map((figures) => ({ figures }));
  const children = Map.groupBy(endpoints, ({ parent }) => parent);
  const below = (parent?: string) =>
    (children.get(parent) ?? []).map((figures) => ({ figures, text: textOf(figures) }));
  return [...parents.flatMap((parent) => [{ parent }, ...below(parent.label)]), ...below()];
}

const SEPARATOR = " › ";

/** The label without the value of the facet in front of it, which Gatling repeats as its group. */
function textOf({ label, parent }: EndpointFigures): string {
  const text = label.slice(label.indexOf(SEPARATOR) + SEPARATOR.length);
  const group = `${parent ?? ""} / `;
  return text.startsWith(group) ? text.slice(group.length) : text;
}
