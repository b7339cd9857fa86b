import { expect, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { storeVersionRuns } from "../../../test/support/version-runs.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { compareEach, compareLoadTests } from "./compare-load-tests.ts";

const part = (loadTestId: string) => {
  const whole = { range: undefined, skipStartSeconds: 0, skipEndSeconds: 0 };
  return { loadTestId, selection: ALL_ENDPOINTS, ...whole };
};

test.each([1, 12, 20_000])(
  "with %d cells at once, each comparison is that of the two alone",
  async (cellsAtOnce) => {
    const store = openMemoryStore();
    await storeVersionRuns(store, { runs: 5, endpoints: 5, seconds: 60 });
    const later = ["v1", "v2", "v3", "v4"].map(part);
    let at = 0;
    for await (const each of compareEach(store.points, part("v0"), later, cellsAtOnce)) {
      const pair = { base: part("v0"), later: part(`v${++at}`) };
      expect(each).toEqual(await compareLoadTests(store.points, pair));
    }
    expect(at).toBe(4);
  },
);
