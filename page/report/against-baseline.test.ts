import { expect, test } from "vitest";
import type { ComparedRuns } from "../src/api/comparison.ts";
import { AgainstBaseline } from "./against-baseline.tsx";

test("the baseline has its date, whenever the report is read", () => {
  // An hour before it was made.
  const startedAt = Date.now() / 1000 - 3600;
  const compared = {
    loadTests: [{ id: "base", startedAt, quality: [] }],
    overall: [],
    endpoints: [],
    leftOut: { endpoints: 0, loadTests: 0 },
    errorProbability: { each: 0.01, any: 0.01 },
  };
  const baseline = compared as unknown as ComparedRuns;
  const text = JSON.stringify(AgainstBaseline({ baseline, clock: "utc" }));
  const [day = "", time = ""] = new Date(startedAt * 1000).toISOString().split("T");
  expect(text).toContain(`${Number(day.slice(-2))} `);
  expect(text).toContain(` ${day.slice(0, 4)}, ${time.slice(0, 5)}`);
  expect(text).not.toMatch(/Today|Yesterday/);
});
