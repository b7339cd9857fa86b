import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, type LabelledSample, sample } from "../../test/support/batches.ts";
import { ALL_ENDPOINTS, hashOfLabel } from "../series/endpoint-selection.ts";
import {
  type HeatmapEndpointsQuery,
  readHeatmap,
  readHeatmapEndpoints,
  rowFloorMicros,
} from "./read-heatmap.ts";
import { memoryStoreWith } from "../../test/support/stored-runs.ts";

async function storeOf(samples: readonly LabelledSample[]) {
  const store = await memoryStoreWith(batchOf(samples));
  return store;
}

const QUERY: HeatmapEndpointsQuery = {
  loadTestId: "run",
  selection: ALL_ENDPOINTS,
  range: undefined,
  fromMicros: 0,
  untilMicros: Infinity,
  limit: 100,
};

const failing = (label: string, second: number, micros: number): LabelledSample => ({
  ...sample(label, second, micros),
  failed: true,
});

const SAMPLES = [
  sample("slow", 3, 90),
  sample("slow", 4, 100),
  failing("slow", 4, 101),
  sample("slow", 5, 100),
  sample("quick", 4, 7),
  failing("quick", 4, 120),
  sample("other", 4, 8),
];

test("counts requests between two seconds and two response times by endpoint, most first", async () => {
  const { points } = await storeOf(SAMPLES);
  const range = { from: 4, until: 5 };
  const answer = await readHeatmapEndpoints(points, {
    ...QUERY,
    range,
    fromMicros: 100,
    untilMicros: 121,
  });
  expect(answer).toEqual({
    requests: 3,
    errCount: 2,
    ofRequests: 5,
    unknownRequests: 0,
    endpointCount: 2,
    endpoints: [
      {
        label: "slow",
        hash: hashOfLabel("slow"),
        requests: 2,
        errCount: 1,
        ofRequests: 2,
        unknownRequests: 0,
      },
      {
        label: "quick",
        hash: hashOfLabel("quick"),
        requests: 1,
        errCount: 1,
        ofRequests: 2,
        unknownRequests: 0,
      },
    ],
  });
});

test("lists at most `limit` endpoints, and counts all", async () => {
  const { points } = await storeOf(SAMPLES);
  const { endpoints, ...whole } = await readHeatmapEndpoints(points, { ...QUERY, limit: 1 });
  expect(whole).toMatchObject({ requests: 7, endpointCount: 3 });
  expect(endpoints.map(({ label }) => label)).toEqual(["slow"]);
});

test.each([
  ["passed", 3, 0, 5],
  ["failed", 2, 2, 2],
] as const)("counts %s requests alone", async (outcome, requests, errCount, ofRequests) => {
  const { points } = await storeOf(SAMPLES);
  const query = { ...QUERY, outcome, fromMicros: 90 };
  const expected = { requests, errCount, ofRequests };
  expect(await readHeatmapEndpoints(points, query)).toMatchObject(expected);
});

test("does not know which are failed where passed and failed times were merged", async () => {
  const { outcomes: _, ...points } = batchOf(SAMPLES).points;
  const store = await memoryStoreWith({ ...batchOf(SAMPLES), points });
  const answer = await readHeatmapEndpoints(store.points, QUERY);
  expect(answer.errCount).toBeNull();
  const counts = answer.endpoints.map(({ label, errCount }) => [label, errCount]);
  expect(Object.fromEntries(counts)).toEqual({ slow: null, quick: null, other: 0 });
});

test("counts requests whose own response times are unknown apart", async () => {
  const batch = batchOf([sample("a", 4, 10), sample("a", 4, 20)]);
  const { bucketsFrom } = batch.points;
  const averaged = {
    ...batch.points,
    minMicros: Float64Array.of(-Infinity),
    maxMicros: Float64Array.of(Infinity),
    bucketsFrom: bucketsFrom.map(() => 0),
    bucket: new Uint16Array(0),
    bucketCount: new Float64Array(0),
  };
  const store = await memoryStoreWith({ ...batch, points: averaged });
  const answer = await readHeatmapEndpoints(store.points, QUERY);
  expect(answer).toMatchObject({ requests: 0, ofRequests: 0, unknownRequests: 2, endpoints: [] });
});

test("a rectangle between two rows of the heatmap has the requests of its cells", async () => {
  const times = fc.oneof(fc.nat(300), fc.nat(5_000_000));
  const second = fc.integer({ min: 1, max: 9 });
  const rows = fc.uniqueArray(fc.nat(140), { minLength: 2, maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(second, times), { minLength: 1, maxLength: 50 }),
      rows,
      async (given, bounds) => {
        const { points } = await storeOf(given.map(([at, micros]) => sample("a", at, micros)));
        const [low = 0, high = 1] = bounds.toSorted((left, right) => left - right);
        const { cells } = await readHeatmap(points, { ...QUERY, resolutionSeconds: 1 });
        const expected = cells
          .flat()
          .filter(({ row }) => row >= low && row < high)
          .reduce((sum, { requests }) => sum + requests, 0);
        const answer = await readHeatmapEndpoints(points, {
          ...QUERY,
          fromMicros: rowFloorMicros(low),
          untilMicros: rowFloorMicros(high),
        });
        expect(answer.requests).toBe(expected);
      },
    ),
  );
});
