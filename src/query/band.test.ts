import { array, asyncProperty, assert, constantFrom, integer, record } from "fast-check";
import { expect, test } from "vitest";
import { batchOf, collect, type LabelledSample, sample } from "../../test/support/batches.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import {
  openPercentiles,
  type PercentileSeries,
  type PercentilesQuery,
} from "./read-percentiles.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

async function seriesOf(
  samples: readonly LabelledSample[],
  wanted: Pick<PercentilesQuery, "isMerged" | "isBanded" | "resolutionSeconds">,
): Promise<PercentileSeries[]> {
  const { points } = await memoryStoreWith(batchOf(samples));
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, range: undefined, quantiles: [1] };
  const answer = await openPercentiles(points, { ...query, ...wanted });
  const series = await collect(answer.series());
  answer.release();
  return series;
}

test("at each point, a band spans the lowest to the highest endpoint with data", async () => {
  const samples = [
    sample("fast", 10, 1000),
    sample("fast", 10, 3000),
    sample("slow", 10, 9000),
    sample("fast", 12, 2000),
  ];
  const wanted = { isMerged: true, isBanded: true, resolutionSeconds: 1 };
  const [merged] = await seriesOf(samples, wanted);
  expect(merged?.second).toEqual(Uint32Array.of(10, 12));
  expect(merged?.band).toEqual({
    lowest: {
      averageMicros: Float64Array.of(2000, 2000),
      quantileMicros: [Float64Array.of(3000, 2000)],
    },
    highest: {
      averageMicros: Float64Array.of(9000, 2000),
      quantileMicros: [Float64Array.of(9000, 2000)],
    },
  });
});

test("its edges are values of endpoints, and none lies outside", async () => {
  const drawn = record({
    label: constantFrom("a", "b", "c"),
    second: integer({ min: 1, max: 9 }),
    elapsedMicros: integer({ min: 1, max: 5000 }),
  });
  await assert(
    asyncProperty(
      array(drawn, { minLength: 1 }),
      integer({ min: 1, max: 4 }),
      async (all, seconds) => {
        const samples = all.map((each) => sample(each.label, each.second, each.elapsedMicros));
        const wanted = { resolutionSeconds: seconds, isMerged: false };
        const each = await seriesOf(samples, wanted);
        const [merged] = await seriesOf(samples, { ...wanted, isMerged: true, isBanded: true });
        const largest = [...(merged?.second ?? [])].map((second) =>
          each.flatMap(({ second: own, quantileMicros: [column] }) => {
            const point = own.indexOf(second);
            return point < 0 ? [] : [column?.[point] as number];
          }),
        );
        const { lowest, highest } = merged?.band ?? {};
        const [lows, highs] = [lowest, highest].map((edge) => [...(edge?.quantileMicros[0] ?? [])]);
        expect(lows).toEqual(largest.map((values) => Math.min(...values)));
        expect(highs).toEqual(largest.map((values) => Math.max(...values)));
      },
    ),
    { numRuns: 50 },
  );
});

test("a band is only computed on request", async () => {
  const [merged] = await seriesOf([sample("a", 1)], { isMerged: true, resolutionSeconds: 1 });
  expect(merged?.band).toBeUndefined();
});
