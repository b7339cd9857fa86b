import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { RunningData } from "./running-data.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

test("with more than 10,000 series whose rows repeat others, the store is asked", async () => {
  const { points } = await memoryStoreWith(batchOf([sample("a", 1)]));
  const data = new RunningData("run", []);
  await data.read(points, 1, 0);
  expect(data.isUsable).toBe(true);
  const labels = Array.from({ length: 2500 }, (_, index) => `sub-result ${index}`);
  for (let sequence = 1; sequence <= 5; sequence++) {
    const samples = labels.map((label) => sample(`${label} of ${sequence}`, sequence));
    const batch = {
      ...batchOf(samples, { sequence }),
      roles: labels.map(() => "subresult" as const),
    };
    const { revisions } = await points.append(batch);
    if (revisions === undefined) throw new Error("BUG: it was stored");
    data.observe({ batch, revisions, nowMs: 9000 });
    await data.catchUp();
    expect(data.isUsable).toBe(sequence < 5);
  }
  const again = new RunningData("run", []);
  await again.read(points, 1, 0);
  expect(again.isUsable).toBe(false);
});
