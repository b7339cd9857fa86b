/** Reads the series, failures, users and measures of selected sources of a load test. */

import type { DataPoints, OutcomeColumns } from "../../../model/data-points.ts";
import {
  type FailureKind,
  type FailureTable,
  keyOfKind,
  mergeFailures,
} from "../../../model/failures.ts";
import { GrowingTable } from "../../../model/row-groups.ts";
import type { Endpoint } from "../../../model/load-test.ts";
import { chunksOf, withoutDefaults } from "../../../model/columns.ts";
import type { MeasureSeries, MeasureTable } from "../../../model/measures/measure-table.ts";
import { mergePoints } from "../../../model/merge-points.ts";
import { sliceOutcomes } from "../../../model/outcomes.ts";
import { type ReportedPercentiles, uniteReported } from "../../../model/reported-percentiles.ts";
import { ALL_SECONDS, type SecondRange } from "../../../model/second-range.ts";
import { rangesByEndpoint } from "../../endpoint-runs.ts";
import { sliceDistribution, sliceSums } from "../../series.ts";
import { failuresOf, usersOf } from "../../stored-details.ts";
import { measureIndexOf, type MeasurePart, measuresOf } from "../../stored-measures.ts";
import {
  type BatchDetails,
  detailsIn,
  detailsQuery,
  measuresIn,
  reportedIn,
  usersIn,
} from "../batch-details.ts";
import { endpointHash } from "./endpoint-hash.ts";
import type { Compaction } from "../catalogue/attributes.ts";
import { HashIndex } from "./hash-index.ts";
import { hashLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import { measuredColumns } from "../measured-columns.ts";
import type { NativeBlock } from "../native/native-block.ts";
import {
  gatherPoints,
  mergedColumns,
  type NarrowTypes,
  plainColumns,
  unfoldedColumns,
} from "./point-columns.ts";
import { compactionNumber } from "../compaction/compaction-queries.ts";
import { ofShardKey, pointRows, type VisibleRows } from "./visible.ts";
import type {
  EndpointFailures,
  EndpointSeries,
  GeneratorUsers,
  MeasureIndex,
  PointDetail,
} from "../../snapshot.ts";

/** A copy, on a server that has all of it. */
export interface ReadableCompaction extends Compaction {
  readonly narrow: NarrowTypes;
}

export interface ReadingOptions extends VisibleRows {
  /** Whether these are known to be the hashes of all endpoints of the rows. */
  readonly areAll: (hashes: readonly string[]) => boolean;
  /** A copy that holds exactly these rows, merged. */
  readonly compaction: ReadableCompaction | undefined;
  /** Upper estimate of the points per endpoint; limits how many endpoints are read together. */
  readonly pointsPerEndpoint: number;
  readonly ask: (sql: string) => AsyncIterable<NativeBlock>;
}

/** Points read together, approximately. */
const POINTS_AT_ONCE = 400_000;
/** Hashes listed in one query. */
const ENDPOINTS_AT_ONCE = 1000;

export class Reading {
  readonly #options: ReadingOptions;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  async *series(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: PointDetail,
  ): AsyncGenerator<EndpointSeries<OutcomeColumns>> {
    const chunks = this.#chunksOf(endpoints, range);
    let next = this.#points(chunks[0] ?? [], range, detail);
    for (const [at, chunk] of chunks.entries()) {
      const points = await next;
      const following = chunks[at + 1];
      if (following !== undefined) next = this.#points(following, range, detail);
      // Returning early aborts the query.
      next.catch(() => undefined);
      yield* seriesOf(chunk, points, detail);
    }
  }

  async *failures(
    endpoints: readonly Endpoint[],
    range: SecondRange,
  ): AsyncGenerator<EndpointFailures> {
    for (const chunk of chunksOf(endpoints, ENDPOINTS_AT_ONCE)) {
      const { table, hashes } = await this.#failureTable(chunk, range);
      for (const endpoint of chunk) {
        const number = hashes.indexOf(endpointHash(endpoint.label));
        yield { ...failuresOf([table], { ...endpoint, number }, range), endpoint };
      }
    }
  }

  async *users(range: SecondRange): AsyncGenerator<GeneratorUsers> {
    const details = await this.#batchDetails();
    yield* usersOf(
      details.map((each) => ({ sourceId: each.sourceId, users: usersIn(each) })),
      range,
    );
  }

  /** `numberOf` gets the hash of an endpoint. Throws `damaged-store`. */
  async reported(
    sourceId: string,
    numberOf: (hash: string) => number | undefined,
  ): Promise<ReportedPercentiles> {
    const own = (await this.#batchDetails()).filter((each) => each.sourceId === sourceId);
    return uniteReported(own.flatMap((details) => reportedIn(details, numberOf) ?? []));
  }

  /** Labels get the numbers of their hashes. Throws `damaged-store`. */
  async measureIndex(numberOf: (hash: string) => number | undefined): Promise<MeasureIndex> {
    return measureIndexOf(await this.#measureParts(numberOf));
  }

  /** The same for the measures of some series. Throws `damaged-store`, `sum-too-large`. */
  async *measures(
    series: readonly MeasureSeries[],
    range: SecondRange,
    numberOf: (hash: string) => number | undefined,
  ): AsyncGenerator<MeasureTable> {
    yield* measuresOf(await this.#measureParts(numberOf), series, range);
  }

  async #measureParts(
    numberOf: (hash: string) => number | undefined,
  ): Promise<readonly MeasurePart[]> {
    const details = await this.#batchDetails();
    return details.flatMap((each) => measuresIn(each, numberOf) ?? []);
  }

  async #batchDetails(): Promise<readonly BatchDetails[]> {
    const { rows, ask } = this.#options;
    return rows.length === 0
      ? []
      : detailsIn(await Array.fromAsync(ask(detailsQuery(this.#options))));
  }

  #chunksOf(
    endpoints: readonly Endpoint[],
    { from, until }: SecondRange,
  ): readonly (readonly Endpoint[])[] {
    const points = Math.max(1, Math.min(until - from, this.#options.pointsPerEndpoint));
    const atOnce = Math.max(1, Math.min(ENDPOINTS_AT_ONCE, Math.floor(POINTS_AT_ONCE / points)));
    return [...chunksOf(endpoints, atOnce)];
  }

  /** Returns points by the index of their hash in `distinctHashes`. */
  async #points(
    endpoints: readonly Endpoint[],
    range: SecondRange,
    detail: PointDetail,
  ): Promise<DataPoints> {
    const hashes = distinctHashes(endpoints);
    const { ask, rows } = this.#options;
    const isEmpty = rows.length === 0 || hashes.length === 0 || range.from >= range.until;
    const blocks = isEmpty ? noBlocks() : ask(this.#pointsQuery(hashes, range, detail));
    return mergePoints([await gatherPoints(blocks, new HashIndex(hashes), detail)]);
  }

  #pointsQuery(hashes: readonly string[], range: SecondRange, detail: PointDetail): string {
    const { database, compaction } = this.#options;
    const condition = `${this.#pointRows()} AND ${this.#wanted(hashes, range)}`;
    if (compaction !== undefined) {
      return `SELECT endpoint_number, second, ${plainColumns(detail, compaction.narrow)}
FROM ${database}.sealed_points WHERE requests > 0 AND ${condition}`;
    }
    return `SELECT endpoint_hash, second, ${unfoldedColumns(detail)} FROM (
SELECT endpoint_hash, second, ${mergedColumns(detail, measuredColumns(this.#options))} FROM ${database}.measurements FINAL
WHERE requests > 0 AND ${condition} GROUP BY endpoint_hash, second)`;
  }

  async #failureTable(
    endpoints: readonly Endpoint[],
    range: SecondRange,
  ): Promise<{ readonly table: FailureTable; readonly hashes: readonly string[] }> {
    const hashes = distinctHashes(endpoints);
    const { ask, rows, database, compaction } = this.#options;
    if (rows.length === 0 || range.from >= range.until) {
      return { table: mergeFailures([]), hashes };
    }
    const table = compaction === undefined ? "measurements FINAL" : "sealed_points";
    const index = new HashIndex(hashes);
    const parts: FailureTable[] = [];
    const sql = `SELECT endpoint_hash, second, failures.code AS a_code,
failures.message AS a_message, failures.requests AS a_requests FROM ${database}.${table}
WHERE notEmpty(failures.requests) AND ${this.#pointRows()} AND ${this.#wanted(hashes, range)}`;
    for await (const block of ask(sql)) if (block.rows > 0) parts.push(failuresIn(block, index));
    return { table: mergeFailures(parts), hashes };
  }

  #wanted(hashes: readonly string[], { from, until }: SecondRange): string {
    const conditions: string[] = [];
    // Comparing hashes would double the time.
    if (!this.#options.areAll(hashes)) {
      conditions.push(`endpoint_hash IN (${hashes.map(hashLiteral).join(",")})`);
    }
    if (from > ALL_SECONDS.from) conditions.push(`second >= ${integerLiteral(from)}`);
    if (until < ALL_SECONDS.until) conditions.push(`second < ${integerLiteral(until)}`);
    return conditions.length === 0 ? "1" : conditions.join(" AND ");
  }

  #pointRows(): string {
    const { shardKey, compaction } = this.#options;
    if (compaction !== undefined) {
      return `${ofShardKey(shardKey)} AND seal = toUInt64(${unsigned64Literal(compactionNumber(compaction))})`;
    }
    return pointRows(this.#options);
  }
}

async function* noBlocks(): AsyncGenerator<NativeBlock> {}

/** Ascending, the usual order of rows. */
function distinctHashes(endpoints: readonly Endpoint[]): readonly string[] {
  return [...new Set(endpoints.map(({ label }) => endpointHash(label)))].toSorted();
}

/** Yields one series per endpoint, in order. */
function* seriesOf(
  endpoints: readonly Endpoint[],
  points: DataPoints,
  detail: PointDetail,
): Generator<EndpointSeries<OutcomeColumns>> {
  const runs = rangesByEndpoint(points.endpoint);
  const indexOf = new Map(distinctHashes(endpoints).map((hash, index) => [hash, index]));
  for (const endpoint of endpoints) {
    const index = indexOf.get(endpointHash(endpoint.label)) as number;
    const { from, until } = runs.get(index) ?? { from: 0, until: 0 };
    const sums = withoutDefaults(sliceSums(points, from, until));
    const outcomes = sliceOutcomes(points.outcomes, from, until);
    const columns = {
      ...sums,
      ...(detail !== "sums" && sliceDistribution(points, from, until)),
      ...(outcomes && { outcomes }),
    };
    // The return type of `read` depends on `detail`.
    yield { endpoint, columns: columns as OutcomeColumns };
  }
}

function failuresIn(block: NativeBlock, index: HashIndex): FailureTable {
  const rowEndpoints = index.indexesOf(block.bytesOf("endpoint_hash").bytes);
  const seconds = block.numbers("second");
  const codes = block.stringArrays("a_code");
  const { values: messages } = block.stringArrays("a_message");
  const { values: requests } = block.arrays("a_requests");
  const count = requests.length;
  const [endpoint, second] = [new Uint32Array(count), new Uint32Array(count)];
  for (let row = 0; row < block.rows; row++) {
    const [from, until] = [codes.from[row] as number, codes.from[row + 1] as number];
    endpoint.fill(rowEndpoints[row] as number, from, until);
    second.fill(seconds[row] as number, from, until);
  }
  const kinds = new GrowingTable<FailureKind>(keyOfKind);
  const kind = Uint32Array.from({ length: count }, (_, entry) =>
    kinds.numberOf({ code: codes.values[entry] as string, message: messages[entry] as string }),
  );
  const counts = { endpoint, kind, second, requests: Float64Array.from(requests) };
  return { kinds: kinds.entries, counts };
}
