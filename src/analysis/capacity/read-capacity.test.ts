import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { findDoubling, levelsOf, readCapacity } from "./read-capacity.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

function windowAt(load: number, p95: number | null, requests = 100) {
  return { load, p95, requests, reqPerSec: requests / 10 };
}

test("windows of similar load form one level: means of throughput, medians of p95", () => {
  const windows = [
    windowAt(100, 9),
    windowAt(49, 1, 80),
    windowAt(48, 5, 90),
    windowAt(48.5, 3),
    windowAt(100, 1000, 19),
  ];
  expect(levelsOf(windows)).toEqual([
    { load: 48.5, reqPerSec: 9, p95: 3, windows: 3 },
    { load: 100, reqPerSec: 5.95, p95: 9, windows: 2 },
  ]);
  expect(levelsOf([])).toEqual([]);
});

test("p95 has doubled between the last level below and the first above", () => {
  const times = [1, 1, 1, 1.2, 1.5, 2.5, 3, 4, 5, 6];
  const levels = levelsOf(times.map((p95, index) => windowAt(10 * (index + 1), p95)));
  expect(findDoubling(levels)).toEqual({ load: 55, p95Before: 1, p95After: 2 });
});

test.each([
  ["one slow window", [1, 1, 1, 1, 9, 1, 1, 1, 1, 1]],
  ["two slow windows at the end", [1, 1, 1, 1, 1, 1, 1, 1, 9, 9]],
  ["unknown times", [null, null, null, null, null]],
  ["no times", [0, 0, 0, 0, 9, 9, 9]],
])("%s do not count as doubled", (_, times) => {
  const levels = levelsOf(times.map((p95, index) => windowAt(10 * (index + 1), p95)));
  expect(findDoubling(levels)).toBeUndefined();
});

test("seconds in which users only wait are of the throughput", async () => {
  const seconds = Array.from({ length: 60 }, (_, at) => 1000 + 2 * at);
  // Ten users begin a request of two seconds in every other second.
  const samples = seconds.flatMap((at) => Array.from({ length: 10 }, () => sample("/", at, 2e6)));
  const none = new Float64Array(2);
  const counts = {
    generator: new Uint32Array(2),
    second: Uint32Array.of(1000, 1118),
    active: Float64Array.of(10, 10),
    started: none,
    ended: none,
  };
  const store = await memoryStoreWith(batchOf(samples, { users: { generators: ["g"], counts } }));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { levels } = await readCapacity(store.points, query);
  // 600 requests in 119 seconds.
  expect(levels).toMatchObject([{ load: 10, reqPerSec: 5.04202 }]);
});

test("points of several seconds keep their throughput in windows of a run of any length", async () => {
  // 100 requests every 10 seconds for 25 minutes; a 120th of that is 12.5 seconds.
  const tens = Array.from({ length: 150 }, (_, at) => 1000 + 10 * at);
  const samples = tens.flatMap((at) => Array.from({ length: 100 }, () => sample("/", at)));
  const batch = batchOf(samples);
  const windowSeconds = new Uint16Array(tens.length).fill(10);
  const store = await memoryStoreWith({ ...batch, points: { ...batch.points, windowSeconds } });
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const { levels } = await readCapacity(store.points, query);
  expect(levels).toMatchObject([{ load: 10, reqPerSec: 10 }]);
});
