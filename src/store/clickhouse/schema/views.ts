/**
 * Views for SQL users (docs/internals/formats/clickhouse.md): visible data, by the same rules. The program
 * itself never reads them. They use only features of servers since 18.16.
 */

import type { DdlTarget } from "./ddl.ts";
import { POINT_NUMBERS } from "./names.ts";
import type { Invented } from "../catalogue/sources.ts";
import { IS_ORIGINAL } from "../read/visible.ts";
import { ARTILLERY_2_BUCKETS_MAX, withoutInvented } from "../measured-columns.ts";

export interface View {
  readonly name: string;
  /** The query, given the database name as spelled in SQL. */
  readonly select: (database: string) => string;
}

/** `standingOf` in attributes.ts, without hours of environments, which have `~` in their ids. */
const LOAD_TESTS: View = {
  name: "visible_load_tests",
  select: (database) => `
SELECT load_test_id, incarnation, name, created_at,
  if(finished_ms = '', NULL, toDateTime(intDiv(toUInt64OrZero(finished_ms), 1000))) AS finished_at,
  is_pinned, tags, shard
FROM (
  SELECT load_test_id, incarnation,
    max(field = 'created') AS is_created,
    max(field = 'deleted' AND value = '1') AS is_deleted,
    anyIf(value, field = 'name') AS name,
    anyIf(toDateTime(intDiv(visitParamExtractUInt(value, 'createdAtMs'), 1000)), field = 'created') AS created_at,
    anyIf(value, field = 'finished') AS finished_ms,
    max(field = 'pinned' AND value = '1') AS is_pinned,
    arraySort(groupArrayIf(substring(field, 5), startsWith(field, 'tag:') AND value = '1')) AS tags,
    anyIf(toUInt32(visitParamExtractUInt(value, 'shard') + 1), field = 'created') AS shard
  FROM ${database}.load_tests FINAL
  GROUP BY load_test_id, incarnation
  ORDER BY load_test_id, incarnation DESC
  LIMIT 1 BY load_test_id
)
WHERE is_created AND NOT is_deleted AND position(load_test_id, '~') = 0`,
};

/**
 * `sourcesOf` in sources.ts: a source is visible if it is live or published and not withdrawn, each source
 * that it replaces names it, and it is the oldest of those with the same bytes. A file has the batches that
 * it was published with. `invented` is `inventedIn` in invented-sources.ts.
 */
const SOURCES: View = {
  name: "visible_sources",
  select: (database) => `
SELECT load_test_id, incarnation, source, source_id, is_live, name, format, has_forks, sequences,
  multiIf(has_quality, '', format = 'locust-history', 'locust', format = 'artillery-json', 'artillery',
    endsWith(format, 'line-protocol'), 'windows', '') AS invented
FROM (
  SELECT load_test_id, incarnation, owner AS source,
    max(event = 'batch' AND visitParamExtractBool(text, 'isLive')) AS is_live,
    max(event = 'published') AS is_published,
    max(event = 'published' AND visitParamHas(text, 'quality')) AS has_quality,
    max(event = 'gone') AS is_gone,
    sum(if(event = 'published', length(extractAll(visitParamExtractRaw(text, 'replaces'), '[0-9]+')), 0)) AS replaced,
    sum(event = 'taken') AS taken,
    sum(if(event = 'published', visitParamExtractUInt(text, 'batches'), 0)) AS published_batches,
    arraySort(groupUniqArrayIf(sequence, event = 'batch')) AS stored,
    if(is_published, arrayFilter(each -> each < published_batches, stored), stored) AS sequences,
    anyIf(visitParamExtractString(text, 'sourceId'), event IN ('batch', 'published')) AS source_id,
    anyIf(visitParamExtractString(text, 'name'), event = 'published') AS name,
    max(if(event IN ('batch', 'published'), visitParamExtractString(text, 'format'), '')) AS format,
    countIf(event = 'batch' AND follows > 0) != uniqExactIf(follows, event = 'batch' AND follows > 0) AS has_forks,
    min(if(event = 'published', stored_at_ms, 18446744073709551615)) AS published_at_ms,
    anyIf(concat(visitParamExtractRaw(text, 'sizeBytes'), ' ', visitParamExtractRaw(text, 'digest')), event = 'published') AS bytes
  FROM (
    SELECT load_test_id, incarnation, sequence, text, follows, stored_at_ms,
      arrayJoin(if(kind = 'batch', ['batch'], if(sequence = 1, ['published'], if(visitParamHas(text, 'by'), ['gone', 'taken'], ['gone'])))) AS event,
      if(event = 'taken', toUInt64OrZero(visitParamExtractString(text, 'by')), source) AS owner
    FROM ${database}.measurements FINAL
    WHERE kind IN ('source', 'batch')
      AND (load_test_id, incarnation) IN (SELECT load_test_id, incarnation FROM ${database}.visible_load_tests)
  )
  GROUP BY load_test_id, incarnation, source
)
WHERE NOT is_gone AND (is_published OR is_live) AND replaced = taken
ORDER BY published_at_ms, source
LIMIT 1 BY load_test_id, incarnation, if(is_published, bytes, toString(source))`,
};

/** One row per batch that counts, to join with others. Of contents under one number, `chosenOf` in contents-choice.ts chooses. */
const BATCHES: View = {
  name: "visible_batches",
  select: (database) => `
SELECT load_test_id, incarnation, source, sequence, contents
FROM (
  SELECT load_test_id, incarnation, source, sequence, contents
  FROM ${database}.measurements FINAL
  WHERE kind = 'batch'
  ORDER BY is_claimed DESC, contents
  LIMIT 1 BY load_test_id, incarnation, source, sequence
)
WHERE (load_test_id, incarnation, source, sequence) IN (
  SELECT load_test_id, incarnation, source, arrayJoin(sequences) AS sequence
  FROM ${database}.visible_sources
)`,
};

const ENDPOINTS: View = {
  name: "visible_endpoints",
  select: (database) => `
SELECT load_test_id, endpoint_hash, any(text) AS label,
  arrayElement(['unclear', 'transaction', 'subresult', 'request'], max(role) + 1) AS role
FROM ${database}.measurements
WHERE kind = 'label' AND ${ofVisibleBatch(database)}
GROUP BY load_test_id, endpoint_hash`,
};

/** Middle of a bucket, like `valueIn` in histogram.ts, without the extremes. */
const BUCKET_MICROS =
  "if(bucket < 128, toUInt64(bucket), " +
  "toUInt64(bitShiftLeft(toUInt64(129 + 2 * (bucket % 64)), greatest(intDiv(bucket, 64), 2) - 2) - 1))";

/** Columns that earlier versions partly invented, with their stored names. */
const CHANGED: ReadonlyMap<string, string> = new Map([
  ["min_micros", "stored_min_micros"],
  ["max_micros", "stored_max_micros"],
  ["untimed_requests", "stored_untimed_requests"],
  ["untimed_failed_requests", "stored_untimed_failed_requests"],
  ["histogram.bucket", "stored_buckets"],
  ["histogram.requests", "stored_bucket_requests"],
]);

const measured = withoutInvented(
  { locust: "is_locust", artillery: "is_artillery_2", windows: "is_windows" },
  (name) => CHANGED.get(name) ?? name,
);

const POINTS: View = {
  name: "visible_points",
  select: (database) => `
SELECT load_test_id, endpoint_hash, second, source, window_seconds,
  ${POINT_NUMBERS.map((name) => `${measured(name)} AS ${name}`).join(", ")},
  arrayMap(bucket -> ${BUCKET_MICROS}, ${measured("histogram.bucket")}) AS bucket_micros,
  ${measured("histogram.requests")} AS bucket_requests,
  failure_codes, failure_messages, failure_requests
FROM (
  SELECT load_test_id, endpoint_hash, second, source, window_seconds,
    ${POINT_NUMBERS.filter((name) => !CHANGED.has(name)).join(", ")},
    ${[...CHANGED].map(([name, own]) => `${name} AS ${own}`).join(", ")},
    failures.code AS failure_codes, failures.message AS failure_messages, failures.requests AS failure_requests,
    ${IS_ORIGINAL} AND ${isInvented(database, "locust")} AS is_locust,
    ${IS_ORIGINAL} AND ${isInvented(database, "windows")} AS is_windows,
    ${IS_ORIGINAL} AND ${isInvented(database, "artillery")} AND (load_test_id, incarnation, source) NOT IN (
      SELECT load_test_id, incarnation, source FROM ${database}.measurements
      WHERE kind = 'point' AND ${isInvented(database, "artillery")}
        AND length(histogram.bucket) > ${ARTILLERY_2_BUCKETS_MAX}
    ) AS is_artillery_2
  FROM ${database}.measurements FINAL
  WHERE kind = 'point' AND (${isMinute(database)} OR (${ofVisibleBatch(database)} AND NOT ${isMerged(database)}))
)`,
};

/** The column `users` of batches, merged like `mergeUsers`. Generators are named as in JSON. */
const USERS: View = {
  name: "visible_users",
  select: (database) => String.raw`
SELECT load_test_id, source, generator, at AS second,
  max(active_users) AS active, sum(started_users) AS started, sum(ended_users) AS ended
FROM (
  SELECT load_test_id, source,
    extractAll(extract(users, '^\\{"generators":\\[((?:"(?:[^"\\\\]|\\\\.)*",?)*)'), '"((?:[^"\\\\]|\\\\.)*)"') AS generators,
    arrayElement(generators, toUInt32(generator_text) + 1) AS generator,
    toUInt32(second_text) AS at,
    toUInt64(active_text) AS active_users,
    toUInt64(started_text) AS started_users,
    toUInt64(ended_text) AS ended_users
  FROM ${database}.measurements FINAL
  ARRAY JOIN
    extractAll(visitParamExtractRaw(users, 'generator'), '[0-9]+') AS generator_text,
    extractAll(visitParamExtractRaw(users, 'second'), '[0-9]+') AS second_text,
    extractAll(visitParamExtractRaw(users, 'active'), '[0-9]+') AS active_text,
    extractAll(visitParamExtractRaw(users, 'started'), '[0-9]+') AS started_text,
    extractAll(visitParamExtractRaw(users, 'ended'), '[0-9]+') AS ended_text
  WHERE kind = 'batch' AND ${ofVisibleBatch(database)}
)
GROUP BY load_test_id, source, generator, at`,
};

/** In the order of creation: each reads tables and earlier views. */
export const VIEWS: readonly View[] = [LOAD_TESTS, SOURCES, BATCHES, ENDPOINTS, POINTS, USERS];

/** Statements that recreate the views. They hold no rows. */
export function renewViews({ database }: DdlTarget): readonly string[] {
  const quoted = `\`${database}\``;
  return VIEWS.flatMap(({ name, select }) => [
    `DROP TABLE IF EXISTS ${quoted}.${name}`,
    `CREATE VIEW IF NOT EXISTS ${quoted}.${name} AS${select(quoted)}`,
  ]);
}

function ofVisibleBatch(database: string): string {
  const key = "load_test_id, incarnation, source, sequence, contents";
  return `(${key}) IN (SELECT ${key} FROM ${database}.visible_batches)`;
}

/** `pointRows` in visible.ts: points that others were merged into. */
function isMinute(database: string): string {
  return `(
    (load_test_id, incarnation, source) IN (SELECT load_test_id, incarnation, source FROM ${database}.visible_sources)
    AND (load_test_id, incarnation, sequence) IN (
      SELECT load_test_id, incarnation, toUInt64OrZero(visitParamExtractString(value, 'number'))
      FROM ${database}.load_tests FINAL WHERE field = 'minutes'))`;
}

/** Batches whose points were merged. */
function isMerged(database: string): string {
  const key = "load_test_id, incarnation, source, sequence, contents";
  return `((${key}) IN (
    SELECT ${key} FROM (
      SELECT ${key}, stored_at_ms FROM ${database}.measurements FINAL WHERE kind = 'batch'
    ) AS batches ANY LEFT JOIN (
      SELECT load_test_id, incarnation, visitParamExtractUInt(value, 'beforeMs') AS before_ms
      FROM ${database}.load_tests FINAL WHERE field = 'minutes'
    ) AS merged USING (load_test_id, incarnation)
    WHERE stored_at_ms < before_ms))`;
}

function isInvented(database: string, invented: Invented): string {
  const key = "load_test_id, incarnation, source";
  return `(${key}) IN (SELECT ${key} FROM ${database}.visible_sources WHERE invented = '${invented}')`;
}
