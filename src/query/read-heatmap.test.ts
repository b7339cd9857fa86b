import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../test/support/batches.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import { type HeatmapQuery, readHeatmap, rowFloorMicros } from "./read-heatmap.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

async function heatmap(
  samples: readonly (readonly [second: number, elapsedMicros: number, label?: string])[],
  query: Partial<HeatmapQuery> = {},
) {
  const given = samples.map(([second, micros, label = "a"]) => sample(label, second, micros));
  const store = await memoryStoreWith(batchOf(given));
  return readHeatmap(store.points, {
    loadTestId: "run",
    selection: ALL_ENDPOINTS,
    range: undefined,
    resolutionSeconds: 1,
    ...query,
  });
}

test("rows are twenty a decade, and the lowest holds what takes no time", () => {
  const floors = [0, 20, 40, 120].map(rowFloorMicros);
  expect(floors).toEqual([0, 10, 100, 1_000_000]);
  expect(rowFloorMicros(121) / rowFloorMicros(120)).toBeCloseTo(1.122, 3);
});

test("every request is in one cell, whose times are at most 1.6 % away from its own", async () => {
  const times = fc.oneof(fc.nat(300), fc.nat(2 ** 31 - 1));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), times), { minLength: 1, maxLength: 50 }),
      async (samples) => {
        const { second, cells } = await heatmap(samples);
        for (const [column, at] of second.entries()) {
          const own = samples.filter(([each]) => each === at).map(([, micros]) => micros);
          const left = own.toSorted((a, b) => a - b);
          for (const { row, requests } of cells[column] ?? []) {
            for (const micros of left.splice(0, requests)) {
              expect(micros).toBeGreaterThanOrEqual(Math.floor(rowFloorMicros(row) * 0.984));
              expect(micros).toBeLessThan(rowFloorMicros(row + 1) * 1.016 + 1);
            }
          }
          expect(left).toEqual([]);
        }
        expect(second).toEqual([...new Set(samples.map(([at]) => at))].toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 100 },
  );
});

test("endpoints and seconds are merged; what is not selected, or at no known instant, is left out", async () => {
  const samples = [
    [0, 1000],
    [59, 1000],
    [61, 1000],
    [62, 1000, "b"],
    [63, 1_000_000],
    [64, 1000, "c"],
  ] as const;
  const selected = {
    selection: { by: "filter", filter: "" },
    range: { from: 0, until: 64 },
  } as const;
  const { second, cells } = await heatmap(samples, { ...selected, resolutionSeconds: 60 });
  expect(second).toEqual([1, 60]);
  expect(cells.map((column) => column.map(({ requests }) => requests))).toEqual([[1], [2, 1]]);
});
