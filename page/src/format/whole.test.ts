import { expect, test } from "vitest";
import { wholeText } from "./whole.ts";

test.each([
  [0, 0, ""],
  [1, 0, "without 1 transaction"],
  [2, 1, "without 2 transactions and 1 sub-result"],
  [0, 1200, "without 1,200 sub-results"],
])(
  "of a whole without %d transactions and %d sub-results, %j is said",
  (transactions, subresults, text) => {
    expect(wholeText({ overallOf: "requests", leftOut: { transactions, subresults } })).toBe(text);
  },
);

test("says when the total includes them", () => {
  const leftOut = { transactions: 0, subresults: 0 };
  expect(wholeText({ overallOf: "everything", leftOut })).toBe(
    "includes transactions or sub-results",
  );
});
