import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type PlainSample, pointsOf, samplesArbitrary } from "../../test/support/plain-points.ts";
import type { DataPoints } from "../model/data-points.ts";
import { extremesState } from "../model/histogram.ts";
import { mergePoints } from "../model/merge-points.ts";
import { createSampleBatch, SAMPLE_BATCH_ROWS, type SampleBatch } from "../model/sample-batch.ts";
import type { SampleAggregator } from "./sample-aggregator.ts";
import { KernelAggregator } from "./kernel-aggregator.ts";
import { RowAggregator } from "./row-aggregator.ts";

const EACH: readonly [name: string, open: () => SampleAggregator][] = [
  ["rows", () => new RowAggregator()],
  ["the kernel", () => new KernelAggregator()],
];

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

function aggregated(
  rows: readonly Row[],
  aggregator: SampleAggregator = new KernelAggregator(),
): DataPoints {
  aggregator.record(batchOf(rows));
  return aggregator.flush();
}

test.each(EACH)("with %s the points match their definition", (_name, open) => {
  fc.assert(
    fc.property(samplesArbitrary, samplesArbitrary, (first, second) => {
      const aggregator = open();
      aggregator.record(batchOf(rowsOf(first)));
      aggregator.record(batchOf(rowsOf(second)));
      expect(aggregator.flush()).toEqual(pointsOf([...first, ...second]));
    }),
  );
});

test("lent points match their definition, flush by flush", () => {
  const aggregator = new KernelAggregator({ lends: true });
  fc.assert(
    fc.property(samplesArbitrary, (samples) => {
      expect(aggregated(rowsOf(samples), aggregator)).toEqual(pointsOf(samples));
    }),
  );
  aggregator.release();
});

test("points that are not lent stay as they are", () => {
  const rows = [{ elapsedMicros: 5 }, { elapsedMicros: 7, failedRequests: 1 }];
  const aggregator = new KernelAggregator();
  const points = aggregated(rows, aggregator);
  const before = structuredClone(points);
  aggregated([...rows, ...rows, { elapsedMicros: 1, second: 2 }], aggregator);
  expect(points).toEqual(before);
});

test.each(EACH)("flushing early and merging later gives the same points: %s", (_name, open) => {
  fc.assert(
    fc.property(samplesArbitrary, samplesArbitrary, (first, second) => {
      const aggregator = open();
      aggregator.record(batchOf(rowsOf(first)));
      const early = aggregator.flush();
      aggregator.record(batchOf(rowsOf(second)));
      expect(mergePoints([early, aggregator.flush()])).toEqual(pointsOf([...first, ...second]));
    }),
  );
});

test.each(EACH)("buckets of points with hundreds of requests are sorted: %s", (_name, open) => {
  const samples = Array.from({ length: 4000 }, (_, at) => ({
    endpoint: at % 3,
    second: 1_700_000_000 - (at % 5),
    elapsedMicros: (at * 7919) % 100_003,
    receivedBytes: at,
    failed: at % 11 === 0,
  }));
  expect(aggregated(rowsOf(samples), open())).toEqual(pointsOf(samples));
});

test.each(EACH)(
  "a row of several requests adds to sums, not to the distribution: %s",
  (_name, open) => {
    const aggregator = open();
    // In separate batches with and without rows of several requests.
    aggregator.record(batchOf([{ elapsedMicros: 10, receivedBytes: 7 }]));
    aggregator.record(
      batchOf([
        { elapsedMicros: 90, receivedBytes: 300, requests: 3, failedRequests: 3 },
        { elapsedMicros: 60, requests: 2 },
      ]),
    );
    const points = aggregator.flush();
    expect(points.requests).toEqual(Float64Array.of(6));
    expect(points.elapsedMicros).toEqual(Float64Array.of(160));
    expect(points.failedRequests).toEqual(Float64Array.of(3));
    expect(points.failedElapsedMicros).toEqual(Float64Array.of(90));
    expect(points.failedReceivedBytes).toEqual(Float64Array.of(300));
    expect(extremesState(points, 0)).toBe("unknown");
    expect([...points.bucket]).toEqual([10]);
    expect([...points.bucketCount]).toEqual([1]);
  },
);

test.each(EACH)("rows of several requests may come in any order of latency: %s", (_name, open) => {
  const aggregator = open();
  aggregator.record(
    batchOf([
      { label: 1, elapsedMicros: 90, requests: 3 },
      { label: 0, elapsedMicros: 8 },
      { label: 1, elapsedMicros: 10 },
      { label: 0, elapsedMicros: 14, requests: 2 },
      { label: 1, elapsedMicros: 40, requests: 2 },
      { label: 1, elapsedMicros: 10 },
    ]),
  );
  const { bucketsFrom, bucket, bucketCount } = aggregator.flush();
  expect([...bucketsFrom]).toEqual([0, 1, 2]);
  expect([...bucket]).toEqual([8, 10]);
  expect([...bucketCount]).toEqual([1, 2]);
  // Their weights must not affect later rows.
  aggregator.record(batchOf([{ elapsedMicros: 5 }, { elapsedMicros: 4 }, { elapsedMicros: 5 }]));
  expect([...aggregator.flush().bucketCount]).toEqual([1, 2]);
});

test.each(EACH)("growing to thousands of points keeps the earlier values: %s", (_name, open) => {
  const aggregator = open();
  const rows = Array.from({ length: 7500 }, (_, second) => ({
    second,
    elapsedMicros: 2 * (second % 50),
    receivedBytes: second,
    requests: second % 3 === 0 ? 2 : 1,
    failedRequests: second % 5 === 0 ? 1 : 0,
  }));
  for (let at = 0; at < 7500; at += 1500) aggregator.record(batchOf(rows.slice(at, at + 1500)));
  expect(aggregator.points).toBe(7500);
  const points = aggregator.flush();
  const column = (valueOf: (row: (typeof rows)[number]) => number) =>
    Float64Array.from(rows, valueOf);
  expect(points.second).toEqual(Uint32Array.from(rows.keys()));
  expect(points.requests).toEqual(column(({ requests }) => requests));
  expect(points.elapsedMicros).toEqual(column(({ elapsedMicros }) => elapsedMicros));
  expect(points.receivedBytes).toEqual(column(({ receivedBytes }) => receivedBytes));
  expect(points.failedRequests).toEqual(column(({ failedRequests }) => failedRequests));
  const single = rows.filter(({ requests }) => requests === 1);
  expect(points.bucket).toEqual(Uint16Array.from(single, ({ elapsedMicros }) => elapsedMicros));
  expect(points.bucketCount).toEqual(new Float64Array(single.length).fill(1));
  const states = rows.map((_, point) => extremesState(points, point));
  expect(states).toEqual(rows.map(({ requests }) => (requests === 1 ? "known" : "unknown")));
});

test("failed requests of a partly failed row get a proportional share, rounded half up", () => {
  const points = aggregated([
    { elapsedMicros: 100, receivedBytes: 7, requests: 3, failedRequests: 1 },
    { elapsedMicros: 9_007_199_254_740_001, requests: 2, failedRequests: 1 },
  ]);
  expect(points.failedRequests[0]).toBe(2);
  expect(points.failedElapsedMicros[0]).toBe(33 + 4_503_599_627_370_001);
  expect(points.failedReceivedBytes[0]).toBe(2);
});

test("two of three failed requests get two thirds, rounded half up", () => {
  const points = aggregated([
    { elapsedMicros: 100, receivedBytes: 10, requests: 3, failedRequests: 2 },
  ]);
  expect(points.failedRequests[0]).toBe(2);
  // 66.67 and 6.67
  expect(points.failedElapsedMicros[0]).toBe(67);
  expect(points.failedReceivedBytes[0]).toBe(7);
});

test.each(EACH)("a sum beyond 2^53 - 1 is refused: %s", (_name, open) => {
  const rows = [{ elapsedMicros: Number.MAX_SAFE_INTEGER }, { elapsedMicros: 1 }];
  expect(aggregated(rows.slice(0, 1), open()).elapsedMicros[0]).toBe(Number.MAX_SAFE_INTEGER);
  expect(() => aggregated(rows, open())).toThrow("2^53 - 1");
});

test("keeps recording correctly when flushing is overdue", () => {
  const seconds = 100_000;
  const aggregator = new KernelAggregator();
  for (const first of [0, seconds - SAMPLE_BATCH_ROWS * 24, 0]) {
    for (let at = first; at < Math.min(first + seconds, seconds); at += SAMPLE_BATCH_ROWS) {
      const rows = Math.min(SAMPLE_BATCH_ROWS, seconds - at);
      const second = (row: number): number => 1 + at + row;
      aggregator.record(
        batchOf(
          Array.from({ length: rows }, (_, row) => ({ second: second(row), elapsedMicros: 5 })),
        ),
      );
    }
  }
  expect(aggregator.wantsFlush(1)).toBe(true);
  const points = aggregator.flush();
  expect(points.second).toEqual(Uint32Array.from({ length: seconds }, (_, at) => at + 1));
  expect(points.requests.reduce((sum, requests) => sum + requests)).toBe(
    2 * seconds + SAMPLE_BATCH_ROWS * 24,
  );
  expect(aggregator.points).toBe(0);
});

test.each(EACH)("a point recorded again after a flush starts from zero: %s", (_name, open) => {
  const aggregator = open();
  const row = { label: 7, second: 1_700_000_000, elapsedMicros: 5 };
  for (const requests of [2, 1]) {
    aggregator.record(
      batchOf([...Array.from({ length: requests }, () => row), { elapsedMicros: 9 }]),
    );
    expect([...aggregator.flush().requests]).toEqual([1, requests]);
  }
});

test.each(EACH)(
  "wants flushing after a million rows and is empty afterwards: %s",
  (_name, open) => {
    const aggregator = open();
    const batch = batchOf(Array.from({ length: SAMPLE_BATCH_ROWS }, () => ({ elapsedMicros: 5 })));
    for (let rows = 0; rows < 2 ** 20; rows += SAMPLE_BATCH_ROWS) {
      expect(aggregator.wantsFlush(1)).toBe(false);
      aggregator.record(batch);
    }
    expect(aggregator.wantsFlush(1)).toBe(true);
    expect([...aggregator.flush().bucketCount]).toEqual([2 ** 20]);
    expect(aggregator.flush().second).toHaveLength(0);
  },
);

test.each(EACH)("with many labels, more points are gathered: %s", (_name, open) => {
  const aggregator = open();
  for (let first = 0; first < 64 * 1024; first += SAMPLE_BATCH_ROWS) {
    const rows = Array.from({ length: SAMPLE_BATCH_ROWS }, (_, row) => ({ label: first + row }));
    aggregator.record(batchOf(rows.map((row) => ({ ...row, elapsedMicros: 1 }))));
  }
  // 704 Ki less twice as many labels are the least, 64 Ki, for 320 Ki.
  const labels = [128, 129, 327_679, 327_680];
  expect(labels.map((each) => aggregator.wantsFlush(each))).toEqual([true, false, false, true]);
});
