import { expect, test } from "vitest";
import { type FewRunsShape, tryFewRuns } from "./few-runs.ts";

/** A part of `npm run task test:accuracy -- gates`. */
const SEEDS = Array.from({ length: 300 }, (_, seed) => seed + 1);

const SHAPE = { earlier: 4, endpoints: 13, spread: 0.05, together: 0.5, correlation: 0 } as const;

function trialsOf(shape: FewRunsShape) {
  return SEEDS.map((seed) => tryFewRuns(shape, [0.71], seed));
}

test.each(["equal", "fan", "odd"] as const)(
  "after four runs, unchanged endpoints hardly ever fail: %s spreads",
  (spreads) => {
    const failed = trialsOf({ ...SHAPE, spreads }).filter(({ pooled }) => pooled.isAny);
    expect(failed.length).toBeLessThanOrEqual(0.03 * SEEDS.length);
  },
);

test("after four runs, an endpoint slower by 71 % of thirteen is found", () => {
  const trials = trialsOf({ ...SHAPE, spreads: "equal", together: 0 });
  const found = (by: "pooled" | "alone") => trials.filter((each) => each[by].found[0]).length;
  expect(found("alone")).toBeLessThan(0.6 * SEEDS.length);
  expect(found("pooled")).toBeGreaterThan(0.9 * SEEDS.length);
});
