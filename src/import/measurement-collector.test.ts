import { expect, test } from "vitest";
import { pointsOfWindows } from "../aggregate/row-aggregator.ts";
import type { SampleWindow } from "../model/sample-batch.ts";
import { MeasurementCollector } from "./measurement-collector.ts";

const TABLES = { labels: ["a", "b", "c"], failureKinds: [], generators: [] };

function windowOf(number: number, latencies: number): SampleWindow {
  const each = Array.from({ length: latencies }, (_, at) => ({
    elapsedMicros: at * number,
    requests: 1,
  }));
  return {
    label: number % 3,
    second: 1000 + (number % 7),
    windowSeconds: 1,
    requests: latencies,
    elapsedMicros: each.reduce((sum, { elapsedMicros }) => sum + elapsedMicros, 0),
    receivedBytes: number,
    failedRequests: 0,
    failedElapsedMicros: 0,
    failedReceivedBytes: 0,
    minMicros: undefined,
    maxMicros: undefined,
    latencies: each,
  };
}

test("windows of very many latencies give the points of all of them, and ask to be flushed", () => {
  const windows = Array.from({ length: 300 }, (_, number) => windowOf(number, 4000));
  const collector = new MeasurementCollector();
  for (const window of windows.slice(0, 200)) collector.recordWindow(window);
  expect(collector.wantsFlush(3)).toBe(false);
  for (const window of windows.slice(200)) collector.recordWindow(window);
  expect(collector.wantsFlush(3)).toBe(true);
  expect(collector.flush(TABLES)?.points).toEqual(pointsOfWindows(windows));
  expect(collector.wantsFlush(3)).toBe(false);
  expect(collector.flush(TABLES)).toBeUndefined();
});
