import { expect, test, vi } from "vitest";
import { readReport } from "../../src/analysis/report/read-report.ts";
import { downsampleMeasures } from "../../src/model/measures/downsample-measures.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { batchOf, sample } from "../../test/support/batches.ts";
import { measured, seriesWith } from "../../test/support/measures.ts";
import { measureTable } from "../../test/support/plain-measures.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

// Test files share modules.
vi.resetModules();
const { ask } = await import("./embedded-client.ts");

function counter(name: string) {
  return seriesWith({ name, unit: "", kind: "counter" });
}

/** 10 iterations in each of 100 seconds, and 5 dropped ones in each second from 1005 to 1009. */
vi.mock("./embedded-report.ts", async () => {
  const seconds = Array.from({ length: 100 }, (_, at) => 1000 + at);
  const values = seconds.flatMap((second) => [
    measured(second, 10, counter("iterations")),
    measured(second, second >= 1005 && second < 1010 ? 5 : 0, counter("dropped_iterations")),
  ]);
  const requests = seconds.map((second) => sample("a", second));
  const store = await memoryStoreWith(batchOf(requests, { measures: measureTable(values) }));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { about, ...report } = await readReport(store, query);
  const measures = downsampleMeasures(report.measures, { windowSeconds: 10, firstSecond: 0 });
  const coarse = { ...about, measures: { ...about.measures, grainSeconds: 10 } };
  const held = { ...report, measures, about: { ...coarse, madeAtMs: 0, version: "1.2.3" } };
  return { embeddedReport: async () => ({ ...held, others: [], embeddedBytes: 0 }) };
});

test("a part has no anomalies of windows of measures that it cuts", async () => {
  const whole = await ask("getFindings", { id: "run" });
  expect(JSON.stringify(whole)).toContain('"droppedIterations":25');
  // None was dropped before second 1005.
  expect(await ask("getFindings", { id: "run", from: 1000, until: 1005 })).toEqual([]);
});
