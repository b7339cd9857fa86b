import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { type DistributionQuery, readDistribution } from "./read-percentiles.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

type Request = readonly [second: number, elapsedMicros: number, label?: string];

async function distribution(
  requests: readonly Request[],
  query: Partial<DistributionQuery> = {},
): ReturnType<typeof readDistribution> {
  const samples = requests.map(([second, micros, label = "a"]) => sample(label, second, micros));
  const store = await memoryStoreWith(batchOf(samples));
  const all = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined };
  return readDistribution(store.points, { ...all, ...query });
}

test("every request counts once, at a time that is at most 0.79 % away from its own", async () => {
  const times = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1));
  const requests = fc.array(fc.tuple(fc.nat(9), times), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(requests, async (given) => {
      const { figures, micros, requests: counts } = await distribution(given);
      const own = given.map(([, each]) => each).toSorted((left, right) => left - right);
      for (const [index, time] of micros.entries()) {
        for (const each of own.splice(0, counts[index])) {
          expect(Math.abs(time - each)).toBeLessThanOrEqual(each / 127 + 0.5);
        }
      }
      expect(own).toEqual([]);
      expect(figures.count).toBe(given.length);
      expect(micros).toEqual([...new Set(micros)].toSorted((left, right) => left - right));
    }),
    { numRuns: 100 },
  );
});

test("what is neither selected nor in the range is left out; without a range second 0 counts", async () => {
  const requests: readonly Request[] = [
    [0, 100],
    [5, 100],
    [5, 120, "b"],
    [7, 90, "c"],
  ];
  expect(await distribution(requests)).toMatchObject({
    micros: [90, 100, 120],
    requests: [1, 2, 1],
  });
  const part = {
    selection: { by: "hashes", hashes: [] },
    range: { from: 0, until: 6 },
  } as const;
  expect(await distribution(requests, { range: part.range })).toMatchObject({
    figures: { count: 2, maxLoadTime: 0.00012 },
    micros: [100, 120],
  });
  expect(await distribution(requests, part)).toMatchObject({ figures: { count: 0 }, micros: [] });
});
