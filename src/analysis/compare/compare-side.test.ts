import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { slowly, turnsDuring } from "../../../test/support/turns.ts";
import { openComparedSide } from "./compare-side.ts";
import { openSnapshot } from "../../series/open-snapshot.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const LABELS = Array.from({ length: 10 }, (_, index) => `endpoint ${index}`);

test("yields to other work while it finds the start of many endpoints", async () => {
  const store = await memoryStoreWith(batchOf(LABELS.map((label) => sample(label, 100))));
  const snapshot = slowly(await openSnapshot(store.points, "run"));
  const part = {
    loadTestId: "run",
    // Then only the span of the run is read.
    selection: { by: "filter", filter: "no such endpoint" } as const,
    range: undefined,
    skipStartSeconds: 1,
    skipEndSeconds: 0,
  };
  const points = { ...store.points, snapshot: async () => snapshot };
  const open = () => openComparedSide(points, part);
  expect(await turnsDuring(open)).toBeGreaterThanOrEqual(10);
});
