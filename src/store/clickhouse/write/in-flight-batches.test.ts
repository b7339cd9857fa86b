import { expect, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import { contentsOf } from "./contents.ts";
import type { PlannedBatch } from "./plan.ts";
import { InFlightBatches } from "./insert-planner.ts";

function planned(sourceId: string): PlannedBatch {
  const batch = batchOf([sample("a", 1)], { sourceId });
  return { batch, contents: contentsOf(batch), newLabels: [] };
}

test("an insert sees the in-flight batches of its load test until it can read them", () => {
  const inFlight = new InFlightBatches();
  const [first, second] = [inFlight.beginInsert(), inFlight.beginInsert()];
  const batch = planned("one");
  const end = inFlight.begin("run 0", [batch]);
  expect(inFlight.of("run 0")).toEqual([batch]);
  expect(inFlight.of("run 1")).toEqual([]);
  end();
  inFlight.endInsert(first);
  // It may have read before the batch was stored.
  expect(inFlight.of("run 0")).toEqual([batch]);
  const third = inFlight.beginInsert();
  inFlight.endInsert(second);
  expect(inFlight.of("run 0")).toEqual([]);
  inFlight.endInsert(third);
});

test("a batch that is not stored yet stays in flight, whichever inserts end", () => {
  const inFlight = new InFlightBatches();
  const end = inFlight.begin("run 0", [planned("one"), planned("two")]);
  inFlight.endInsert(inFlight.beginInsert());
  expect(inFlight.of("run 0")).toHaveLength(2);
  end();
  inFlight.endInsert(inFlight.beginInsert());
  expect(inFlight.of("run 0")).toEqual([]);
});
