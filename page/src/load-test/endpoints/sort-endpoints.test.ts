import { expect, test } from "vitest";
import type { EndpointFigures } from "../../api/figures.ts";
import { nextSorting, sorted, sortingOf, sortingParameters } from "./sort-endpoints.ts";

const ENDPOINTS = [
  { label: "b", p95: 0.2 },
  { label: "a", p95: 0.2 },
  { label: "none" },
  { label: "c", p95: 0.9 },
] as unknown as readonly EndpointFigures[];

test.each([
  [undefined, undefined, "c a b none"],
  ["p95", "ascending", "a b c none"],
  ["label", undefined, "a b c none"],
  ["label", "descending", "none c b a"],
  ["no such column", undefined, "c a b none"],
])("sorted by %s, %s: %s", (name, order, labels) => {
  const rows = sorted(ENDPOINTS, sortingOf(name, order));
  expect(rows.map(({ label }) => label).join(" ")).toBe(labels);
});

test("a second click turns the order, and the address says what is not usual", () => {
  const first = nextSorting(sortingOf(undefined, undefined), "count");
  expect(sortingParameters(first)).toEqual({ sort: "count", order: undefined });
  const second = nextSorting(first, "count");
  expect(sortingParameters(second)).toEqual({ sort: "count", order: "ascending" });
  const byLabel = nextSorting(nextSorting(second, "label"), "label");
  expect(sortingParameters(byLabel)).toEqual({ sort: "label", order: "descending" });
});
