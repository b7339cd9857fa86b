import { expect, test } from "vitest";
import { collect, snapshotOf } from "../../test/support/batches.ts";
import { HEADER, importInto, seen } from "../../test/support/imports.ts";
import { measuredValues } from "../../test/support/measured-values.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { ALL_SECONDS } from "../model/columns.ts";

/** Requests, times to the first token that a script logs as rows, and a debug sampler. */
const ROWS = Array.from({ length: 20 }, (_, at) => [
  `17000000${10 + at}000,100,chat,${at % 5 !== 0},10`,
  `17000000${10 + at}000,${200 + 10 * at},ttft chat,true,0`,
  `17000000${10 + at}500,0,Debug Sampler,${at % 2 === 0},0`,
]);
const FILE = `${HEADER}${ROWS.flat().join("\n")}\n`;

test("chosen labels are left out or become measures, which the source keeps in its quality", async () => {
  const store = openMemoryStore();
  const choice = { measured: ["ttft *", "Debug*"], ignored: ["Debug*"] };
  const report = await importInto(store, FILE, { choice });
  expect(report).toMatchObject({ requests: 20, failedRequests: 4, endpoints: 1 });
  const labels = Object.keys(await seen(store)).map((point) => point.split(" ")[0]);
  expect(new Set(labels)).toEqual(new Set(["chat"]));
  const snapshot = await snapshotOf(store);
  const { series } = await snapshot.measureIndex();
  const [table] = await collect(snapshot.measures(series, ALL_SECONDS));
  const values = measuredValues(table);
  expect(values).toHaveLength(20);
  expect(values[0]).toMatchObject({ name: "ttft chat", unit: "ms", kind: "distribution" });
  // 20 * 200 + 10 * (0 + … + 19)
  expect(values.reduce((sum, each) => sum + each.sum, 0)).toBe(5900);
  const [source] = await snapshot.sources();
  expect(source?.published?.quality).toMatchObject({
    measurements: [{ name: "ttft chat", values: 20 }],
    ignored: [{ name: "Debug Sampler", values: 20 }],
  });
  snapshot.release();
});

test("measures of such rows go with them, and are not lost", async () => {
  const file =
    "timeStamp,elapsed,label,success,Latency\n1700000000000,5,a,true,3\n1700000001000,7,b,true,4\n";
  const store = openMemoryStore();
  const { notes } = await importInto(store, file, { choice: { ignored: ["a"] } });
  expect(notes.filter((note) => note.includes("not stored"))).toEqual([]);
  const snapshot = await snapshotOf(store);
  const { series, unstored } = await snapshot.measureIndex();
  snapshot.release();
  expect(series.map(({ name, label }) => [name, label])).toEqual([
    ["latency", undefined],
    ["latency", 1],
  ]);
  expect(unstored.series).toBe(0);
});

test("patterns that match nothing change nothing, which is noted, and a choice may leave nothing", async () => {
  const other = { choice: { ignored: ["debug*", "ttft"], measured: ["chat "] } };
  expect(await importInto(openMemoryStore(), FILE, other)).toMatchObject({
    requests: 60,
    failedRequests: 14,
    notes: ["no label to measure matches chat ", "no label to leave out matches debug*, ttft"],
  });
  const all = { choice: { ignored: ["*"] } };
  expect(await importInto(openMemoryStore(), FILE, all)).toMatchObject({
    requests: 0,
    endpoints: 0,
  });
});
