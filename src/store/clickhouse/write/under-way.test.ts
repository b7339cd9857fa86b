import { expect, test } from "vitest";
import { batchOf, sample } from "../../../../test/support/batches.ts";
import { contentsOf } from "./contents.ts";
import type { PlannedBatch } from "./plan.ts";
import { UnderWay } from "./under-way.ts";

function planned(sourceId: string): PlannedBatch {
  const batch = batchOf([sample("a", 1)], { sourceId });
  return { batch, contents: contentsOf(batch), untold: [] };
}

test("a turn knows of what others store, of its own load test, until it can see it", () => {
  const underWay = new UnderWay();
  const [first, second] = [underWay.beginTurn(), underWay.beginTurn()];
  const batch = planned("one");
  const begun = underWay.begin("run 0", [batch]);
  expect(underWay.of("run 0")).toEqual([batch]);
  expect(underWay.of("run 1")).toEqual([]);
  begun.end();
  underWay.endTurn(first);
  // It may have looked before the batch was there.
  expect(underWay.of("run 0")).toEqual([batch]);
  const third = underWay.beginTurn();
  underWay.endTurn(second);
  expect(underWay.of("run 0")).toEqual([]);
  underWay.endTurn(third);
});

test("what is not stored yet stays known, whichever turns end", () => {
  const underWay = new UnderWay();
  const begun = underWay.begin("run 0", [planned("one"), planned("two")]);
  underWay.endTurn(underWay.beginTurn());
  expect(underWay.of("run 0")).toHaveLength(2);
  begun.end();
  underWay.endTurn(underWay.beginTurn());
  expect(underWay.of("run 0")).toEqual([]);
});
