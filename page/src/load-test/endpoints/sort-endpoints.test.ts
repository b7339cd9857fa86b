import { expect, test } from "vitest";
import type { EndpointFigures } from "../../api/figures.ts";
import { impactOf, nextSorting, sorted, sortingOf, sortingParameters } from "./sort-endpoints.ts";

const ENDPOINTS = [
  { label: "b", p95: 0.2, count: 100, errRate: 0.049, hash: "1" },
  { label: "a", p95: 0.2, count: 100, errRate: 0, hash: "2" },
  { label: "none", p95: null, count: 100, errRate: 0.5, hash: "3" },
  { label: "few", p95: 3, count: 99, errRate: 0, hash: "4" },
  { label: "c", p95: 0.9, count: 100, errRate: 0.05, hash: "5" },
] as unknown as readonly EndpointFigures[];

test.each([
  [undefined, undefined, "none c few a b"],
  ["p95", undefined, "few c a b none"],
  ["p95", "ascending", "a b c few none"],
  ["label", undefined, "a b c few none"],
  ["label", "descending", "none few c b a"],
  ["no such column", undefined, "none c few a b"],
  // Of 0.1, 0.4 and 0.45 s in the baseline.
  ["change", undefined, "b c a few none"],
])("sorted by %s, %s: %s", (name, order, labels) => {
  const baseline = new Map([
    ["1", 0.1],
    ["2", 0.4],
    ["5", 0.45],
  ]);
  const rows = sorted(ENDPOINTS, sortingOf(name, order), baseline);
  expect(rows.map(({ label }) => label).join(" ")).toBe(labels);
});

test("of a part of very many endpoints it is not known which are worst", () => {
  expect(sortingOf(undefined, undefined, true).column).toBe("p95");
});

test("a second click reverses the order, and the URL holds what differs from the default", () => {
  const first = nextSorting(sortingOf(undefined, undefined), "count");
  expect(sortingParameters(first)).toEqual({ sort: "count", order: undefined });
  const second = nextSorting(first, "count");
  expect(sortingParameters(second)).toEqual({ sort: "count", order: "ascending" });
  const byLabel = nextSorting(nextSorting(second, "label"), "label");
  expect(sortingParameters(byLabel)).toEqual({ sort: "label", order: "descending" });
});

test("impact is requests by how much longer than the median they took on average", () => {
  const figures = { count: 1100, untimedCount: 100, avgLoadTime: 0.5, p50: 0.25 };
  expect(impactOf(figures)).toBe(250);
  expect(impactOf({ ...figures, p50: 0.75 })).toBe(0);
  expect(impactOf({ ...figures, p50: null })).toBeNull();
});

test("much waiting in a busy endpoint comes before a rare, slower one", () => {
  const rows = [
    { label: "rare", count: 10, untimedCount: 0, avgLoadTime: 9, p50: 1 },
    { label: "busy", count: 10_000, untimedCount: 0, avgLoadTime: 0.2, p50: 0.1 },
    { label: "steady", count: 90_000, untimedCount: 0, avgLoadTime: 3, p50: 3 },
  ] as unknown as readonly EndpointFigures[];
  const order = sorted(rows, sortingOf("impact", undefined)).map(({ label }) => label);
  expect(order).toEqual(["busy", "rare", "steady"]);
});
