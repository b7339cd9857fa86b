import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type PlainSample, pointsOf, samplesArbitrary } from "../../test/support/plain-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { mergePoints } from "../model/merge-points.ts";
import { createSampleBatch, SAMPLE_BATCH_ROWS, type SampleBatch } from "../model/sample-batch.ts";
import { Aggregator } from "./aggregator.ts";

interface Row {
  readonly label?: number;
  readonly second?: number;
  readonly elapsedMicros: number;
  readonly receivedBytes?: number;
  readonly requests?: number;
  readonly failedRequests?: number;
}

function batchOf(rows: readonly Row[]): SampleBatch {
  const batch = createSampleBatch();
  for (const [at, row] of rows.entries()) {
    batch.label[at] = row.label ?? 0;
    batch.second[at] = row.second ?? 1_700_000_000;
    batch.elapsedMicros[at] = row.elapsedMicros;
    batch.receivedBytes[at] = row.receivedBytes ?? 0;
    batch.requests[at] = row.requests ?? 1;
    batch.failedRequests[at] = row.failedRequests ?? 0;
  }
  batch.rows = rows.length;
  return batch;
}

function rowsOf(samples: readonly PlainSample[]): Row[] {
  return samples.map((sample) => ({
    label: sample.endpoint,
    second: sample.second,
    elapsedMicros: sample.elapsedMicros,
    receivedBytes: sample.receivedBytes,
    failedRequests: sample.failed ? 1 : 0,
  }));
}

function aggregated(rows: readonly Row[]): DataPoints {
  const aggregator = new Aggregator();
  aggregator.record(batchOf(rows));
  return aggregator.seal();
}

test.each([1, 2, 2 ** 18])("with %i slots the points are those of the definition", (slots) => {
  fc.assert(
    fc.property(samplesArbitrary, samplesArbitrary, (first, second) => {
      const aggregator = new Aggregator(slots);
      aggregator.record(batchOf(rowsOf(first)));
      aggregator.record(batchOf(rowsOf(second)));
      expect(aggregator.seal()).toEqual(pointsOf([...first, ...second]));
    }),
  );
});

test("sealing early and merging later gives the same points", () => {
  fc.assert(
    fc.property(samplesArbitrary, samplesArbitrary, (first, second) => {
      const aggregator = new Aggregator();
      aggregator.record(batchOf(rowsOf(first)));
      const early = aggregator.seal();
      aggregator.record(batchOf(rowsOf(second)));
      expect(mergePoints([early, aggregator.seal()])).toEqual(pointsOf([...first, ...second]));
    }),
  );
});

test("points with hundreds of requests have their buckets in order", () => {
  const samples = Array.from({ length: 4000 }, (_, at) => ({
    endpoint: at % 3,
    second: 1_700_000_000 - (at % 5),
    elapsedMicros: (at * 7919) % 100_003,
    receivedBytes: at,
    failed: at % 11 === 0,
  }));
  expect(aggregated(rowsOf(samples))).toEqual(pointsOf(samples));
});

test("a row that stands for several requests weighs as many, each of its mean", () => {
  const points = aggregated([
    { elapsedMicros: 90, receivedBytes: 300, requests: 3, failedRequests: 3 },
    { elapsedMicros: 10, receivedBytes: 7 },
    { elapsedMicros: 60, requests: 2 },
  ]);
  expect(points.requests).toEqual(Float64Array.of(6));
  expect(points.elapsedMicros).toEqual(Float64Array.of(160));
  expect(points.failedRequests).toEqual(Float64Array.of(3));
  expect(points.failedElapsedMicros).toEqual(Float64Array.of(90));
  expect(points.failedReceivedBytes).toEqual(Float64Array.of(300));
  expect([points.minMicros[0], points.maxMicros[0]]).toEqual([10, 30]);
  expect([...points.bucket]).toEqual([10, 30]);
  expect([...points.bucketCount]).toEqual([1, 5]);
});

test("of a row that failed in part, the failed requests get their share, rounded half up", () => {
  const points = aggregated([
    { elapsedMicros: 100, receivedBytes: 7, requests: 3, failedRequests: 1 },
    { elapsedMicros: 9_007_199_254_740_001, requests: 2, failedRequests: 1 },
  ]);
  expect(points.failedRequests[0]).toBe(2);
  expect(points.failedElapsedMicros[0]).toBe(33 + 4_503_599_627_370_001);
  expect(points.failedReceivedBytes[0]).toBe(2);
});

test("a sum beyond 2^53 - 1 is refused", () => {
  const rows = [{ elapsedMicros: Number.MAX_SAFE_INTEGER }, { elapsedMicros: 1 }];
  expect(aggregated(rows.slice(0, 1)).elapsedMicros[0]).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => aggregated(rows)).toThrow("2^53 - 1");
});

test("it asks to be sealed after a million rows, and then has nothing left", () => {
  const aggregator = new Aggregator();
  const batch = batchOf(Array.from({ length: SAMPLE_BATCH_ROWS }, () => ({ elapsedMicros: 5 })));
  for (let rows = 0; rows < 2 ** 20; rows += SAMPLE_BATCH_ROWS) {
    expect(aggregator.wantsSeal).toBe(false);
    aggregator.record(batch);
  }
  expect(aggregator.wantsSeal).toBe(true);
  expect([...aggregator.seal().bucketCount]).toEqual([2 ** 20]);
  expect(aggregator.seal().second).toHaveLength(0);
});
