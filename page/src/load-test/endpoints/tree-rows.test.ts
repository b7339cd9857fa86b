import { expect, test } from "vitest";
import type { EndpointFigures, ParentFigures } from "../../api/figures.ts";
import { treeRows } from "./tree-rows.ts";

const about = { untimedCount: 0, avgLoadTime: 1, p50: 1 };

function endpoint(label: string, count: number, parent?: string): EndpointFigures {
  // The tree reads nothing else of it.
  return { ...about, label, count, hash: label, ...(parent && { parent }) } as EndpointFigures;
}

const parents: readonly ParentFigures[] = [endpoint("Checkout", 50), endpoint("Catalogue", 20)];

const endpoints = [
  endpoint("(none) › reset", 30),
  endpoint("Checkout › Checkout / pay", 25, "Checkout"),
  endpoint("Catalogue › list", 20, "Catalogue"),
  endpoint("(none) › about", 5),
];

test.each([
  ["count", ["Checkout", "- pay", "- reset", "Catalogue", "- list", "- about"]],
  ["label", ["Catalogue", "- list", "Checkout", "- pay", "- about", "- reset"]],
] as const)("endpoints without a parent stand among parents, by %s", (column, want) => {
  const rows = treeRows(endpoints, parents, { column, isAscending: column === "label" });
  const shown = rows.map((row) => ("parent" in row ? row.parent.label : `- ${row.text}`));
  expect(shown).toEqual(want);
});
