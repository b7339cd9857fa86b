import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { columnsOf } from "../../model/reported-percentiles.ts";
import type { Store } from "../../store/store.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { readReport } from "./read-report.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const BURST_AT = 1_700_000_300;

/** Ten minutes without a failure. */
const CALM = Array.from({ length: 600 }, (_, at) => sample("a", BURST_AT - 300 + at));
const BURST = Array.from({ length: 50 }, () => ({ ...sample("a", BURST_AT), failed: true }));

/** A store that is written to after each snapshot. */
function busyStore(store: Store): Pick<Store, "loadTests" | "points"> {
  let sequence = 1;
  const points = {
    ...store.points,
    async snapshot(id: string) {
      const snapshot = await store.points.snapshot(id);
      await store.points.append({ ...batchOf(BURST), sequence: sequence++ });
      return snapshot;
    },
  };
  return { loadTests: store.loadTests, points };
}

test("a report of a running load test is a consistent snapshot", async () => {
  const store = await memoryStoreWith(batchOf(CALM));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { about, endpoints } = await readReport(busyStore(store), query);
  expect(endpoints[0]?.points.failedRequests.reduce((sum, each) => sum + each, 0)).toBe(0);
  expect(about.findings.incidents).toEqual([]);
});

test("a report keeps the tool's percentiles of a run that has measures of servers", async () => {
  const row = { endpoint: 0, second: 0, windowSeconds: 0, quantile: 950_000, micros: 7000 };
  const store = await memoryStoreWith(batchOf(CALM, { reported: columnsOf([row]) }));
  await store.points.append(batchOf([], { sourceId: "servers", format: "prometheus" }));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { about } = await readReport(store, query);
  expect(about.recorded.reported).toEqual([row]);
});
