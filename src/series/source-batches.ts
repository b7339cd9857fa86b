import { type UserTable, mergeUsers } from "../model/active-users.ts";
import { ALL_SECONDS, type SecondRange, chunksOf, spanOf } from "../model/columns.ts";
import type { DataPoints, OutcomeColumns } from "../model/data-points.ts";
import { mergeFailures } from "../model/failures.ts";
import type { LoadTestSummary } from "../model/load-test.ts";
import { hasNoMeasures, type MeasureTable, NO_MEASURES } from "../model/measures/measure-table.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { selectSeries } from "../model/measures/select-measures.ts";
import { mergePoints } from "../model/merge-points.ts";
import { columnsOf, renumberReported, rowsOf } from "../model/reported-percentiles.ts";
import { dividedEntries, longestSpans } from "../model/samples/child-spans.ts";
import { chooseSamples } from "../model/samples/sample-choice.ts";
import type { PointBatch } from "../store/store.ts";
import type {
  SourceReading,
  EndpointFailures,
  EndpointSeries,
  GeneratorUsers,
  SourceEndpoint,
} from "../store/snapshot.ts";

/** Points per query: some stores hold all of them in memory. */
const POINTS_AT_ONCE = 500_000;
const ENDPOINTS_AT_ONCE_MAX = 2000;
/** Some 2 MB. */
const SPANS_AT_ONCE = 8000;
/** 3 MB at most. */
const SAMPLES_AT_ONCE = 128;

export type BatchContents = Pick<
  PointBatch,
  "labels" | "roles" | "points" | "failures" | "users" | "reported" | "measures" | "samples"
>;

/** Rows at which a batch is closed: some megabytes. */
export const BATCH_ROWS = 32_768;

/** Yields batches that depend on the contents alone, so that those of an interrupted copy are recognised. `seconds`: of the load test. */
export async function* sourceBatches(
  source: SourceReading,
  seconds: Pick<LoadTestSummary, "from" | "until">,
  batchRows: number,
): AsyncGenerator<BatchContents> {
  const endpoints = await source.endpoints();
  const parts = endpointParts(source, endpointChunks(endpoints, seconds), batchRows);
  for await (const batch of inBatches(parts, rowsOfPart, batchRows)) yield batchWith(batch);
  for await (const batch of inBatches(
    source.users(ALL_SECONDS),
    ({ second }) => second.length,
    batchRows,
  )) {
    yield { labels: [], points: NO_POINTS, users: mergeUsers(batch.map(tableOf)) };
  }
  yield* reportedBatches(source, endpoints, batchRows);
  yield* measureBatches(source, endpoints, batchRows);
  const { samples, spans } = dividedEntries(await source.samples());
  // All that have a place: a server may keep more than others.
  for (const part of chunksOf(chooseSamples(samples, Infinity), SAMPLES_AT_ONCE)) {
    yield { labels: [], points: NO_POINTS, samples: part };
  }
  for (const part of chunksOf([...longestSpans(spans).values()].flat(), SPANS_AT_ONCE)) {
    yield { labels: [], points: NO_POINTS, samples: part };
  }
}

function rowsOfPart({ points, failures }: EndpointPart): number {
  return points.second.length + failures.second.length;
}

/** Yields lists of parts, each closed by the part that makes it `batchRows` rows. */
async function* inBatches<Part>(
  parts: AsyncIterable<Part>,
  rowsIn: (part: Part) => number,
  batchRows: number,
): AsyncGenerator<readonly Part[]> {
  let batch: Part[] = [];
  let rows = 0;
  for await (const part of parts) {
    batch.push(part);
    rows += rowsIn(part);
    if (rows < batchRows) continue;
    yield batch;
    [batch, rows] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function batchWith(parts: readonly EndpointPart[]): BatchContents {
  return {
    labels: parts.map(({ endpoint }) => endpoint.label),
    roles: parts.map(({ role }) => role),
    points: mergePoints(
      parts.map(({ points }, index) => ({ ...points, endpoint: allAre(index, points.second) })),
    ),
    failures: mergeFailures(
      parts.map(({ failures: { kinds, kind, second, requests } }, index) => ({
        kinds,
        counts: { endpoint: allAre(index, second), kind, second, requests },
      })),
    ),
  };
}

function allAre(index: number, { length }: Uint32Array): Uint32Array {
  return new Uint32Array(length).fill(index);
}

function tableOf({ generator, second, active, started, ended }: GeneratorUsers): UserTable {
  const counts = { generator: allAre(0, second), second, active, started, ended };
  return { generators: [generator], counts };
}

/** Labels and roles of a batch that names all endpoints, and the index of each by its number. */
function namesOf(endpoints: readonly SourceEndpoint[]) {
  const names = {
    labels: endpoints.map(({ endpoint }) => endpoint.label),
    roles: endpoints.map(({ role }) => role),
  };
  const indexes = new Map(endpoints.map(({ endpoint }, index) => [endpoint.number, index]));
  return { names, indexOf: (number: number) => indexes.get(number) };
}

async function* reportedBatches(
  source: SourceReading,
  endpoints: readonly SourceEndpoint[],
  batchRows: number,
): AsyncGenerator<BatchContents> {
  const { names, indexOf } = namesOf(endpoints);
  const rows = rowsOf(renumberReported(await source.reported(), indexOf));
  for (const part of chunksOf(rows, batchRows)) {
    yield { ...names, points: NO_POINTS, reported: columnsOf(part) };
  }
}

async function* measureBatches(
  source: SourceReading,
  endpoints: readonly SourceEndpoint[],
  batchRows: number,
): AsyncGenerator<BatchContents> {
  const { names, indexOf } = namesOf(endpoints);
  for await (const tables of inBatches(measureTables(source), rowsOfTable, batchRows)) {
    const measures = selectSeries(mergeMeasures(tables), (each) =>
      each.label === undefined ? each : { ...each, label: indexOf(each.label) },
    );
    if (!hasNoMeasures(measures)) yield { ...names, points: NO_POINTS, measures };
  }
}

function rowsOfTable({ sums, histograms }: MeasureTable): number {
  return sums.second.length + histograms.bucket.length;
}

/** The first one has no rows, and what was not stored. */
async function* measureTables(source: SourceReading): AsyncGenerator<MeasureTable> {
  const { series, unstored } = await source.measureIndex();
  yield { ...NO_MEASURES, unstored };
  yield* source.measures(series, ALL_SECONDS);
}

const NO_POINTS: DataPoints = mergePoints([]);

export function columnBytes(batch: BatchContents): number {
  const { points, failures, users, reported, measures } = batch;
  const ofMeasures = [measures?.sums, measures?.gauges, measures?.histograms];
  return [points, failures?.counts, users?.counts, reported, ...ofMeasures]
    .map((columns): object => columns ?? {})
    .flatMap((columns): readonly unknown[] => Object.values(columns))
    .reduce((sum: number, column) => sum + (ArrayBuffer.isView(column) ? column.byteLength : 0), 0);
}

interface EndpointPart extends SourceEndpoint {
  readonly points: OutcomeColumns;
  readonly failures: Omit<EndpointFailures, "endpoint">;
}

/** Yields points and failures of the endpoints in order, in parts of at most `pointsMax` points. */
async function* endpointParts(
  source: SourceReading,
  chunks: Iterable<readonly SourceEndpoint[]>,
  pointsMax: number,
): AsyncGenerator<EndpointPart> {
  for (const endpoints of chunks) {
    for await (const { role, series, failures } of readEndpoints(source, endpoints)) {
      const { endpoint, columns } = series;
      for (const range of rangesOf(columns.second, pointsMax)) {
        const points = spanOf(columns, range);
        yield { endpoint, role, points, failures: failuresIn(failures, range) };
      }
    }
  }
}

interface ReadEndpoint {
  readonly role: SourceEndpoint["role"];
  readonly series: EndpointSeries<OutcomeColumns>;
  readonly failures: EndpointFailures;
}

async function* readEndpoints(
  source: SourceReading,
  endpoints: readonly SourceEndpoint[],
): AsyncGenerator<ReadEndpoint> {
  const asked = endpoints.map(({ endpoint }) => endpoint);
  // Usually few, so that a store serves one query at a time.
  const failures: EndpointFailures[] = [];
  for await (const each of source.failures(asked, ALL_SECONDS)) failures.push(each);
  let at = 0;
  for await (const series of source.read(asked, ALL_SECONDS, "outcomes")) {
    const [of, own] = [endpoints[at], failures[at]];
    at += 1;
    if (of === undefined || own === undefined) {
      throw new Error(`BUG: ${asked.length} endpoints were asked for, more were answered`);
    }
    yield { role: of.role, series, failures: own };
  }
}

/** Splits all seconds into ranges with at most so many points each. */
function* rangesOf(second: Uint32Array, pointsMax: number): Generator<SecondRange> {
  let { from } = ALL_SECONDS;
  for (let point = pointsMax; point < second.length; point += pointsMax) {
    const until = second[point] as number;
    yield { from, until };
    from = until;
  }
  yield { from, until: ALL_SECONDS.until };
}

function failuresIn(
  { kinds, kind, second, requests }: EndpointFailures,
  { from, until }: SecondRange,
): EndpointPart["failures"] {
  const isWithin = (_: number, row: number): boolean => {
    const at = second[row] as number;
    return at >= from && at < until;
  };
  return {
    kinds,
    kind: kind.filter(isWithin),
    second: second.filter(isWithin),
    requests: requests.filter(isWithin),
  };
}

/** Splits a list of endpoints into chunks that can be read at once. */
function* endpointChunks(
  endpoints: readonly SourceEndpoint[],
  { from = 0, until = 0 }: Pick<LoadTestSummary, "from" | "until">,
): Generator<readonly SourceEndpoint[]> {
  const most = Math.ceil(POINTS_AT_ONCE / (until - from + 1));
  const size = Math.min(most, ENDPOINTS_AT_ONCE_MAX);
  yield* chunksOf(endpoints, size);
}
