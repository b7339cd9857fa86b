import { expect, test, vi } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { turnsDuring } from "../../../test/support/turns.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { CheckedLimit, Limit } from "../check/limit.ts";
import { parseLimit } from "../check/parse-limit.ts";
import { openStoreReader } from "../load-test-reader.ts";
import { checkThresholds } from "./check-thresholds.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const ENDPOINTS = 500;

test("the event loop turns between checks", async () => {
  const samples = Array.from({ length: ENDPOINTS }, (_, index) => sample(`/${index}`, 1));
  const store = await memoryStoreWith(batchOf(samples));
  const limit = parseLimit("each: max > 5ms") as Limit;
  const query = {
    later: {
      loadTestId: "run",
      selection: ALL_ENDPOINTS,
      range: undefined,
      skipStartSeconds: 0,
      skipEndSeconds: 0,
    },
    base: undefined,
    history: undefined,
    limits: [limit, limit, limit, limit],
  };
  const checked: CheckedLimit[] = [];
  // A clock on which each step takes longer than a slice.
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 5));
  const turns = await turnsDuring(() =>
    checkThresholds(openStoreReader(store), query, (each) => void checked.push(each)),
  );
  expect(checked).toHaveLength(4 * ENDPOINTS);
  expect(turns).toBeGreaterThan(4 * ENDPOINTS);
});
