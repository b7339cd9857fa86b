import type { ColumnName } from "../decode/parquet/parquet-columns.ts";
import { bucketFloor } from "../model/buckets/bucket-layout.ts";
import { viewSeries } from "../model/columns.ts";
import type { DataPoints, DistributionColumns, OutcomeColumns } from "../model/data-points.ts";
import type { Endpoint } from "../model/load-test.ts";
import { addValue, decimalOf } from "../model/measures/decimal-sum.ts";
import { type MeasureTable, minuteOf } from "../model/measures/measure-table.ts";
import { valueBucketMiddle } from "../model/measures/value-buckets.ts";
import { partsOfSeries } from "../model/series/facets.ts";
import { DistributionSum } from "../series/distribution-sum.ts";
import type { EndpointFailures, GeneratorUsers } from "../store/snapshot.ts";
import { distributionOf } from "./measure-figures.ts";

/** All of one or more endpoints; failures are in the order of the points. */
interface EndpointsPart {
  readonly points: DataPoints;
  readonly failures: readonly EndpointFailures[];
}

/** What was measured of endpoints, by a load generator or of a measure. */
export type ExportedPart =
  | EndpointsPart
  | { readonly users: GeneratorUsers }
  | { readonly measures: MeasureTable; readonly label: string | undefined };

type Cell =
  | string
  | bigint
  | number
  | readonly string[]
  | readonly bigint[]
  | readonly number[]
  | null;

/** Absent cells are null. */
export type Row = Readonly<Partial<Record<ColumnName, Cell>>>;

const QUANTILES = [0.5, 0.95, 0.99];

/** Turns what was measured into rows of a Parquet file. */
export class ExportedRows {
  readonly #hasSizes: boolean;
  readonly #sum = new DistributionSum();

  /** `hasSizes`: whether any source records response sizes. */
  constructor({ hasSizes }: { readonly hasSizes: boolean }) {
    this.#hasSizes = hasSizes;
  }

  /** By endpoint and second, by load generator and second, or by measure and second. */
  *of(part: ExportedPart): Generator<Row> {
    if ("users" in part) yield* this.#ofGenerator(part.users);
    else if ("measures" in part) yield* measureRows(part.measures, part.label);
    else yield* this.#ofEndpoints(part);
  }

  *#ofEndpoints({ points, failures }: EndpointsPart): Generator<Row> {
    let from = 0;
    for (const each of failures) {
      let until = from;
      while (points.endpoint[until] === each.endpoint.number) until += 1;
      yield* this.#ofEndpoint(each.endpoint, each, points, [from, until]);
      from = until;
    }
  }

  /** `from` and `until`: the points of this endpoint. Seconds with failures but without a point come last. */
  *#ofEndpoint(
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

  *#ofGenerator({ generator, ...users }: GeneratorUsers): Generator<Row> {
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
