/** The questions that DuckDB is asked: the same aggregates as ours, per label and second. */

import { K6_CSV_TAGS } from "../make-k6.ts";

/** Where rows come from, and what a row means there. */
export interface SqlSource {
  readonly from: string;
  /** Where other metrics have rows, too: the column of their name, and the one of requests. */
  readonly metric?: { readonly column: string; readonly ofRequests: string };
  readonly label: string;
  /** UNIX seconds, an integer. */
  readonly second: string;
  readonly elapsedMicros: string;
  /** Absent where the format has no sizes. */
  readonly bytes?: string;
  readonly failed: string;
  /** Further numbers of a request that an import sums up, as measures. */
  readonly measured?: readonly string[];
}

const JTL_COLUMNS = {
  timeStamp: "BIGINT",
  elapsed: "INTEGER",
  label: "VARCHAR",
  responseCode: "VARCHAR",
  responseMessage: "VARCHAR",
  threadName: "VARCHAR",
  dataType: "VARCHAR",
  success: "BOOLEAN",
  failureMessage: "VARCHAR",
  bytes: "INTEGER",
  sentBytes: "INTEGER",
  grpThreads: "INTEGER",
  allThreads: "INTEGER",
  URL: "VARCHAR",
  Latency: "INTEGER",
  IdleTime: "INTEGER",
  Connect: "INTEGER",
};

/** Names and types are given, so that DuckDB spends no time on finding them. */
export function jtlSource(file: string): SqlSource {
  return {
    from: readCsv(file, JTL_COLUMNS),
    label: "label",
    second: "timeStamp // 1000",
    elapsedMicros: "elapsed * 1000",
    bytes: "bytes",
    failed: "NOT success",
    measured: ["Latency", "Connect", "IdleTime", "sentBytes"],
  };
}

const K6_COLUMNS = {
  metric_name: "VARCHAR",
  timestamp: "BIGINT",
  metric_value: "DOUBLE",
  ...Object.fromEntries(K6_CSV_TAGS.map((tag) => [tag, "VARCHAR"])),
};

/**
 * A request belongs to the second in which it began, and k6 writes when it ended. Decimal numbers
 * are exact, and slower than binary ones.
 */
export function k6CsvSource(file: string, request: "fast" | "exact"): SqlSource {
  const columns = request === "fast" ? K6_COLUMNS : { ...K6_COLUMNS, metric_value: EXACT };
  return {
    from: readCsv(file, columns),
    metric: { column: "metric_name", ofRequests: K6_DURATION },
    label: "name",
    ...k6Times("metric_name", "metric_value", "timestamp * 1000000000"),
    failed: "expected_response = 'false'",
  };
}

export function k6JsonSource(file: string, request: "fast" | "exact"): SqlSource {
  const value = request === "fast" ? "DOUBLE" : EXACT;
  const columns =
    `{metric: 'VARCHAR', type: 'VARCHAR', data: 'STRUCT("time" TIMESTAMP_NS, "value" ${value}, ` +
    `tags STRUCT("name" VARCHAR, expected_response VARCHAR))'}`;
  return {
    from: `(FROM read_json('${file}', format = 'newline_delimited', columns = ${columns}) WHERE type = 'Point')`,
    metric: { column: "metric", ofRequests: K6_DURATION },
    label: "data.tags.name",
    ...k6Times("metric", "data.value", "epoch_ns(data.time)"),
    failed: "data.tags.expected_response = 'false'",
  };
}

const K6_DURATION = "http_req_duration";
/** Decimal milliseconds, to the nanosecond. */
const EXACT = "DECIMAL(18, 6)";

/** Other metrics count in the second of their time; their values get the unit of the requests' here. */
function k6Times(
  metric: string,
  value: string,
  endNanos: string,
): Pick<SqlSource, "second" | "elapsedMicros"> {
  const nanos = `(${value} * 1000000)::BIGINT`;
  return {
    second: `(CASE WHEN ${metric} = '${K6_DURATION}' THEN ${endNanos} - ${nanos} ELSE ${endNanos} END) // 1000000000`,
    elapsedMicros: `(${nanos} + 500) // 1000`,
  };
}

function readCsv(file: string, columns: Readonly<Record<string, string>>): string {
  const types = Object.entries(columns).map(([name, type]) => `'${name}': '${type}'`);
  return (
    `read_csv('${file}', header = true, auto_detect = false, delim = ',', quote = '"', ` +
    `escape = '"', columns = {${types.join(", ")}})`
  );
}

/**
 * Aggregates per label and second, and per metric where there are several; `histogram` adds our buckets of requests and
 * their counts.
 */
export function aggregateSql(source: SqlSource, request: "plain" | "histogram" = "plain"): string {
  const { from, metric, label, second, elapsedMicros, measured = [] } = source;
  const requests =
    metric === undefined ? "" : ` FILTER (${metric.column} = '${metric.ofRequests}')`;
  const columns = [
    ...(metric === undefined ? [] : [metric.column]),
    `${label} AS label, ${second} AS second`,
    ...sumsOf(source),
    ...[elapsedMicros, ...measured].map((each) => `min(${each}), max(${each})`),
    ...measured.map((each) => `sum(${each})`),
    ...(request === "plain" ? [] : [`histogram(${bucketSql(elapsedMicros)})${requests}`]),
  ];
  return `SELECT ${columns.join(", ")} FROM ${from} GROUP BY ALL`;
}

/** The rows that `check-import.ts` compares: requests, sums, and the same of failed ones. */
export function pointsSql(source: SqlSource): string {
  const { label, second } = source;
  return `SELECT ${label} AS label, ${second} AS second, ${sumsOf(source).join(", ")} FROM ${requestsOf(source)} GROUP BY ALL ORDER BY ALL`;
}

export const PERCENTS = [50, 90, 99] as const;

/** By label: requests, failed ones, extremes, and exact percentiles, in microseconds. */
export function labelsSql(source: SqlSource): string {
  const { label, elapsedMicros, failed } = source;
  const percentiles = PERCENTS.map(
    (percent) => `quantile_disc(${elapsedMicros}, ${percent / 100})`,
  );
  const extremes = `min(${elapsedMicros}), max(${elapsedMicros})`;
  return `SELECT ${label} AS label, count(*), count(*) FILTER (${failed}), ${extremes}, ${percentiles.join(", ")} FROM ${requestsOf(source)} GROUP BY ALL ORDER BY ALL`;
}

function requestsOf({ from, metric }: SqlSource): string {
  return metric === undefined ? from : `${from} WHERE ${metric.column} = '${metric.ofRequests}'`;
}

function sumsOf({ elapsedMicros, bytes = "0", failed }: SqlSource): string[] {
  return ["", ` FILTER (${failed})`].flatMap((which) => [
    `count(*)${which}`,
    `coalesce(sum(${elapsedMicros})${which}, 0)`,
    `coalesce(sum(${bytes})${which}, 0)`,
  ]);
}

/** Buckets as many and as wide as those of src/model/buckets, 512 for each power of two, for values below 2^31: cheaper to compute in SQL. */
function bucketSql(value: string): string {
  const octave = `floor(log2(${value}))::INTEGER`;
  return `CASE WHEN ${value} < 1024 THEN ${value} ELSE (${octave} - 9) * 512 + (${value} >> (${octave} - 9)) END`;
}
