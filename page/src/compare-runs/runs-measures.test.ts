import { expect, test } from "vitest";
import type { ComparedRuns } from "../api/comparison.ts";
import { RunsMeasures } from "./runs-measures.tsx";

test.each([
  [undefined, "not shown", false],
  [1234, "1,234 further measures are not shown", true],
])("of %j measures beyond the limit, %j is said: %j", (left, text, isSaid) => {
  const compared = { loadTests: [], measures: [], leftOut: { endpoints: 0, measures: left } };
  const shown = RunsMeasures({
    compared: compared as unknown as ComparedRuns,
    statistic: "p95",
  });
  expect(JSON.stringify(shown).includes(text)).toBe(isSaid);
});
