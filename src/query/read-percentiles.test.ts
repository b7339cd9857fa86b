import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";
import { pointsOfWindows } from "../aggregate/row-aggregator.ts";
import { reportedPercentiles } from "../model/reported-percentiles.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { openPercentiles } from "./read-percentiles.ts";

/** A p95 of 1 ms, 2 ms and so on of windows of 5 s that begin at these seconds, as read in points of 5 s. */
async function reportedAt(...seconds: readonly number[]) {
  const points = pointsOfWindows(
    seconds.map((second) => ({
      label: 0,
      second,
      windowSeconds: 5,
      requests: 10,
      elapsedMicros: 10_000,
      receivedBytes: 0,
      failedRequests: 0,
      failedElapsedMicros: 0,
      failedReceivedBytes: 0,
      minMicros: undefined,
      maxMicros: undefined,
      latencies: [],
    })),
  );
  const reported = reportedPercentiles(
    seconds.map((second, at) => ({
      label: 0,
      window: { second, windowSeconds: 5 },
      percentiles: [[0.95, 1000 * (at + 1)]],
    })),
  );
  const store = await memoryStoreWith({ ...batchOf([sample("a", 1)]), points, reported });
  const answer = await openPercentiles(store.points, {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
    range: undefined,
    resolutionSeconds: 5,
    quantiles: [0.95],
    isMerged: false,
  });
  const [series] = await Array.fromAsync(answer.series());
  answer.release();
  return Array.from(series?.second ?? [], (second, at) => [
    second,
    series?.quantileMicros[0]?.[at],
  ]);
}

test("a percentile that the tool reported of one window is not that of a point with two", async () => {
  expect(await reportedAt(100, 105, 110)).toEqual([
    [100, 1000],
    [105, 2000],
    [110, 3000],
  ]);
  expect(await reportedAt(100, 103, 104, 110)).toEqual([
    [100, Number.NaN],
    [110, 4000],
  ]);
  // A sender's clock jitters.
  expect(await reportedAt(100, 104, 110)).toEqual([
    [100, Number.NaN],
    [110, 3000],
  ]);
});
