import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../../test/support/store-directory.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { Points } from "../../store/store.ts";
import { downsample } from "../../store/downsample.ts";
import { readEachRunValues, readRunValues, type TrendPart } from "./run-values.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const WHOLE = { selection: ALL_ENDPOINTS, skipStartSeconds: 0, skipEndSeconds: 0 };

/** A store with one load test, and the number of times that its endpoints were looked up. */
async function open() {
  const store = await memoryStoreWith(batchOf([sample("a", 10), sample("a", 20), sample("b", 10)]));
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

test("stored values are those that were computed, and another process reads no endpoint again", async () => {
  const directory = temporaryDirectory();
  const read = async (part: TrendPart, until?: number) => {
    const store = await openStoreIn(directory);
    const listed = await store.loadTests.list();
    const found = until === undefined ? listed : listed.map((each) => ({ ...each, until }));
    let reads = 0;
    const snapshot: Points["snapshot"] = (id) => {
      reads += 1;
      return store.points.snapshot(id);
    };
    const values = [];
    for await (const each of readEachRunValues({ ...store.points, snapshot }, found, part)) {
      values.push(each);
    }
    return { values, reads };
  };
  const store = await openStoreIn(directory);
  for (const id of ["one", "two"]) {
    await store.loadTests.create(loadTest(id));
    const samples = [sample("a", 10), sample("a", 20, 7000), sample("\u00fc", 10)];
    await store.points.append(batchOf(samples, { loadTestId: id }));
  }
  await store.loadTests.create(loadTest("empty"));
  for (const part of [WHOLE, { ...WHOLE, skipEndSeconds: 5 }]) {
    const first = await read(part);
    const second = await read(part);
    expect(second.values).toEqual(first.values);
    expect([first.reads > 0, second.reads]).toEqual([true, 0]);
    expect(first.values.map((each) => each?.overall.count)).toEqual(
      part === WHOLE ? [3, 3, 0] : [2, 2, 0],
    );
  }
  // Listed at another time: the part ends where the data do.
  const earlier = await read({ ...WHOLE, skipEndSeconds: 5 }, 25);
  expect(earlier.values[0]?.overall.count).toBe(2);
});

test("what is skipped at the end is counted from the end of the last point", async () => {
  // Ten minutes with a request a second; the last point begins 60 seconds before the end.
  const batch = batchOf(Array.from({ length: 600 }, (_, at) => sample("a", 6000 + at)));
  const within = { firstSecond: 6000, lastSecond: 6599 };
  const points = downsample(batch.points, { windowSeconds: 60, ...within });
  const store = await memoryStoreWith({ ...batch, points });
  const found = await store.loadTests.find("run");
  const countWithout = async (skipEndSeconds: number) => {
    const part = { ...WHOLE, skipEndSeconds };
    return (found && (await readRunValues(store.points, found, part)))?.overall.count;
  };
  expect(await countWithout(59)).toBe(600);
  expect(await countWithout(60)).toBe(540);
});
