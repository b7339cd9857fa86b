import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import type { Endpoint } from "../model/load-test.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { compareLoadTests } from "../analysis/compare/compare-load-tests.ts";
import { ALL_ENDPOINTS, type EndpointSelection } from "./endpoint-selection.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { selectFew } from "./select-few.ts";
import { TimeSlice } from "./time-slice.ts";
import type { ManyEndpoints, Snapshot } from "../store/snapshot.ts";

const LABELS = ["b 1", "a", "b 2", "c"];
const OF_B: EndpointSelection = { by: "filter", filter: "b" };

async function openStore() {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("run"));
  await store.points.append(batchOf(LABELS.map((label) => sample(label, 100))));
  return store;
}

function numbersOf(endpoints: readonly Endpoint[]): Uint32Array {
  return Uint32Array.from(endpoints.map(({ number }) => number)).toSorted();
}

/** As a store answers that holds no list of its endpoints. */
function asMany(snapshot: Snapshot): Snapshot {
  const many = async (): Promise<ManyEndpoints> => {
    const endpoints = await snapshot.endpoints();
    return {
      numbers: numbersOf(endpoints),
      containing: async (text: string) =>
        numbersOf(endpoints.filter(({ label }) => label.includes(text))),
      named: async (numbers: readonly number[]) =>
        numbers.flatMap((number) => endpoints.find((each) => each.number === number) ?? []),
    } as unknown as ManyEndpoints;
  };
  return { ...snapshot, endpoints: () => Promise.reject(new Error("lists all")), many };
}

test.each([
  ["a list", (snapshot: Snapshot) => snapshot],
  ["no list", asMany],
])("of a store with %s, no more are selected than may be held", async (_, form) => {
  const store = await openStore();
  const snapshot = await openSnapshot(store.points, "run");
  const own = form({ ...snapshot });
  const slice = new TimeSlice();
  const few = await selectFew(own, { selection: OF_B, doing: "compare", most: 2 }, slice);
  expect(few.map(({ label }) => label)).toEqual(["b 1", "b 2"]);
  const all = { selection: ALL_ENDPOINTS, doing: "compare", most: 3 };
  await expect(selectFew(own, all, slice)).rejects.toMatchObject({
    code: "too-many-endpoints",
    message:
      'cannot compare 4 endpoints of load test "run": expected at most 3; choose some of them by a filter',
  });
});

test("load tests of more endpoints than can be held are not compared", async () => {
  const store = await openStore();
  const endpoints = Array.from({ length: 100_001 }, (_, number) => ({
    number,
    label: `${number}`,
  }));
  const points = {
    ...store.points,
    async snapshot(id: string) {
      const snapshot = await openSnapshot(store.points, id);
      return { ...snapshot, endpoints: async () => endpoints };
    },
  };
  const side = {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
    range: undefined,
    skipStartSeconds: 0,
    skipEndSeconds: 0,
  };
  const query = { base: side, later: side };
  await expect(compareLoadTests(points, query)).rejects.toMatchObject({
    code: "too-many-endpoints",
  });
});
