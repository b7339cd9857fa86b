import { expect, test } from "vitest";
import type { ComparedEndpoint, Comparison } from "../api/comparison.ts";
import { type RowOrder, sortedRows } from "./sort-rows.ts";
import { judged, kindCounts, kindOf, otherMeasures } from "./verdicts.ts";

type Given = Partial<Pick<ComparedEndpoint, "label" | "verdict" | "errRate" | "p95" | "count">>;

function row(given: Given): ComparedEndpoint {
  return {
    label: given.label ?? "a",
    hash: "",
    verdict: given.verdict ?? "unchanged",
    count: given.count ?? { base: 100, value: 100 },
    shift: {},
    errRate: given.errRate ?? {},
    avgLoadTime: {},
    p50: {},
    p95: given.p95 ?? {},
    p99: {},
  };
}

const MORE = { base: 0, value: 0.1, change: 0.1, isSignificant: true };

const ROWS = [
  row({ label: "few", verdict: "tooFew", p95: { change: 9 } }),
  row({ label: "open", verdict: "inconclusive", p95: { change: 0.2, low: -0.1, high: 0.6 } }),
  row({ label: "same", p95: { change: 0.02, low: -0.1, high: 0.1 } }),
  row({ label: "failing", errRate: MORE, p95: { change: 0, low: -0.2, high: 0.2 } }),
  row({ label: "sure", verdict: "slower", p95: { change: 0.5, low: 0.4, high: 0.6 } }),
  row({ label: "large", verdict: "slower", p95: { change: 2, low: 0.1, high: 6 } }),
  row({ label: "new", verdict: "new", p95: { value: 1 }, count: { base: 0, value: 5 } }),
  row({ label: "faster", verdict: "faster", p95: { change: -0.5, low: -0.7, high: -0.1 } }),
  row({ label: "fastest", verdict: "faster", p95: { change: -0.3, low: -0.4, high: -0.2 } }),
  row({ label: "gone", verdict: "gone", p95: { base: 1 }, count: { base: 7, value: 0 } }),
];

const WORST_FIRST = "sure large failing new gone fastest faster open same few".split(" ");

test.each<[Partial<RowOrder>, readonly string[]]>([
  [{}, WORST_FIRST],
  [{ isReversed: true }, WORST_FIRST.toReversed()],
  [{ column: "change" }, ["few", "large", "sure"]],
  [{ column: "label" }, ["failing", "faster", "fastest"]],
  [{ column: "count", isReversed: true }, ["gone", "new"]],
  [{ column: "base" }, ["gone"]],
])("endpoints in the order %j begin with %j", (order, labels) => {
  const sorted = sortedRows(ROWS, {
    column: "verdict",
    isReversed: false,
    figure: "p95",
    ...order,
  });
  expect(sorted.map(({ label }) => label).slice(0, labels.length)).toEqual(labels);
});

test("endpoints are counted by verdict, each once, worst first", () => {
  expect(kindCounts(ROWS)).toEqual([
    ["slower", 2],
    ["failing", 1],
    ["new", 1],
    ["gone", 1],
    ["faster", 2],
    ["inconclusive", 1],
    ["unchanged", 1],
    ["tooFew", 1],
  ]);
  expect(kindOf(row({ verdict: "slower", errRate: MORE }))).toBe("slower");
});

test.each<[Comparison, string]>([
  [{ change: 0.2, isSignificant: true }, "slower"],
  [{ change: -0.05, isSignificant: true }, "faster"],
  [{ change: 0.04, isSignificant: true }, "unchanged"],
  [{ change: 2, isSignificant: false }, "unchanged"],
  [{ change: 2 }, "unchanged"],
  [{}, "unchanged"],
])("of times alone, %j is %s", (comparison, word) => {
  expect(judged(comparison)).toBe(word);
});

const SURE = { change: 0.2, low: 0.1, high: 0.3, isSignificant: true };

test.each([
  ["p95", { p99: SURE, avgLoadTime: SURE }, ["average", "p99"]],
  ["p95", { shift: SURE }, ["shift"]],
  ["p95", { p95: SURE, p99: SURE }, []],
  ["p99", { p95: SURE, p99: { ...SURE, isSignificant: false } }, ["p95"]],
] as const)("beside %s, what %j is slower by is named: %j", (figure, measures, names) => {
  expect(otherMeasures({ ...row({ verdict: "slower" }), ...measures }, figure)).toEqual(names);
});

test("an endpoint that is not slower or faster is so by nothing", () => {
  expect(otherMeasures({ ...row({ verdict: "inconclusive" }), p99: SURE }, "p95")).toEqual([]);
});
