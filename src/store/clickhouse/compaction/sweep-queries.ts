/** Statements that find and delete rows that no reader can see any more. */

import type { Minutes, ShardKey } from "../catalogue/attributes.ts";
import { idLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { asBigint, asFlag, asNumber, asText, rowsIn } from "../native/rows-in.ts";
import { IS_ORIGINAL } from "../read/visible.ts";
import { chosenOf } from "../write/contents-choice.ts";

/** Grace period before deleted rows are purged (`sweeper.ts`). */
export const GONE_MS = 60 * 60_000;

/** Maximum age of a snapshot that is read: the grace period without the time to notice and to read the rest. */
export const READING_MS_MAX = GONE_MS - 10 * 60_000;

/** A load test with rows, deleted or not. */
export type StoredRows = Pick<ShardKey, "loadTestId" | "incarnation">;

interface SourceRows extends StoredRows {
  readonly source: bigint;
}

interface CopyRows extends StoredRows {
  readonly copy: bigint;
}

/** Rows of one load test, found by some columns and, if given, by a condition. */
export interface GoneRows extends StoredRows {
  readonly table: "measurements" | "sealed_points";
  readonly key: string;
  /** Values of the key, as SQL. */
  readonly tuple: string;
  readonly condition?: string;
}

const [LOAD_TEST, SOURCE] = ["load_test_id, incarnation", "load_test_id, incarnation, source"];

export function goneLoadTest(rows: StoredRows): GoneRows {
  return { ...rows, table: "measurements", key: LOAD_TEST, tuple: tuple(rows) };
}

/** Batches and events of the source stay: they identify retries. */
export function goneSource({ source, ...rows }: SourceRows): GoneRows {
  const condition = "kind IN ('label', 'point')";
  const tupleOfSource = tuple(rows, uint64(source));
  return { ...rows, table: "measurements", key: SOURCE, tuple: tupleOfSource, condition };
}

export function goneCopy({ copy, ...rows }: CopyRows): GoneRows {
  const key = `${LOAD_TEST}, seal`;
  return { ...rows, table: "sealed_points", key, tuple: tuple(rows, uint64(copy)) };
}

/** Points that were merged into minutes, and those of other attempts to merge them. */
export function mergedPoints(rows: StoredRows, { number: merged, beforeMs }: Minutes): GoneRows {
  const isOther = `sequence != ${uint64(BigInt(merged))}`;
  const isEarlier = `(stored_at_ms < ${integerLiteral(beforeMs)} OR NOT ${IS_ORIGINAL})`;
  return { ...goneLoadTest(rows), condition: `kind = 'point' AND ${isOther} AND ${isEarlier}` };
}

/** Each batch, and each source without one, has one of these rows. */
export function storedQuery(database: string): string {
  return `SELECT load_test_id, incarnation FROM ${database}.measurements
WHERE kind IN ('source', 'batch') GROUP BY load_test_id, incarnation`;
}

export function storedIn(blocks: readonly NativeBlock[]): readonly StoredRows[] {
  return rowsIn<StoredRows>(blocks, LOAD_TEST_COLUMNS);
}

export function copiesQuery(database: string): string {
  return `SELECT load_test_id, incarnation, seal FROM ${database}.sealed_points
GROUP BY load_test_id, incarnation, seal`;
}

export function copiesIn(blocks: readonly NativeBlock[]): readonly CopyRows[] {
  return rowsIn<CopyRows>(blocks, { ...LOAD_TEST_COLUMNS, copy: asBigint("seal") });
}

/** Withdrawn or deleted sources. */
export function goneSourcesQuery(database: string): string {
  return `SELECT load_test_id, incarnation, source FROM ${database}.measurements
WHERE kind = 'source' AND sequence = 2 GROUP BY load_test_id, incarnation, source`;
}

export function sourcesIn(blocks: readonly NativeBlock[]): readonly SourceRows[] {
  return rowsIn<SourceRows>(blocks, { ...LOAD_TEST_COLUMNS, source: asBigint("source") });
}

/** Staged sources without a batch since a time. */
export function abandonedQuery(database: string, sinceMs: number): string {
  return `SELECT load_test_id, incarnation, source, countIf(kind = 'source') AS a_events,
  maxIf(stored_at_ms, kind = 'batch') AS a_stored_at_ms, anyIf(text, kind = 'batch') AS a_text
FROM ${database}.measurements WHERE kind IN ('source', 'batch')
GROUP BY load_test_id, incarnation, source
HAVING a_events = 0 AND a_stored_at_ms < ${integerLiteral(sinceMs)}
  AND position(a_text, '"isLive":false') > 0`;
}

/** Batches with several stored contents, for `setAsideIn`. */
export function rivalsQuery(database: string): string {
  const key = "load_test_id, incarnation, source, sequence";
  return `SELECT ${key}, contents, is_claimed FROM ${database}.measurements FINAL
WHERE kind = 'batch' AND (${key}) IN (
  SELECT ${key} FROM ${database}.measurements WHERE kind = 'batch'
  GROUP BY ${key} HAVING uniqExact(contents) > 1)`;
}

/** Returns the contents among them that do not count. */
export function setAsideIn(blocks: readonly NativeBlock[]): readonly GoneRows[] {
  const rivals = rowsIn(blocks, {
    ...LOAD_TEST_COLUMNS,
    source: asBigint("source"),
    sequence: asNumber("sequence"),
    contents: asNumber("contents"),
    isClaimed: asFlag("is_claimed"),
  });
  const sources = Map.groupBy(rivals, (each) => tuple(each, uint64(each.source)));
  const key = `${SOURCE}, sequence, contents`;
  return [...sources.values()].flatMap((own) =>
    chosenOf(own).setAside.map(({ loadTestId, incarnation, source, sequence, contents }) => {
      const rows = { loadTestId, incarnation };
      const numbers = [uint64(source), uint64(BigInt(sequence)), uint32(contents)];
      return { ...rows, table: "measurements", key, tuple: tuple(rows, ...numbers) };
    }),
  );
}

const LOAD_TEST_COLUMNS = {
  loadTestId: asText("load_test_id"),
  incarnation: asNumber("incarnation"),
};

/** Tables whose rows expire, by the column with their time in milliseconds. */
const EXPIRING = { claims: "claimed_at_ms", audit: "version" } as const;

export type ExpiringTable = keyof typeof EXPIRING;

export function oldRowsQuery(database: string, table: ExpiringTable, beforeMs: number): string {
  return `SELECT count() AS a_rows FROM ${database}.${table} WHERE ${isBefore(table, beforeMs)}`;
}

export function removeOldRows(database: string, table: ExpiringTable, beforeMs: number): string {
  return `ALTER TABLE ${database}.${table} DELETE WHERE ${isBefore(table, beforeMs)}`;
}

function isBefore(table: ExpiringTable, beforeMs: number): string {
  return `${EXPIRING[table]} < ${integerLiteral(Math.max(0, Math.floor(beforeMs)))}`;
}

/** Number of earlier deletions that are still running. */
export function removalsQuery(database: string): string {
  return `SELECT count() AS a_rows FROM system.mutations
WHERE database = '${database}' AND is_done = 0`;
}

/** Keys of those that exist, for `remainingIn`: sources, or load tests. */
export function remainingQuery(database: string, gone: readonly GoneRows[]): string {
  const key = gone[0]?.key;
  return `SELECT ${key} FROM ${database}.measurements WHERE ${isAnyOf(gone)} GROUP BY ${key}`;
}

export function remainingIn(blocks: readonly NativeBlock[], gone: readonly GoneRows[]) {
  const isOfSources = gone[0]?.key === SOURCE;
  const tuples = new Set(
    isOfSources
      ? sourcesIn(blocks).map((each) => tuple(each, uint64(each.source)))
      : storedIn(blocks).map((each) => tuple(each)),
  );
  return gone.filter((each) => tuples.has(each.tuple));
}

export function removeRows(database: string, gone: readonly GoneRows[]): string {
  return `ALTER TABLE ${database}.${gone[0]?.table} DELETE WHERE ${isAnyOf(gone)}`;
}

function isAnyOf(gone: readonly GoneRows[]): string {
  // Sorting key of the tables, so that only matching parts are read.
  const ids = new Set(gone.map(({ loadTestId }) => idLiteral(loadTestId)));
  const alike = Map.groupBy(gone, ({ key, condition = "1" }) => `${condition} AND (${key})`);
  const conditions = Array.from(alike, ([condition, own]) => {
    return `(${condition} IN (${own.map((each) => each.tuple).join(",")}))`;
  });
  return `load_test_id IN (${[...ids].join(",")}) AND (${conditions.join(" OR ")})`;
}

function tuple({ loadTestId, incarnation }: StoredRows, ...numbers: readonly string[]): string {
  return `(${[idLiteral(loadTestId), uint32(incarnation), ...numbers].join(",")})`;
}

function uint32(value: number): string {
  return `toUInt32(${integerLiteral(value)})`;
}

function uint64(value: bigint): string {
  return `toUInt64(${unsigned64Literal(value)})`;
}
