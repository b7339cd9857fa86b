import * as fc from "fast-check";
import { buffer } from "node:stream/consumers";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { expect, test } from "vitest";
import { seededRandom } from "../../../bench/seeded-random.ts";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { seriesWith } from "../../../test/support/measures.ts";
import { measuresArbitrary, measureTable } from "../../../test/support/plain-measures.ts";
import { MeasureAccumulator } from "../../aggregate/measure-accumulator.ts";
import { downsampleMeasures } from "../../model/measures/downsample-measures.ts";
import { type MeasureTable, NO_MEASURES } from "../../model/measures/measure-table.ts";
import { mergeMeasures } from "../../model/measures/merge-measures.ts";
import { selectSeries } from "../../model/measures/select-measures.ts";
import { DecodeRun } from "../../import/decode-points.ts";
import type { MeasurementBatch } from "../../model/data-points.ts";
import { UserError } from "../../model/errors.ts";
import { summarise } from "../../query/open-summary.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { openParquet } from "../../query/write-parquet.ts";
import { FileDigest, NO_DIGEST } from "./file-digest.ts";
import { type ColumnName, columnNames, isFacetColumn, parquetSchema } from "./parquet-columns.ts";
import { tachographParquet } from "./tachograph-parquet.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const RUN = { loadTestId: "a", selection: ALL_ENDPOINTS };

const QUALITY = { unrecorded: [], rejectedRows: 0 };
const METADATA = {
  version: 1,
  sha256: NO_DIGEST,
  loadTest: { id: "a", name: "a", tags: [] },
  quality: QUALITY,
};

type Row = Partial<Record<ColumnName, unknown>>;

/** One request of 300 µs, in the bucket that begins at 300. */
const ROW: Row = {
  label: "GET /",
  second: 1_700_000_000n,
  requests: 1n,
  elapsed_micros: 300n,
  min_micros: 300n,
  max_micros: 300n,
  bucket_micros: [300n],
  bucket_requests: [1n],
};

function fileOf(rows: readonly Row[], metadata: unknown = METADATA): Uint8Array {
  const writer = new ByteWriter();
  const kvMetadata =
    metadata === null ? [] : [{ key: "tachograph", value: JSON.stringify(metadata) }];
  const facets = rows.flatMap((row) => Object.keys(row).filter(isFacetColumn));
  const file = new ParquetWriter({ writer, schema: parquetSchema(facets), kvMetadata });
  const columnData = columnNames(facets).map((name) => ({
    name,
    data: rows.map((row) => row[name] ?? null),
  }));
  void file.write({ columnData });
  void file.finish();
  const bytes = writer.getBytes();
  if (metadata !== null) new FileDigest().seal(bytes);
  return bytes;
}

async function decode(bytes: Uint8Array) {
  const run = new DecodeRun({ format: tachographParquet, options: { timeZone: "UTC" } });
  const batches: MeasurementBatch[] = [];
  run.push(bytes);
  const summary = await run.end((measured) => void batches.push(measured));
  return { batches, summary };
}

test("a row becomes a point, with rows in any order", async () => {
  const earlier = { ...ROW, second: 1_600_000_000n };
  const { batches, summary } = await decode(fileOf([ROW, { ...ROW, label: "b" }, earlier]));
  expect(summary).toMatchObject({ recorded: 3, rejected: 0, quality: QUALITY });
  expect(batches[0]?.labels).toEqual(["GET /", "b"]);
  expect([...(batches[0]?.points.endpoint ?? [])]).toEqual([0, 0, 1]);
  expect([...(batches[0]?.points.second ?? [])]).toEqual([
    1_600_000_000, 1_700_000_000, 1_700_000_000,
  ]);
  expect([...(batches[0]?.points.minMicros ?? [])]).toEqual([300, 300, 300]);
});

test("what became of the rows of the original is known", async () => {
  const quality = {
    ...QUALITY,
    rejectedRows: 2,
    repairedRows: { "time-unknown": 1 },
    discrepancies: [{ figure: "requests", reported: 5, counted: 3 }],
  } as const;
  const store = await memoryStoreWith({
    ...batchOf([sample("a", 1)], { loadTestId: "a" }),
    quality,
  });
  const file = await openParquet(store.points, RUN);
  const { summary } = await decode(await buffer(file.chunks()));
  file.release();
  expect(summary.quality).toMatchObject(quality);
});

test("sizes of which a source records none are unknown in the copy, and the others in its rows", async () => {
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("a"));
  const sources = [{ unrecorded: ["sizes"] as const }, { unrecorded: [] }];
  for (const [source, about] of sources.entries()) {
    const batch = batchOf([sample(`label ${source}`, 1)], {
      loadTestId: "a",
      sourceId: `source ${source}`,
    });
    await store.points.append({ ...batch, ...about });
  }
  const file = await openParquet(store.points, RUN);
  const { batches, summary } = await decode(await buffer(file.chunks()));
  file.release();
  expect(summary.quality.unrecorded).toEqual(["sizes"]);
  const { receivedBytes } = sample("label 1", 1);
  expect([...(batches[0]?.points.receivedBytes ?? [])]).toContain(receivedBytes);
});

test("failures, users and a role have columns of their own", async () => {
  const failures = {
    failure_codes: ["503"],
    failure_messages: ["Service Unavailable"],
    failure_requests: [1n],
  };
  const users = { second: 1_700_000_000n, generator: "host-1", active_users: 7n };
  const { batches } = await decode(
    fileOf([{ ...ROW, ...failures, role: "transaction", failed_requests: 1n }, users]),
  );
  expect(batches[0]).toMatchObject({
    roles: ["transaction"],
    failures: { kinds: [{ code: "503", message: "Service Unavailable" }] },
    users: { generators: ["host-1"] },
  });
  expect([...(batches[0]?.users.counts.active ?? [])]).toEqual([7]);
});

test.each<readonly [row: Row, message: string]>([
  [{ label: null }, "row 1: label: expected a text, got null"],
  [
    { label: 'a\u0001["region","eu"]' },
    "label: expected one with facets as Tachograph writes them",
  ],
  [{ "facet.a b": "c" }, "label: expected one with facets as Tachograph writes them"],
  [{ "facet.region": "" }, "label: expected one with facets as Tachograph writes them"],
  [{ role: "boss" }, "row 1: role: expected null or one of"],
  [{ requests: -1n }, "row 1: requests: expected a whole number from 0 to 2^53 - 1, got -1"],
  [{ requests: 2n ** 60n }, "got 1152921504606846976"],
  [{ second: 2n ** 32n }, "second: expected a whole number from 0 to 4294967295"],
  [{ failed_requests: 2n }, "failed_requests: expected a whole number from 0 to 1, got 2"],
  [{ failed_elapsed_micros: 1n }, "failed_elapsed_micros: expected a whole number from 0 to 0"],
  [
    { failed_requests: 1n, failed_elapsed_micros: 10n ** 9n },
    "failed_elapsed_micros: expected a whole number from 0 to 300, got 1000000000",
  ],
  [
    { failed_requests: 1n, received_bytes: 9n, failed_received_bytes: 10n },
    "failed_received_bytes: expected a whole number from 0 to 9, got 10",
  ],
  [{ untimed_requests: 1n }, "bucket_requests: expected at most 0 requests, got 1"],
  [{ bucket_micros: [5001n] }, "bucket_micros: expected lower bounds of buckets, got 5001"],
  [{ bucket_requests: [] }, "bucket_requests: expected 1 numbers, got 0"],
  [{ bucket_requests: [0n] }, "bucket_requests: expected a whole number from 1"],
  [{ min_micros: null }, "min_micros: expected a whole number, got null"],
  [{ max_micros: 299n }, "max_micros: expected a whole number from 300"],
  [{ failure_messages: ["x".repeat(501)] }, "expected texts of at most 500 characters"],
  [{ generator: "x".repeat(1025) }, "generator: expected at most 1024 bytes"],
  [{ window_seconds: 65_536n }, "window_seconds: expected a whole number from 1 to 65535"],
])("a row with %o is refused", async (row, message) => {
  await expect(decode(fileOf([{ ...ROW, ...row }]))).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringContaining(message),
  });
});

const NONE = { series: 0, name: 0, tags: 0, value: 0, time: 0 };

test.each<readonly [metadata: unknown, message: string]>([
  [null, 'expected one that "tachograph export" wrote, without changes'],
  [{ ...METADATA, version: 2 }, "expected version 1, got 2"],
  [{ ...METADATA, quality: undefined }, "its quality is damaged"],
  [{ ...METADATA, quality: { ...QUALITY, unrecorded: "sizes" } }, "its quality is damaged"],
  [{ ...METADATA, quality: { rejectedRows: 0 } }, "its quality is damaged"],
  [{ ...METADATA, quality: { ...QUALITY, rejectedRows: "1" } }, "its quality is damaged"],
  [{ ...METADATA, quality: { ...QUALITY, truncatedAtByte: -1 } }, "its quality is damaged"],
  [{ ...METADATA, quality: { ...QUALITY, extent: null } }, "its quality is damaged"],
  [{ ...METADATA, unstored: 5 }, "its counts of values that were not stored are damaged"],
  [{ ...METADATA, unstored: { ...NONE, series: -1 } }, "that were not stored are damaged"],
  [{ ...METADATA, unstored: { ...NONE, value: 1e300 } }, "that were not stored are damaged"],
  [{ ...METADATA, reported: null }, "its reported percentiles are damaged"],
  [{ ...METADATA, reported: { columns: 5 } }, "its reported percentiles are damaged"],
  [{ ...METADATA, reported: { columns: "AAAA" } }, "its reported percentiles are damaged"],
])("a file with the metadata %j is refused", async (metadata, message) => {
  await expect(decode(fileOf([ROW], metadata))).rejects.toThrow(message);
});

async function exported(): Promise<Buffer> {
  const samples = Array.from({ length: 300 }, (_, index) => ({
    label: `GET /${index % 3}`,
    second: 1_700_000_000 + (index % 20),
    elapsedMicros: 1000 + 37 * index,
    receivedBytes: index,
    failed: index % 7 === 0,
  }));
  const store = await memoryStoreWith(batchOf(samples, { loadTestId: "a" }));
  const file = await openParquet(store.points, RUN);
  const bytes = await buffer(file.chunks());
  file.release();
  return bytes;
}

test("times of passed and of failed requests come back", async () => {
  const { batches } = await decode(await exported());
  const store = openMemoryStore();
  await store.loadTests.create(loadTest("b"));
  for (const [sequence, batch] of batches.entries()) {
    await store.points.append({
      ...batch,
      loadTestId: "b",
      sourceId: "file",
      visibility: "live",
      sequence,
    });
  }
  // Every seventh request failed; request i took 1000 + 37 i µs, and is one of each third endpoint.
  const failed = Array.from({ length: 300 }, (_, index) => index).filter(
    (index) => index % 7 === 0,
  );
  for (const [outcome, own] of [
    ["failed", failed],
    ["passed", Array.from({ length: 300 }, (_, index) => index).filter((index) => index % 7 > 0)],
  ] as const) {
    const query = {
      loadTestId: "b",
      selection: ALL_ENDPOINTS,
      range: undefined,
      apdexMicros: undefined,
    };
    const { overall } = await summarise(store.points, { ...query, outcome });
    const micros = own.map((index) => 1000 + 37 * index);
    const p95Micros = micros[Math.ceil(0.95 * micros.length) - 1] as number;
    expect(overall).toMatchObject({
      count: own.length,
      percentileOrigin: "computed",
      minLoadTime: (micros[0] as number) / 1e6,
      maxLoadTime: (micros.at(-1) as number) / 1e6,
    });
    expect(Math.abs((overall.p95 ?? 0) * 1e6 - p95Micros)).toBeLessThan(0.008 * p95Micros);
  }
});

const MIXED: Row = {
  ...ROW,
  requests: 2n,
  failed_requests: 1n,
  elapsed_micros: 600n,
  failed_elapsed_micros: 300n,
  bucket_requests: [2n],
  passed_min_micros: 300n,
  passed_max_micros: 300n,
  failed_min_micros: 300n,
  failed_max_micros: 300n,
  failed_bucket_micros: [300n],
  failed_bucket_requests: [1n],
};

test.each<readonly [row: Row, message: string]>([
  [
    { failed_bucket_requests: [3n] },
    "failed_bucket_requests: expected part of bucket_requests, got 3",
  ],
  [{ failed_bucket_micros: [], failed_bucket_requests: [] }, "expected each failed request, got 0"],
  [{ failed_max_micros: 299n }, "failed_max_micros: expected a whole number from 300"],
])("outcomes with %o are refused", async (row, message) => {
  await expect(decode(fileOf([MIXED]))).resolves.toMatchObject({ summary: { rejected: 0 } });
  await expect(decode(fileOf([{ ...MIXED, ...row }]))).rejects.toThrow(message);
});

test("a damaged or truncated file is refused", async () => {
  const original = await exported();
  const random = seededRandom(1);
  for (let round = 0; round < 1000; round++) {
    const bytes = Buffer.from(original);
    const at = Math.floor(random() * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (round % 8)), at);
    const damaged = round % 10 === 9 ? original.subarray(0, at) : bytes;
    await expect(decode(damaged)).rejects.toBeInstanceOf(UserError);
  }
});

/** Exported and imported again, into one table. */
async function exportedAgain(measures: MeasureTable): Promise<MeasureTable> {
  const samples = ["a", "b", "c", "d"].map((label) => sample(label, 1000));
  const store = await memoryStoreWith(batchOf(samples, { loadTestId: "a", measures }));
  const file = await openParquet(store.points, RUN);
  const bytes = await buffer(file.chunks());
  file.release();
  const { batches } = await decode(bytes);
  return mergeMeasures(
    batches.flatMap(({ labels, measures: own }) => {
      const place = labels.map((label) => "abcd".indexOf(label));
      return own === undefined
        ? []
        : selectSeries(own, (series) =>
            series.label === undefined ? series : { ...series, label: place[series.label] },
          );
    }),
  );
}

test("measures come back exactly as they were exported", async () => {
  await fc.assert(
    fc.asyncProperty(measuresArbitrary, async (values) => {
      const table = measureTable(values);
      const unstored = { series: 0, name: 1, tags: 0, value: 2, time: 0 };
      expect(await exportedAgain({ ...table, unstored })).toEqual({ ...table, unstored });
    }),
    { numRuns: 50 },
  );
});

test("minutes of a gauge, and what is not known of values, come back, too", async () => {
  const accumulator = new MeasureAccumulator();
  const [cpu, wait] = (["gauge", "distribution"] as const).map((kind) =>
    accumulator.seriesOf(seriesWith({ kind, name: kind })),
  ) as [number, number];
  accumulator.addWindow(cpu, 1_790_000_005_500, { count: 3, sum: 0.3, last: 0.2 });
  accumulator.addWindow(wait, 1_790_000_005_500, { count: 3, sum: 9e15, entries: [[3e15, 2]] });
  const table = downsampleMeasures(accumulator.take() ?? NO_MEASURES, {
    windowSeconds: 60,
    firstSecond: 0,
  });
  expect([...table.gauges.lastAtMillis]).toEqual([25_500]);
  expect(await exportedAgain(table)).toEqual(table);
});

const VALUE: Row = {
  measure: "cpu",
  unit: "%",
  kind: "gauge",
  tags: '{"host":"é"}',
  second: 1_700_000_000n,
  value_count: 1n,
  value_sum: 12.5,
  value_min: 12.5,
  value_max: 12.5,
  value_last: 12.5,
};

test("a row of a measure becomes a value, with its endpoint and tags", async () => {
  const { batches } = await decode(fileOf([{ ...VALUE, label: "GET /" }, ROW]));
  expect(batches[0]?.measures?.series).toEqual([
    { label: 0, name: "cpu", unit: "%", kind: "gauge", tags: [["host", "é"]] },
  ]);
  expect([...(batches[0]?.measures?.sums.sumNanos ?? [])]).toEqual([12.5e9]);
});

test.each<readonly [row: Row, message: string]>([
  [{ kind: "clock" }, "row 1: kind: expected one of counter, gauge, rate, distribution"],
  [{ tags: "[1]" }, 'tags: expected a JSON object of texts, got "[1]"'],
  [{ tags: "{" }, "tags: expected a JSON object of texts"],
  [{ value_count: 0n }, "value_count: expected a whole number from 1"],
  [{ value_sum: null }, "value_sum: expected a multiple of 10^-9 up to 2^53 - 1, got null"],
  [{ value_sum: Number.NaN }, "value_sum: expected a finite number"],
  [{ value_last: 1e-10 }, "value_last: expected a multiple of 10^-9"],
  [{ last_at_millis: -1n }, "last_at_millis: expected a whole number from 0"],
  [{ sum_millions: 0n, sum_nanos: 10n ** 15n }, "sum_nanos: expected a whole number from 0"],
  [{ value_count: null, bucket_values: [1] }, "bucket_counts: expected 1 numbers, got 0"],
  [
    { value_count: null, bucket_values: [1], bucket_counts: [1n] },
    "bucket_values: expected middles of buckets, got 1",
  ],
])("a row of a measure with %o is refused", async (row, message) => {
  await expect(decode(fileOf([{ ...VALUE, ...row }]))).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringContaining(message) as string,
  });
});
