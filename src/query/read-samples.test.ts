import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../test/support/store-directory.ts";
import { type LabelledSample, sampleOf } from "../model/samples/request-sample.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { readSamples } from "./read-samples.ts";

const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined, bytesMax: 2 ** 20 };

function kept(second: number, elapsedMicros: number, code?: string): LabelledSample {
  const details = { timeMs: second * 1000, elapsedMicros, code };
  return { label: "a", ...sampleOf(details, (text) => text) };
}

test("the slowest are those of all outcomes, however many sources there are", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await store.loadTests.create(loadTest("run"));
  const passed = [1, 2, 3, 4, 5].map((second) => kept(second, 9000));
  // The first three, three spread over the run and the five slowest of nine.
  const failed = [11, 12, 13, 14, 15, 16, 17, 18, 19].map((second) => kept(second, second, "503"));
  for (const [sourceId, samples] of Object.entries({ passed, failed })) {
    await store.points.append(batchOf([sample("a", 1)], { sourceId, samples }));
  }
  const { samples: all } = await readSamples(store.points, query);
  expect(all.filter((each) => !each.failed)).toHaveLength(5);
  for (const [outcome, hasFailed] of [["failed", true] as const, ["passed", false] as const]) {
    const own = all.filter((each) => each.failed === hasFailed);
    expect(own.length).toBeLessThanOrEqual(6);
    const read = await readSamples(store.points, { ...query, outcome });
    expect(read).toEqual({ samples: own, sampleCount: own.length });
  }
});

test("those of a range come first, the slowest before others, then the nearest", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await store.loadTests.create(loadTest("run"));
  const samples = [kept(20, 1), kept(10, 2), kept(14, 3), kept(13, 4), kept(15, 5)];
  await store.points.append(batchOf([sample("a", 1)], { sourceId: "1", samples }));
  const near = await readSamples(store.points, {
    ...query,
    near: { from: 13, until: 15 },
    limit: 4,
  });
  expect(near.samples.map(({ elapsedMs }) => elapsedMs)).toEqual([0.004, 0.003, 0.005, 0.002]);
  expect(near.sampleCount).toBe(5);
});

test("a failure without a code is of the kind whose code is empty", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await store.loadTests.create(loadTest("run"));
  const details = { timeMs: 1000, elapsedMicros: 1, message: "reset" };
  const samples = [
    { label: "a", ...sampleOf(details, (text) => text) },
    kept(1, 2),
    kept(1, 3, ""),
  ];
  await store.points.append(batchOf([sample("a", 1)], { sourceId: "1", samples }));
  const kind = { code: "", message: "reset" };
  const { samples: found } = await readSamples(store.points, { ...query, kind });
  expect(found.map(({ elapsedMs }) => elapsedMs)).toEqual([0.001]);
});

test("a trace is linked by the template, and without one by none", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await store.loadTests.create(loadTest("run"));
  const details = { timeMs: 1000, elapsedMicros: 1, traceId: "a/b" };
  const samples = [{ label: "a", ...sampleOf(details, (text) => text) }];
  await store.points.append(batchOf([sample("a", 1)], { sourceId: "1", samples }));
  const linked = await readSamples(store.points, {
    ...query,
    traceUrl: "https://t.example/{traceId}",
  });
  expect(linked.samples[0]).toMatchObject({ traceId: "a/b", traceUrl: "https://t.example/a%2Fb" });
  expect((await readSamples(store.points, query)).samples[0]).not.toHaveProperty("traceUrl");
});
