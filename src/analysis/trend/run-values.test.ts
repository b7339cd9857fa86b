import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Points } from "../../store/store.ts";
import { readRunValues } from "./run-values.ts";

const WHOLE = { selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };

/** A store with one load test, and the number of times that its endpoints were looked up. */
async function open() {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest());
  await store.points.append(batchOf([sample("a", 10), sample("a", 20), sample("b", 10)]));
  const reads = { count: 0 };
  const points: Pick<Points, "snapshot"> = {
    async snapshot(id) {
      const snapshot = await store.points.snapshot(id);
      if (snapshot === undefined) return undefined;
      const index = () => {
        reads.count += 1;
        return snapshot.index();
      };
      return { ...snapshot, index };
    },
  };
  const read = async (part = WHOLE) => {
    const found = await store.loadTests.find("run");
    return found && readRunValues(points, found, part);
  };
  return { store, read, reads };
}

test("a load test is read again only after it changed", async () => {
  const { store, read, reads } = await open();
  const first = await read();
  expect(first?.overall.count).toBe(3);
  expect(first?.endpoints.map(({ label, count }) => [label, count])).toEqual([
    ["a", 2],
    ["b", 1],
  ]);
  const { count } = reads;
  expect(await read()).toEqual(first);
  expect(reads.count).toBe(count);
  await store.points.append(batchOf([sample("b", 30)], { sequence: 1 }));
  expect((await read())?.overall.count).toBe(4);
  expect(reads.count).toBeGreaterThan(count);
});

test("another part is read on its own", async () => {
  const { read } = await open();
  await read();
  expect((await read({ ...WHOLE, skipStartSeconds: 5 }))?.overall.count).toBe(1);
  const filtered = { ...WHOLE, selection: { by: "filter", filter: "b" } } as const;
  expect((await read(filtered))?.overall.count).toBe(1);
  expect((await read())?.overall.count).toBe(3);
});

test("a deleted load test has no values, even if they are remembered", async () => {
  const { store, read } = await open();
  const found = await store.loadTests.find("run");
  await read();
  await store.loadTests.delete("run");
  expect(found && (await readRunValues(store.points, found, WHOLE))).toBeUndefined();
});
