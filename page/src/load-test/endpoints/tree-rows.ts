import type { EndpointFigures, ParentFigures } from "../../api/figures.ts";
import { type BaselineTimes, sorted, type Sorting } from "./sort-endpoints.ts";

/** A row of the tree: a parent, or an endpoint with the text that replaces its label below a parent. */
export type TreeRow =
  | { readonly figures: EndpointFigures; readonly text?: string }
  | { readonly parent: ParentFigures };

/** Parents and endpoints without one in order, each parent before its endpoints, which stay in theirs. */
export function treeRows(
  endpoints: readonly EndpointFigures[],
  parents: readonly ParentFigures[] | undefined,
  sorting: Sorting,
  baseline?: BaselineTimes,
): readonly TreeRow[] {
  if (parents === undefined) return endpoints.map((figures) => ({ figures }));
  const children = Map.groupBy(endpoints, ({ parent }) => parent);
  const rowsOf = (parent?: string) =>
    (children.get(parent) ?? []).map((figures) => ({ figures, text: textOf(figures) }));
  const alone = new Map<ParentFigures, TreeRow>(
    rowsOf().map((row) => [{ ...row.figures, label: row.text }, row]),
  );
  return sorted([...parents, ...alone.keys()], sorting, baseline).flatMap(
    (top): readonly TreeRow[] => {
      const own = alone.get(top);
      return own === undefined ? [{ parent: top }, ...rowsOf(top.label)] : [own];
    },
  );
}

const SEPARATOR = " › ";

/** The label without the value of the facet in front of it, which Gatling repeats as its group. */
function textOf({ label, parent }: EndpointFigures): string {
  const text = label.slice(label.indexOf(SEPARATOR) + SEPARATOR.length);
  const group = `${parent ?? ""} / `;
  return text.startsWith(group) ? text.slice(group.length) : text;
}
