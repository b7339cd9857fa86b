import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { compareLoadTests } from "../analysis/compare/compare-load-tests.ts";
import { ALL_ENDPOINTS, type EndpointSelection } from "./endpoint-selection.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { listSelected } from "./selected-series.ts";
import { listedIndex } from "../store/listed-index.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

const LABELS = ["b 1", "a", "b 2", "c"];
const OF_B: EndpointSelection = { by: "filter", filter: "b" };

async function openStore() {
  const store = await memoryStoreWith(batchOf(LABELS.map((label) => sample(label, 100))));
  return store;
}

test("listing more endpoints than the limit is an error", async () => {
  const store = await openStore();
  const snapshot = await openSnapshot(store.points, "run");
  const few = await listSelected(snapshot, { selection: OF_B, doing: "compare", most: 2 });
  expect(few.map(({ label }) => label)).toEqual(["b 1", "b 2"]);
  const all = { selection: ALL_ENDPOINTS, doing: "compare", most: 3 };
  await expect(listSelected(snapshot, all)).rejects.toMatchObject({
    code: "too-many-endpoints",
    message:
      'cannot compare 4 endpoints of load test "run": expected at most 3; choose some of them by a filter',
  });
});

test("load tests over the endpoint limit are not compared", async () => {
  const store = await openStore();
  const endpoints = Array.from({ length: 100_001 }, (_, number) => ({
    number,
    label: `${number}`,
  }));
  const points = {
    ...store.points,
    async snapshot(id: string) {
      const snapshot = await openSnapshot(store.points, id);
      return { ...snapshot, index: async () => listedIndex(endpoints, snapshot) };
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
