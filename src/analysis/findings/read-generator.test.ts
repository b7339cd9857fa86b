import { expect, test } from "vitest";
import { firstOf } from "../../../test/support/anomalies.ts";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { measured, seriesWith } from "../../../test/support/measures.ts";
import { measureTable, type PlainValue } from "../../../test/support/plain-measures.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { readFindings } from "./read-findings.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

async function found(values: readonly PlainValue[]) {
  const requests = Array.from({ length: 300 }, (_, second) => sample("home", 1000 + second));
  const store = await memoryStoreWith(batchOf(requests, { measures: measureTable(values) }));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  return firstOf(await readFindings(store.points, query), "generator");
}

/** Of 300 s, every ten: 100 % idle but for so many seconds in the middle. */
function cpu(busySeconds: number, role: string, cores = "cpu-total"): PlainValue[] {
  const tags = [
    ["cpu", cores],
    ["host", "gen-1"],
    ["role", role],
  ] as const;
  const series = seriesWith({ name: "cpu.usage_idle", unit: "", kind: "gauge", tags });
  return Array.from({ length: 30 }, (_, index) => {
    const isBusy = index >= 10 && index < 10 + busySeconds / 10;
    return measured(1000 + index * 10, isBusy ? 3 : 80, series);
  });
}

test("a load generator with a busy CPU is at its limit", async () => {
  expect(await found(cpu(50, "generator"))).toEqual({
    kind: "generator",
    from: 1100,
    until: 1149,
    busy: [{ of: "host gen-1", seconds: 50, percent: 97 }],
    droppedIterations: 0,
    iterations: 0,
  });
});

test.each([
  ["for a moment", cpu(20, "generator")],
  ["of a server", cpu(100, "database")],
  ["with one busy core", cpu(100, "generator", "cpu0")],
])("it is not %s", async (_, values) => {
  expect(await found(values)).toBeUndefined();
});

function counter(name: string, second: number, count: number): PlainValue {
  return measured(second, count, seriesWith({ name, unit: "", kind: "counter" }));
}

test("iterations that k6 dropped are counted, but not the last of a run", async () => {
  const iterations = counter("iterations", 1000, 9000);
  expect(await found([iterations, counter("dropped_iterations", 1060, 481)])).toEqual({
    kind: "generator",
    from: 1060,
    until: 1060,
    busy: [],
    droppedIterations: 481,
    iterations: 9000,
  });
  expect(await found([iterations, counter("dropped_iterations", 1290, 9)])).toBeUndefined();
});
