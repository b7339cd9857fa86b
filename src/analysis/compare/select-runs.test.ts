import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { selectRuns } from "./select-runs.ts";

test("of several unknown runs the error names the first, whichever is looked up faster", async () => {
  const loadTests = {
    find: async (id: string) => {
      if (id === "a") await wait(5);
      return undefined;
    },
    list: async () => [],
  };
  const selected = selectRuns(loadTests, { runs: ["a", "b"] });
  await expect(selected).rejects.toThrow('there is no run "a"');
});
