import { expect, test, vi } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openStoreIn, temporaryDirectory } from "../../test/support/store-directory.ts";
import { turnsDuring } from "../../test/support/turns.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { summarise, type Summary } from "./open-summary.ts";

const ENDPOINTS = 1000;

test("the event loop turns between percentiles of the endpoints in a block", async () => {
  const store = await openStoreIn(temporaryDirectory());
  await store.loadTests.create(loadTest());
  const samples = Array.from({ length: ENDPOINTS }, (_, index) => [
    sample(`/${index}`, 1, 1000 * (index + 1)),
    sample(`/${index}`, 2, 9_000_000),
  ]);
  await store.points.append(batchOf(samples.flat()));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  // A clock on which each step takes longer than a slice.
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 5));
  const turnsWith = async (percents: readonly number[] | undefined) => {
    let summary: Summary | undefined;
    const turns = await turnsDuring(async () => {
      summary = await summarise(store.points, { ...query, apdexMicros: 1000, percents });
    });
    return { turns, endpoints: summary?.endpoints ?? [] };
  };
  // The first one reads the labels, too.
  await turnsWith(undefined);
  const plain = await turnsWith(undefined);
  const { turns, endpoints } = await turnsWith([50]);
  expect(turns).toBeGreaterThanOrEqual(plain.turns + 5);
  const found = endpoints.map(({ label, percentiles }) => [label, percentiles]);
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(samples.map((_, index) => [`/${index}`, { p50: (index + 1) / 1000 }])),
  );
});
