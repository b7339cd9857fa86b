import { expect, test } from "vitest";
import { heatSteps, medianOf, p95Text, stripBackground } from "./run-strips.tsx";

test("the median ignores runs without the endpoint", () => {
  expect(medianOf([3, null, 1, 2])).toBe(2);
  expect(medianOf([4, 1, 2, null, 3])).toBe(2.5);
  expect(medianOf([null])).toBeUndefined();
});

test("each value has the step of its difference from the median", () => {
  // The median is 100.
  const values = [100, 100, 100, 100, 70, 75, 89, 91, 109, 110.1, 125, 149, 151, null];
  const names =
    "usual usual usual usual than2 than1 than1 usual usual over1 over2 over2 over3 none";
  const steps = heatSteps(values).map((step) => step?.color.slice(2) ?? "none");
  expect(steps.join(" ")).toBe(names);
  expect(heatSteps([0, 0])).toEqual([undefined, undefined]);
});

test("a strip gives each run the same width", () => {
  expect(stripBackground(["--a", undefined, "--b", "--a"])).toBe(
    "linear-gradient(to right, var(--a) 0.000% 25.000%, transparent 25.000% 50.000%, " +
      "var(--b) 50.000% 75.000%, var(--a) 75.000% 100.000%)",
  );
});

test.each([
  [0.4, 20, "p95 400 ms"],
  [null, 20, "p95 unknown"],
  [null, 0, "no requests"],
  [null, null, "no requests"],
])("a p95 of %j of %j requests is said as %s", (value, requests, text) => {
  expect(p95Text(value, requests)).toBe(text);
});
