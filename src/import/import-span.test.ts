import { expect, test } from "vitest";
import { densePoints } from "../../test/support/dense-points.ts";
import { pointsOf } from "../../test/support/plain-points.ts";
import { NO_MEASURES } from "../model/measures/measure-table.ts";
import { mergePoints } from "../model/merge-points.ts";
import { seriesName } from "../model/series/facets.ts";
import { ImportSpan } from "./import-span.ts";
import { OverflowLabels } from "./overflow-labels.ts";

test("an endpoint counts once over several batches", () => {
  const span = new ImportSpan();
  const shape = { seconds: 3, requestsPerPoint: 1, firstSecond: 1_790_000_000 };
  const few = densePoints({ ...shape, endpoints: 2 });
  span.add({ points: few });
  span.add({ points: few });
  expect(span.report(new OverflowLabels())).toEqual({
    requests: 2 * few.requests.reduce((sum, requests) => sum + requests, 0),
    failedRequests: 2 * few.failedRequests.reduce((sum, failed) => sum + failed, 0),
    transactions: 0,
    subresults: 0,
    endpoints: 2,
    other: undefined,
    from: 1_790_000_000,
    until: 1_790_000_002,
  });
  span.add({ points: { ...few, endpoint: few.endpoint.map((label) => label * 5000) } });
  expect(span.report(new OverflowLabels()).endpoints).toBe(3);
});

test("the series of a label by its facets are one endpoint", () => {
  const span = new ImportSpan();
  const facets = ["eu", "us"].map((region) => seriesName("GET /", [["region", region]]));
  const points = densePoints({ seconds: 1, requestsPerPoint: 1, firstSecond: 1, endpoints: 3 });
  span.add({ points, labels: ["GET /", ...facets, "unused"] });
  expect(span.report(new OverflowLabels()).endpoints).toBe(1);
});

test("hidden rows neither begin nor end an import, nor make a pause", () => {
  const span = new ImportSpan();
  const rows = [
    [0, 1_790_000_000],
    [1, 1_790_009_000],
    [1, 1_790_009_002],
    [2, 1_790_019_000],
  ] as const;
  const points = pointsOf(
    rows.map(([endpoint, second]) => {
      return { endpoint, second, elapsedMicros: 1, receivedBytes: 0, failed: false };
    }),
  );
  span.add({ points, roles: ["ignored-request", "request", "measured-request"] });
  expect(span.report(new OverflowLabels())).toMatchObject({
    requests: 2,
    from: 1_790_009_000,
    until: 1_790_009_002,
  });
  expect(span.notes()).toEqual([]);
});

test("values of measures that no batch could store are added up and told", () => {
  const span = new ImportSpan();
  const one = { ...NO_MEASURES, unstored: { series: 1000, name: 0, tags: 1, value: 0, time: 0 } };
  for (const measures of [one, one, undefined]) span.add({ points: mergePoints([]), measures });
  expect(span.notes()).toEqual([
    "values of measures that were not stored: 2,000 of series beyond the 2,000 of a load test; " +
      "2 with more than 16 tags, or with tags of more than 200 bytes",
  ]);
});
