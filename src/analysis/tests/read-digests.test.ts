import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";
import { readDigests } from "./read-digests.ts";

test("a level load is level in the digest of a run in points of several seconds", async () => {
  // A 64th of 25 minutes is 24 seconds.
  const tens = Array.from({ length: 150 }, (_, at) => 1200 + 10 * at);
  const samples = tens.flatMap((at) => Array.from({ length: 100 }, () => sample("/", at)));
  const batch = batchOf(samples);
  const windowSeconds = new Uint16Array(tens.length).fill(10);
  const store = await memoryStoreWith({ ...batch, points: { ...batch.points, windowSeconds } });
  const { digests } = await readDigests(store, ["run"], () => 0);
  expect(digests).toMatchObject([{ resolution: 30, count: Array.from({ length: 50 }, () => 300) }]);
});
