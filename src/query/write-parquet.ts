import { attributesOf } from "../model/load-test/attributes.ts";
import { zstdCompressSync } from "node:zlib";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { Yielder } from "../concurrency/yielder.ts";
import { FileDigest, NO_DIGEST } from "../decode/parquet/file-digest.ts";
import type { Endpoint } from "../model/load-test.ts";
import { compareLabels } from "../model/label.ts";
import { mergePoints } from "../model/merge-points.ts";
import { ALL_SECONDS, viewSeries } from "../model/columns.ts";
import { FACETS_BEGIN, partsOfSeries } from "../model/series/facets.ts";
import { ALL_SERIES } from "../series/series-groups.ts";
import type { SelectedPart } from "../series/endpoint-selection.ts";
import { openSnapshot, type Snapshots } from "../series/open-snapshot.ts";
import type {
  EndpointFailures,
  EndpointIndex,
  Snapshot,
  VisibleSource,
  GeneratorUsers,
} from "../store/snapshot.ts";
import { usersThatAddUp } from "./read-users.ts";
import {
  type ColumnName,
  columnNames,
  type ExportMetadata,
  type FacetColumn,
  METADATA_KEY,
  METADATA_VERSION,
  parquetSchema,
} from "../decode/parquet/parquet-columns.ts";
import { readSourceFacts } from "./source-facts.ts";
import { UNSTORED_REASONS, type MeasureTable, minuteOf } from "../model/measures/measure-table.ts";
import { formatQuality } from "../decode/format-quality.ts";
import { encodeReported, renumberReported } from "../model/reported-percentiles.ts";
import { addRowQuality } from "../model/quality/row-quality.ts";
import { type SourceQuality, UNRECORDED } from "../model/source-quality.ts";
import type { DataPoints, DistributionColumns, OutcomeColumns } from "../model/data-points.ts";
import { bucketFloor } from "../model/buckets/bucket-layout.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import { addValue, decimalOf } from "../model/measures/decimal-sum.ts";
import { valueBucketMiddle } from "../model/measures/value-buckets.ts";
import { distributionOf } from "./measure-figures.ts";

/** A run as a Parquet file that is about to be written, from one snapshot. */
export interface ParquetExport {
  readonly revision: string;
  /** The bytes of the file; to be called at most once. Bounded memory. Throws what `Snapshot.read` throws. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Releases the snapshot. Must be called once. */
  release(): void;
}

/** Few enough cells that a row group takes some megabytes and blocks the event loop for some 50 ms. */
const CELLS_PER_GROUP = 100_000;

/** Of the series that the selection chooses, each by itself unless it splits labels `by` facets. Throws `unknown-load-test`, `unknown-facet`. */
export async function openParquet(
  points: Snapshots,
  { loadTestId, selection }: Pick<SelectedPart, "loadTestId" | "selection">,
): Promise<ParquetExport> {
  const facets = selection.facets ?? ALL_SERIES;
  const shown = facets.by.length > 0 ? facets : { ...facets, areApart: true as const };
  const snapshot = await openSnapshot(points, loadTestId, { selection: { facets: shown } });
  return {
    revision: snapshot.revision,
    chunks: () => writeParquet(snapshot),
    release: () => snapshot.release(),
  };
}

async function* writeParquet(snapshot: Snapshot): AsyncGenerator<Uint8Array> {
  const known = (await snapshot.sources()).map(sourceQuality);
  const metadata = await exportMetadata(snapshot, known);
  const facets = await facetColumns(await snapshot.index());
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: parquetSchema(facets),
    codec: "ZSTD",
    compressors: { ZSTD: (page) => zstdCompressSync(page) },
    kvMetadata: [{ key: METADATA_KEY, value: JSON.stringify(metadata) }],
    createdBy: "tachograph",
  });
  const hasSizes = !known.every(({ unrecorded }) => unrecorded?.includes("sizes"));
  const yielder = new Yielder();
  const digest = new FileDigest();
  const columns = columnNames(facets);
  let rows: Row[] = [];
  let cells = 0;
  for await (const row of rowsOf(snapshot, new ExportedRows({ hasSizes }))) {
    rows.push(row);
    cells += cellsIn(row);
    if (cells < CELLS_PER_GROUP) continue;
    writeGroup(writer, columns, rows);
    rows = [];
    cells = 0;
    const chunk = taken(bytes);
    digest.update(chunk);
    yield chunk;
    await yielder.pass();
  }
  if (rows.length > 0) writeGroup(writer, columns, rows);
  void writer.finish();
  const last = taken(bytes);
  digest.seal(last);
  yield last;
}

async function facetColumns(index: EndpointIndex): Promise<readonly FacetColumn[]> {
  const found = new Set<FacetColumn>();
  for await (const endpoints of index.byLabel(await index.containing(FACETS_BEGIN))) {
    const facets = endpoints.flatMap(({ label }) => partsOfSeries(label).facets);
    for (const [name] of facets) found.add(`facet.${name}`);
  }
  return [...found].toSorted(compareLabels);
}

function writeGroup(
  writer: ParquetWriter,
  columns: readonly ColumnName[],
  rows: readonly Row[],
): void {
  const columnData = columns.map((name) => ({
    name,
    data: rows.map((row) => row[name] ?? null),
  }));
  void writer.write({ columnData, rowGroupSize: rows.length });
}

/** Rows differ: a dense histogram has hundreds of buckets. */
function cellsIn({
  bucket_micros: buckets,
  bucket_values: values,
  failure_codes: codes,
}: Row): number {
  const lists = [buckets ?? values, codes].map((list) => (Array.isArray(list) ? list.length : 0));
  return 20 + 2 * (lists[0] ?? 0) + 3 * (lists[1] ?? 0);
}

/** What has been written since the last time. */
function taken(bytes: ByteWriter): Uint8Array {
  const copy = bytes.getBytes().slice();
  bytes.index = 0;
  return copy;
}

/** By endpoint and second, by load generator and second, then by measure and second. */
async function* rowsOf(snapshot: Snapshot, rows: ExportedRows): AsyncGenerator<Row> {
  const index = await snapshot.index();
  const withoutPoints = new Set(index.numbers);
  for await (const points of index.scan(index.numbers, ALL_SECONDS, "outcomes")) {
    const numbers = new Set(points.endpoint);
    const endpoints = await index.named(Uint32Array.from(numbers));
    let from = 0;
    for await (const failures of snapshot.failures(endpoints, ALL_SECONDS)) {
      const { number } = failures.endpoint;
      let until = from;
      while (points.endpoint[until] === number) until += 1;
      yield* rows.ofEndpoint(failures.endpoint, failures, points, [from, until]);
      withoutPoints.delete(number);
      from = until;
    }
  }
  yield* failureRows(snapshot, await index.named(Uint32Array.from(withoutPoints)), rows);
  yield* userRows(snapshot, rows);
  yield* rowsOfMeasures(snapshot);
}

async function* rowsOfMeasures(snapshot: Snapshot): AsyncGenerator<Row> {
  const { series } = await snapshot.measureIndex();
  if (series.length === 0) return;
  const index = await snapshot.index();
  const numbers = new Set(series.flatMap(({ label }) => label ?? []));
  const endpoints = await index.named(Uint32Array.from(numbers).toSorted());
  const labels = new Map(endpoints.map(({ number, label }) => [number, label]));
  for await (const table of snapshot.measures(series, ALL_SECONDS)) {
    yield* measureRows(table, labels.get(table.series[0]?.label ?? -1));
  }
}

const NO_POINTS = mergePoints([]);

/** Of endpoints that have failures but no point. */
async function* failureRows(
  snapshot: Snapshot,
  endpoints: readonly Endpoint[],
  rows: ExportedRows,
): AsyncGenerator<Row> {
  if (endpoints.length === 0) return;
  const all: AsyncIterable<EndpointFailures> = snapshot.failures(endpoints, ALL_SECONDS);
  for await (const failures of all) {
    yield* rows.ofEndpoint(failures.endpoint, failures, NO_POINTS, [0, 0]);
  }
}

/** Generators of several sources are distinguished by a number, and no longer recognised as parts of one file. */
async function* userRows(snapshot: Snapshot, rows: ExportedRows): AsyncGenerator<Row> {
  const sources = (await snapshot.sources()).map(({ sourceId }) => sourceId);
  for await (const users of usersThatAddUp(snapshot)) {
    const prefix = sources.length === 1 ? "" : `${1 + sources.indexOf(users.sourceId)}:`;
    yield* rows.ofGenerator(users, `${prefix}${users.generator}`);
  }
}

type KnownQuality = ExportMetadata["quality"];

async function exportMetadata(
  snapshot: Snapshot,
  known: readonly Partial<SourceQuality>[],
): Promise<ExportMetadata> {
  const sources = await snapshot.sources();
  const reported = await reportedOf(snapshot, sources);
  const { unstored } = await snapshot.measureIndex();
  return {
    version: METADATA_VERSION,
    sha256: NO_DIGEST,
    loadTest: { id: snapshot.loadTest.id, ...attributesOf(snapshot.loadTest) },
    quality: qualityOf(known, (await readSourceFacts(snapshot)).hasSizes),
    ...(reported === undefined ? {} : { reported }),
    ...(UNSTORED_REASONS.some((reason) => unstored[reason] > 0) && { unstored }),
  };
}

function sourceQuality({
  published,
  format,
  unrecorded,
  quality,
}: VisibleSource): Partial<SourceQuality> {
  const ofLive = { unrecorded: unrecorded ?? formatQuality(format).unrecorded, ...quality };
  return published?.quality ?? ofLive;
}

/** A sum of sizes is known only if all are. */
function qualityOf(known: readonly Partial<SourceQuality>[], hasSizes: boolean): KnownQuality {
  const truncatedAtByte = known.find((each) => each.truncatedAtByte !== undefined)?.truncatedAtByte;
  const extents = known.flatMap(({ extent }) => extent ?? []);
  const [extent] = known.length === 1 ? extents : [];
  return {
    ...(extent && { extent }),
    unrecorded: UNRECORDED.filter((what) =>
      what === "sizes"
        ? !hasSizes
        : known.length > 0 && known.every(({ unrecorded }) => unrecorded?.includes(what)),
    ),
    ...(addRowQuality(known) ?? { rejectedRows: 0 }),
    ...(truncatedAtByte === undefined ? {} : { truncatedAtByte }),
  };
}

/** As elsewhere, percentiles of several sources are not reported. */
async function reportedOf(
  snapshot: Snapshot,
  [only, another]: readonly VisibleSource[],
): Promise<ExportMetadata["reported"]> {
  if (only === undefined || another !== undefined) return undefined;
  const reported = await snapshot.reported(only.sourceId);
  if (reported.second.length === 0) return undefined;
  const numbers = [...new Set(reported.endpoint)]
    .filter((each) => each > 0)
    .map((each) => each - 1);
  const index = await snapshot.index();
  const endpoints: readonly Endpoint[] = await index.named(
    Uint32Array.from(numbers.toSorted((a, b) => a - b)),
  );
  const places = new Map(endpoints.map(({ number }, place) => [number, place]));
  const columns = encodeReported(renumberReported(reported, (number) => places.get(number)));
  return {
    labels: endpoints.map(({ label }) => label),
    columns: Buffer.from(columns).toString("base64"),
  };
}

type Cell =
  | string
  | bigint
  | number
  | readonly string[]
  | readonly bigint[]
  | readonly number[]
  | null;

/** Absent cells are null. */
type Row = Readonly<Partial<Record<ColumnName, Cell>>>;

const QUANTILES = [0.5, 0.95, 0.99];

/** Turns what was measured into rows. One per endpoint and second, then one per load generator and second. */
class ExportedRows {
  readonly #hasSizes: boolean;
  readonly #sum = new DistributionSum();

  /** `hasSizes`: whether any source records response sizes. */
  constructor({ hasSizes }: { readonly hasSizes: boolean }) {
    this.#hasSizes = hasSizes;
  }

  /** `from` and `until`: the points of this endpoint. Seconds with failures but without a point come last. */
  *ofEndpoint(
    endpoint: Endpoint,
    failures: EndpointFailures,
    points: DataPoints,
    [from, until]: readonly [from: number, until: number],
  ): Generator<Row> {
    const name = { ...seriesCells(endpoint.label), role: endpoint.role ?? null };
    const failuresBySecond = Map.groupBy(failures.second.keys(), (row) => failures.second[row]);
    for (let point = from; point < until; point++) {
      const second = points.second[point];
      const own = failuresBySecond.get(second) ?? [];
      failuresBySecond.delete(second);
      yield { ...name, ...this.#ofPoint(points, point), ...failureCells(failures, own) };
    }
    for (const [second = 0, own] of failuresBySecond) {
      yield { ...name, second: BigInt(second), ...failureCells(failures, own) };
    }
  }

  *ofGenerator(users: GeneratorUsers, generator: string): Generator<Row> {
    for (const [row, second] of users.second.entries()) {
      yield {
        second: BigInt(second),
        generator,
        active_users: integer(users.active[row]),
        started_users: integer(users.started[row]),
        ended_users: integer(users.ended[row]),
      };
    }
  }

  #ofPoint(points: DataPoints, point: number): Row {
    const alone = viewSeries(points, point, point + 1);
    this.#sum.clear();
    this.#sum.add(alone);
    const [p50, p95, p99] = this.#sum.quantiles(QUANTILES);
    const sizes = {
      received_bytes: integer(points.receivedBytes[point]),
      failed_received_bytes: integer(points.failedReceivedBytes[point]),
    };
    return {
      second: integer(points.second[point]),
      window_seconds: integer(points.windowSeconds?.[point] ?? 1),
      requests: integer(points.requests[point]),
      failed_requests: integer(points.failedRequests[point]),
      untimed_requests: integer(points.untimedRequests?.[point] ?? 0),
      untimed_failed_requests: integer(points.untimedFailedRequests?.[point] ?? 0),
      elapsed_micros: integer(points.elapsedMicros[point]),
      failed_elapsed_micros: integer(points.failedElapsedMicros[point]),
      ...(this.#hasSizes ? sizes : {}),
      min_micros: integer(this.#sum.leastMicros),
      max_micros: integer(this.#sum.mostMicros),
      p50_micros: integer(p50),
      p95_micros: integer(p95),
      p99_micros: integer(p99),
      ...bucketCells(alone, ["bucket_micros", "bucket_requests"]),
      ...outcomeCells(alone),
    };
  }
}

/** Label and facets of a series. */
function seriesCells(series: string): Row {
  const { label, facets } = partsOfSeries(series);
  return { label, ...Object.fromEntries(facets.map(([name, value]) => [`facet.${name}`, value])) };
}

function bucketCells(
  { bucket, bucketCount }: DistributionColumns,
  [micros, requests]: readonly [micros: ColumnName, requests: ColumnName],
): Row {
  return {
    [micros]: Array.from(bucket, (each) => BigInt(bucketFloor(each))),
    [requests]: Array.from(bucketCount, BigInt),
  };
}

/** Of one point with passed and failed requests whose times are known. */
function outcomeCells({ outcomes }: OutcomeColumns): Row {
  if (outcomes === undefined || outcomes.point.length === 0) return {};
  const { passedMinMicros, passedMaxMicros, failed } = outcomes;
  return {
    passed_min_micros: integer(passedMinMicros[0]),
    passed_max_micros: integer(passedMaxMicros[0]),
    failed_min_micros: integer(failed.minMicros[0]),
    failed_max_micros: integer(failed.maxMicros[0]),
    ...bucketCells(failed, ["failed_bucket_micros", "failed_bucket_requests"]),
  };
}

function integer(value: number | undefined): bigint | null {
  return value === undefined ? null : BigInt(value);
}

function failureCells({ kinds, kind, requests }: EndpointFailures, rows: readonly number[]): Row {
  if (rows.length === 0) return {};
  const own = rows.map((row) => kinds[kind[row] as number]);
  return {
    failure_codes: own.map((each) => each?.code ?? ""),
    failure_messages: own.map((each) => each?.message ?? ""),
    failure_requests: rows.map((row) => BigInt(requests[row] as number)),
  };
}

/** Yields the rows of a table of one series: one per second, then of a distribution one per minute. */
function* measureRows(table: MeasureTable, label: string | undefined): Generator<Row> {
  const [own] = table.series;
  if (own === undefined) return;
  const { name, unit, kind, tags } = own;
  const about = {
    ...(label !== undefined && seriesCells(label)),
    measure: name,
    unit,
    kind,
    tags: tagsText(tags),
  };
  for (const row of table.sums.second.keys()) yield { ...about, ...sumCells(table, row) };
  if (kind !== "distribution") return;
  for (const cells of minuteCells(table)) yield { ...about, ...cells };
}

/** The exact sum is added where its nearest double is not it. */
function sumCells({ sums, gauges }: MeasureTable, row: number): Row {
  const [millions, nanos] = [sums.sumMillions[row] as number, sums.sumNanos[row] as number];
  const value = decimalOf(sums, row);
  const nearest = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) addValue(nearest, 0, value);
  const isExact = nearest.sumMillions[0] === millions && nearest.sumNanos[0] === nanos;
  return {
    second: BigInt(sums.second[row] as number),
    value_count: BigInt(sums.count[row] as number),
    value_sum: value,
    ...(!isExact && { sum_millions: BigInt(millions), sum_nanos: BigInt(nanos) }),
    ...(gauges.last.length > 0 && {
      value_min: finite(gauges.min[row]),
      value_max: finite(gauges.max[row]),
      value_last: finite(gauges.last[row]),
      last_at_millis: BigInt(gauges.lastAtMillis[row] as number),
    }),
  };
}

function* minuteCells({ sums, histograms }: MeasureTable): Generator<Row> {
  const counts = new Map<number, number>();
  for (const [row, second] of sums.second.entries()) {
    const minute = minuteOf(second);
    counts.set(minute, (counts.get(minute) ?? 0) + (sums.count[row] as number));
  }
  for (const [row, minute] of histograms.minute.entries()) {
    const figures = distributionOf(histograms, row, row + 1, counts.get(minute) ?? 0);
    const [from, until] = [histograms.bucketsFrom[row], histograms.bucketsFrom[row + 1]];
    yield {
      second: BigInt(minute),
      value_min: finite(figures.min),
      value_max: finite(figures.max),
      value_p50: finite(figures.p50),
      value_p95: finite(figures.p95),
      value_p99: finite(figures.p99),
      bucket_values: Array.from(histograms.bucket.subarray(from, until), valueBucketMiddle),
      bucket_counts: Array.from(histograms.bucketCount.subarray(from, until), BigInt),
    };
  }
}

function tagsText(tags: MeasureTable["series"][number]["tags"]): string {
  return `{${tags.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`;
}

function finite(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}
