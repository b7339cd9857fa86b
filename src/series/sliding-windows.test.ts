import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { ALL_ENDPOINTS } from "./endpoint-selection.ts";
import { openPercentiles } from "../query/read-percentiles.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

/** Requests of 1 ms, each of `windowSeconds` from its second on. */
async function windowsOf(
  requests: readonly (readonly [second: number, windowSeconds: number])[],
  windowSeconds: number,
) {
  const { points, ...batch } = batchOf(requests.map(([second]) => sample("a", second, 1000)));
  const windows = Uint16Array.from(requests, ([, seconds]) => seconds);
  const store = await memoryStoreWith({ ...batch, points: { ...points, windowSeconds: windows } });
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  const answer = await openPercentiles(store.points, {
    ...query,
    resolutionSeconds: 1,
    windowSeconds,
    quantiles: [1],
    isMerged: false,
  });
  const [series] = await Array.fromAsync(answer.series());
  answer.release();
  return { ...series, second: [...(series?.second ?? [])] };
}

test("windows that begin or end within a point are left out and counted", async () => {
  // Of 10 s from 100, 110 and 120 on, windows of 20 s hold whole points from 100 and from 110 on.
  const found = await windowsOf(
    [
      [100, 10],
      [110, 10],
      [120, 10],
    ],
    20,
  );
  expect(found.second).toEqual([100, 110]);
  expect(found.leftOut).toEqual({ windows: [{ from: 101, until: 110 }], points: 0 });
});

test("points that no window holds are counted", async () => {
  const found = await windowsOf(
    [
      [100, 1],
      [101, 1],
      [102, 9],
      [120, 1],
    ],
    2,
  );
  expect(found.second).toEqual([100, 119]);
  expect(found.leftOut).toEqual({ windows: [{ from: 101, until: 111 }], points: 1 });
});

test("gaps of years cost nothing", async () => {
  const found = await windowsOf(
    [
      [1, 1],
      [4_000_000_000, 1],
    ],
    2,
  );
  expect(found.second).toEqual([1, 3_999_999_999]);
  expect(found.leftOut).toBeUndefined();
});
