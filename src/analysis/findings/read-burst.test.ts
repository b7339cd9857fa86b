import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { slowly, turnsDuring } from "../../../test/support/turns.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { openFindingsScope } from "./findings-scope.ts";
import { openSnapshot } from "../../series/open-snapshot.ts";
import { describeBurst } from "./read-burst.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const LABELS = Array.from({ length: 10 }, (_, index) => `endpoint ${index}`);

test("yields to other work while it examines many endpoints", async () => {
  const samples = LABELS.map((label) => ({ ...sample(label, 100), failed: true }));
  const store = await memoryStoreWith(batchOf(samples));
  const snapshot = slowly(await openSnapshot(store.points, "run"));
  const scope = await openFindingsScope(snapshot, ALL_ENDPOINTS);
  const burst = { from: 100, until: 100, errCount: 10, requests: 10 };
  // Each endpoint is read twice: for its failures, and for why they failed.
  expect(await turnsDuring(() => describeBurst(scope, burst, 10, {}))).toBeGreaterThanOrEqual(20);
});
