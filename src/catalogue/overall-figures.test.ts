import { expect, test } from "vitest";
import { UserError } from "../model/errors.ts";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { openCatalogue } from "./catalogue.ts";

test("a search by a percentile computes it where it is not stored, again where data came", async () => {
  const store = openMemoryStore();
  const catalogue = openCatalogue({ ...store, createLoadTestId: () => "", now: () => 0 });
  for (const [id, elapsedMicros] of [
    ["fast", 100_000],
    ["slow", 900_000],
  ] as const) {
    await store.loadTests.create(loadTest(id));
    await store.points.append({
      ...batchOf([sample("x", 1, elapsedMicros)]),
      loadTestId: id,
    });
  }
  await store.loadTests.create(loadTest("empty"));
  const found = async (search: string) => {
    const { loadTests, unknown } = await catalogue.list({ search });
    return [loadTests.map(({ id }) => id), unknown];
  };
  expect(await found("p95>500ms")).toEqual([["slow"], 0]);
  expect(await found("p95<500ms")).toEqual([["fast"], 0]);
  const later = Array.from({ length: 40 }, () => sample("x", 2, 800_000));
  await store.points.append({ ...batchOf(later, { sequence: 1 }), loadTestId: "fast" });
  expect(await found("p95<500ms")).toEqual([[], 0]);
});

test.each([
  ["stores nothing, as a read-only one", () => Promise.resolve()],
  ["refuses, as a standby", () => Promise.reject(new UserError("store-read-only", "x"))],
])("load tests count as unknown where the store %s, and few are computed", async (_, keep) => {
  const store = openMemoryStore();
  let summaries = 0;
  const points = {
    ...store.points,
    figures: { ...store.points.figures, keep },
    snapshot: async (id: string) => {
      summaries += 1;
      return store.points.snapshot(id);
    },
  };
  const catalogue = openCatalogue({ ...store, points, createLoadTestId: () => "", now: () => 0 });
  for (const id of ["a", "b", "c", "d", "e"]) {
    await store.loadTests.create(loadTest(id));
    await store.points.append({ ...batchOf([sample("x", 1, 900_000)]), loadTestId: id });
  }
  expect(await catalogue.list({ search: "p95>500ms" })).toMatchObject({
    loadTests: [],
    unknown: 5,
  });
  expect(summaries).toBe(3);
});
