/** Statements that find and delete rows that no reader can see any more. */

import { type StoredContents, chosenOf } from "../write/contents-choice.ts";
import type { Minutes } from "../catalogue/attributes.ts";
import { idLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import type { NativeBlock } from "../native/native-block.ts";
import { IS_ORIGINAL } from "../read/visible.ts";

/** Grace period before deleted rows are purged (`sweeper.ts`). */
export const GONE_MS = 60 * 60_000;

/**
 * Maximum age of a snapshot that is still read: the grace period minus the time to notice and to read the
 * last part.
 */
export const READING_MS_MAX = GONE_MS - 10 * 60_000;

/**
 * Rows of one load test: all, or those of a source, of discarded contents, of a copy, or the points that do not count because
 * minutes took their place.
 */
export interface GoneRows {
  readonly loadTestId: string;
  readonly incarnation: number;
  /** @default all sources */
  readonly source?: bigint;
  /** Of the source. @default all contents */
  readonly setAside?: StoredContents;
  /** @default all copies */
  readonly copy?: bigint;
  readonly minutes?: Minutes;
}

/** Load tests with rows, deleted or not: each batch has one of these rows. */
export function storedQuery(database: string): string {
  return `SELECT load_test_id, incarnation FROM ${database}.measurements
WHERE kind IN ('source', 'batch') GROUP BY load_test_id, incarnation`;
}

export function copiesQuery(database: string): string {
  return `SELECT load_test_id, incarnation, seal FROM ${database}.sealed_points
GROUP BY load_test_id, incarnation, seal`;
}

/** Withdrawn or deleted sources. */
export function goneSourcesQuery(database: string): string {
  return `SELECT load_test_id, incarnation, source FROM ${database}.measurements
WHERE kind = 'source' AND sequence = 2 GROUP BY load_test_id, incarnation, source`;
}

/** Those of `sources` that have points or labels. */
export function remainingQuery(database: string, sources: readonly GoneRows[]): string {
  return `SELECT load_test_id, incarnation, source FROM ${database}.measurements
WHERE ${ofLoadTests(sources)} AND ${OF_SOURCES} AND ${isAnySource(sources)}
GROUP BY load_test_id, incarnation, source`;
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
  const rivals = blocks.flatMap((block) => {
    const [sequences, claimed] = [block.numbers("sequence"), block.numbers("is_claimed")];
    const contents = block.numbers("contents");
    return goneRowsIn([block], "source").map((rows, row) => ({
      ...rows,
      setAside: {
        sequence: sequences[row] as number,
        contents: contents[row] as number,
        isClaimed: claimed[row] === 1,
      },
    }));
  });
  const sourceOf = (rows: GoneRows) => `${rows.loadTestId} ${rows.incarnation} ${rows.source}`;
  return [...Map.groupBy(rivals, sourceOf).values()].flatMap((own) => {
    const { setAside } = chosenOf(own.map((each) => each.setAside));
    return own.filter((each) => setAside.includes(each.setAside));
  });
}

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

/** Those of `merged`, which have minutes, that have points beside them. */
export function mergedQuery(database: string, merged: readonly GoneRows[]): string {
  return `SELECT load_test_id, incarnation FROM ${database}.measurements
WHERE ${ofLoadTests(merged)} AND (${merged.map(isMerged).join(" OR ")})
GROUP BY load_test_id, incarnation`;
}

/** Points that were merged, and those of attempts to merge them. */
function isMerged({ minutes, ...rows }: GoneRows): string {
  const { number, beforeMs } = minutes ?? { number: "0", beforeMs: 0 };
  const isOther = `sequence != toUInt64(${unsigned64Literal(BigInt(number))})`;
  const isEarlier = `(stored_at_ms < ${integerLiteral(beforeMs)} OR NOT ${IS_ORIGINAL})`;
  return `((load_test_id, incarnation) = ${tuple(rows)} AND kind = 'point' AND ${isOther} AND ${isEarlier})`;
}

/** Deletes rows of load tests and sources. */
export function removeMeasurements(database: string, gone: readonly GoneRows[]): string {
  const aside = gone.filter(({ setAside }) => setAside !== undefined);
  const sources = gone.filter((each) => isOfSource(each) && !aside.includes(each));
  const merged = gone.filter(({ minutes }) => minutes !== undefined);
  const whole = gone.filter((each) => !isOfSource(each) && !merged.includes(each));
  const conditions = [
    ...merged.map(isMerged),
    ...(aside.length === 0 ? [] : [isAnySetAside(aside)]),
    ...(whole.length === 0 ? [] : [isAnyLoadTest(whole)]),
    ...(sources.length === 0 ? [] : [`(${OF_SOURCES} AND ${isAnySource(sources)})`]),
  ];
  return `ALTER TABLE ${database}.measurements DELETE
WHERE ${ofLoadTests(gone)} AND (${conditions.join(" OR ")})`;
}

export function removeCopies(database: string, gone: readonly GoneRows[]): string {
  const triples = gone.map(({ copy = 0n, ...each }) => tuple(each, copy));
  return `ALTER TABLE ${database}.sealed_points DELETE
WHERE ${ofLoadTests(gone)} AND (load_test_id, incarnation, seal) IN (${triples.join(",")})`;
}

export function goneRowsIn(
  blocks: readonly NativeBlock[],
  which?: "source" | "copy",
): readonly GoneRows[] {
  return blocks.flatMap((block) => {
    const incarnations = block.numbers("incarnation");
    const sources = which === "source" ? block.bigints("source") : [];
    const copies = which === "copy" ? block.bigints("seal") : [];
    return block.strings("load_test_id").map((loadTestId, row) => {
      const [source, copy] = [sources[row], copies[row]];
      return {
        loadTestId,
        incarnation: incarnations[row] as number,
        ...(source === undefined ? {} : { source }),
        ...(copy === undefined ? {} : { copy }),
      };
    });
  });
}

/** Batches and events stay: they identify retries. */
const OF_SOURCES = "kind IN ('label', 'point')";

function isOfSource({ source }: GoneRows): boolean {
  return source !== undefined;
}

/** Sorting key of the tables, so that only matching parts are read. */
function ofLoadTests(rows: readonly GoneRows[]): string {
  const ids = new Set(rows.map(({ loadTestId }) => idLiteral(loadTestId)));
  return `load_test_id IN (${[...ids].join(",")})`;
}

function isAnyLoadTest(rows: readonly GoneRows[]): string {
  return `(load_test_id, incarnation) IN (${rows.map((each) => tuple(each)).join(",")})`;
}

function isAnySource(rows: readonly GoneRows[]): string {
  const triples = rows.map(({ source = 0n, ...each }) => tuple(each, source));
  return `(load_test_id, incarnation, source) IN (${triples.join(",")})`;
}

function isAnySetAside(rows: readonly GoneRows[]): string {
  const batches = rows.flatMap(({ source = 0n, setAside, ...each }) => {
    if (setAside === undefined) return [];
    const { sequence, contents } = setAside;
    const numbers = [
      `toUInt64(${integerLiteral(sequence)})`,
      `toUInt32(${integerLiteral(contents)})`,
    ];
    return `${tuple(each, source).slice(0, -1)},${numbers.join(",")})`;
  });
  return `(load_test_id, incarnation, source, sequence, contents) IN (${batches.join(",")})`;
}

function tuple({ loadTestId, incarnation }: GoneRows, number?: bigint): string {
  const values = [idLiteral(loadTestId), `toUInt32(${integerLiteral(incarnation)})`];
  if (number !== undefined) values.push(`toUInt64(${unsigned64Literal(number)})`);
  return `(${values.join(",")})`;
}
