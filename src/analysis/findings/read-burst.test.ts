import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { slowly, turnsDuring } from "../../../test/support/turns.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { openFindingsScope } from "./findings-scope.ts";
import { openSnapshot } from "../../series/open-snapshot.ts";
import { describeBurst } from "./read-burst.ts";

const LABELS = Array.from({ length: 10 }, (_, index) => `endpoint ${index}`);

test("yields to other work while it examines many endpoints", async () => {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest());
  const samples = LABELS.map((label) => ({ ...sample(label, 100), failed: true }));
  await store.points.append(batchOf(samples));
  const snapshot = slowly(await openSnapshot(store.points, "run"));
  const scope = await openFindingsScope(snapshot, ALL_ENDPOINTS);
  const burst = { from: 100, until: 100, errCount: 10, requests: 10 };
  // Each endpoint is read twice: for its failures, and for why they failed.
  expect(await turnsDuring(() => describeBurst(scope, burst, 10, {}))).toBeGreaterThanOrEqual(20);
});
