import { expect, test } from "vitest";
import { reportedPercentiles, rowsOf, uniteReported } from "./reported-percentiles.ts";

const window = { second: 1_790_000_000, windowSeconds: 5 };

/** The p95 of an interval, as a JMeter engine sends it. */
function sentBy(micros: number, label = 0) {
  return { label, window, percentiles: [[0.95, micros]] as const };
}

test("what two engines report of one interval is left out: it cannot be merged", () => {
  const rows = rowsOf(reportedPercentiles([sentBy(400), sentBy(900), sentBy(700, 1)]));
  expect(rows.map(({ endpoint, micros }) => [endpoint, micros])).toEqual([[2, 700]]);
});

test("it is also left out if it came in two batches", () => {
  const sent = [[sentBy(900)], [sentBy(400), sentBy(700, 1)]].map(reportedPercentiles);
  expect(rowsOf(uniteReported(sent)).map(({ micros }) => micros)).toEqual([700]);
});

test("what is reported twice with the same value is kept once", () => {
  const sent = [[sentBy(900)], [sentBy(900)]].map(reportedPercentiles);
  expect(rowsOf(uniteReported(sent)).map(({ micros }) => micros)).toEqual([900]);
});
