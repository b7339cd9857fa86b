/** Statements that create a merged copy of points and verify it. */

import { randomInt } from "node:crypto";
import type { ShardKey } from "../catalogue/attributes.ts";
import { hashLiteral, idLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import { type PointColumn, measuredColumns } from "../measured-columns.ts";
import type { NativeBlock } from "../native/native-block.ts";
import {
  failedHistogram,
  mergedExtremes,
  mergedOutcomes,
  OUTCOME_COLUMNS,
  storedOutcomes,
} from "../outcome-columns.ts";
import { type NarrowTypes, mergedHistogram } from "../read/point-columns.ts";
import { POINT_SUMS } from "../schema/names.ts";
import { inBatches, ofShardKey, pointRows, type VisibleRows } from "../read/visible.ts";

const RANDOM_BITS = 22n;

/** Endpoints by hash, half open. */
export interface HashRange {
  readonly from: string;
  /** @default no upper bound */
  readonly until: string | undefined;
}

/** Points merged by one statement, approximately: a server needs some hundred bytes for each. */
const POINTS_AT_ONCE = 500_000;

const HASH_DIGITS = 40;

const PREFIX_DIGITS = 4;

/** Number of points per hash prefix. Duplicates count twice. */
export function prefixesQuery(copied: VisibleRows): string {
  return `SELECT substring(endpoint_hash, 1, ${PREFIX_DIGITS}) AS a_prefix, count() AS a_points
FROM ${copied.database}.measurements WHERE ${pointRows(copied)} GROUP BY a_prefix`;
}

/** Splits all hashes into ranges with a limited number of points. */
export function rangesOf(blocks: readonly NativeBlock[]): readonly HashRange[] {
  const counted = blocks.flatMap((block) => {
    const points = block.numbers("a_points");
    return block.strings("a_prefix").map((prefix, row) => ({ prefix, points: points[row] ?? 0 }));
  });
  const cuts = [""];
  let points = 0;
  for (const each of counted.toSorted((left, right) => (left.prefix < right.prefix ? -1 : 1))) {
    if (points > 0 && points + each.points > POINTS_AT_ONCE) {
      cuts.push(each.prefix);
      points = 0;
    }
    points += each.points;
  }
  return cuts.map((prefix, cut) => ({ from: hashOf(prefix), until: cuts[cut + 1] }));
}

/** Copies the points of a range under a number, merging all batches of a second. */
export function copyStatement(copied: VisibleRows, number: bigint, range: HashRange): string {
  const { database, shardKey } = copied;
  const values = [
    idLiteral(shardKey.loadTestId),
    `toUInt32(${integerLiteral(shardKey.incarnation)})`,
    `toUInt64(${unsigned64Literal(number)})`,
    `toDate(${integerLiteral(shardKey.testDay)})`,
  ];
  return `INSERT INTO ${database}.sealed_points (load_test_id, incarnation, seal, test_day,
  endpoint_hash, endpoint_number, second, ${MERGED_COLUMNS}, ${FAILURE_COLUMNS})
SELECT ${values.join(", ")},
  endpoint_hash, ${ENDPOINT_NUMBER}, second, ${mergedValues()},
  a_code, a_message, a_failures FROM (
SELECT endpoint_hash, second, ${mergedPoints(measuredColumns(copied))}, ${MERGED_FAILURES}
FROM ${database}.measurements FINAL WHERE ${pointRows(copied)} AND ${inRange(range)}
GROUP BY endpoint_hash, second)`;
}

const MERGED_NUMBERS = [...POINT_SUMS, "min_micros", "max_micros", "window_seconds"];

export const MERGED_COLUMNS = [
  ...MERGED_NUMBERS,
  "histogram.bucket",
  "histogram.requests",
  ...OUTCOME_COLUMNS,
].join(", ");

/** SELECT list for them, of rows selected by `mergedPoints`. */
export function mergedValues(): string {
  const numbers = MERGED_NUMBERS.map((name) => `a_${name}`);
  return [...numbers, "a_histogram.1", "a_histogram.2", ...storedOutcomes()].join(", ");
}

/** SELECT list that merges points; `windowSeconds` is SQL of the seconds that a point covers then. */
export function mergedPoints(column: PointColumn, windowSeconds?: string): string {
  return [
    ...POINT_SUMS.map((name) => `sum(${column(name)}) AS a_${name}`),
    ...extremes(column, windowSeconds),
    `${mergedHistogram(column)} AS a_histogram`,
    ...mergedOutcomes(column),
  ].join(", ");
}

export const FAILURE_COLUMNS = "failures.code, failures.message, failures.requests";

export const MERGED_FAILURES =
  "groupArrayArray(failures.code) AS a_code, groupArrayArray(failures.message) AS a_message, " +
  "groupArrayArray(failures.requests) AS a_failures";

/** The first 16 digits as eight little-endian bytes: a fifth of the size of the hash. */
const ENDPOINT_NUMBER = "reinterpretAsUInt64(unhex(substring(endpoint_hash, 1, 16)))";

/** Rows with failures but no requests have no extremes. */
function extremes(column: PointColumn, windowSeconds = "window_seconds"): readonly string[] {
  return [
    `minIf(${column("min_micros")}, requests > 0) AS a_min_micros`,
    `maxIf(${column("max_micros")}, requests > 0) AS a_max_micros`,
    `toUInt64(maxIf(${windowSeconds}, requests > 0)) AS a_window_seconds`,
  ];
}

/** Query for the tally of the original points, for `tallyIn`. */
export function pointsTally(copied: VisibleRows): string {
  return originalsTally(copied, pointRows(copied));
}

/** The same for points selected by a condition, each at the second that some SQL is. */
export function originalsTally(copied: VisibleRows, condition: string, second = "second"): string {
  return tallyQuery(`${copied.database}.measurements FINAL`, condition, {
    endpointNumber: ENDPOINT_NUMBER,
    second,
    column: measuredColumns(copied),
    hasOutcomes: true,
  });
}

/** Query for the tally of a copy, for `tallyIn`; without outcomes if the copy was made without. */
export function copyTally(copied: VisibleRows, number: bigint, hasOutcomes = true): string {
  const table = `${copied.database}.sealed_points`;
  return tallyQuery(table, copyRows(copied.shardKey, number), {
    endpointNumber: "endpoint_number",
    second: "second",
    column: (name) => name,
    hasOutcomes,
  });
}

/** Query for the points that the batches claim to have. */
export function batchesTally({ database, shardKey, rows }: VisibleRows): string {
  return `SELECT sum(requests) AS a_requests, sum(failed_requests) AS a_failed_requests
FROM ${database}.measurements FINAL
WHERE ${ofShardKey(shardKey)} AND kind = 'batch' AND ${inBatches(rows)}`;
}

export function copyCount(database: string, shardKey: ShardKey, number: bigint): string {
  return `SELECT count() AS a_rows FROM ${database}.sealed_points WHERE ${copyRows(shardKey, number)}`;
}

/** The same, with the largest number of each column. */
export function copyExtent(database: string, shardKey: ShardKey, number: bigint): string {
  const most = POINT_SUMS.map((name) => `max(${name}) AS a_most_${name}`);
  return `SELECT ${most.join(", ")}, count() AS a_rows
FROM ${database}.sealed_points WHERE ${copyRows(shardKey, number)}`;
}

/** Types to read the columns as, if not UInt64. */
export function narrowTypesIn(blocks: readonly NativeBlock[]): NarrowTypes {
  const block = blocks.find(({ rows }) => rows > 0);
  const types = POINT_SUMS.flatMap((name): [string, string][] => {
    const most = block?.bigints(`a_most_${name}`)[0] ?? 0n;
    const narrow = NARROW.find(({ end }) => most < end);
    return narrow === undefined ? [] : [[name, narrow.type]];
  });
  return new Map(types);
}

const NARROW = [
  { type: "UInt8", end: 2n ** 8n },
  { type: "UInt16", end: 2n ** 16n },
  { type: "UInt32", end: 2n ** 32n },
] as const;

interface Tallied {
  readonly endpointNumber: string;
  readonly second: string;
  readonly column: PointColumn;
  readonly hasOutcomes: boolean;
}

/**
 * Sums modulo 2^64 in which each number is multiplied by a hash of its key: independent of how numbers of one
 * second were merged, but different if a number moved to another second, bucket or kind of failure.
 */
function tallyQuery(
  table: string,
  condition: string,
  { endpointNumber, second, column, hasOutcomes }: Tallied,
): string {
  const weight = `cityHash64(endpoint_hash, ${endpointNumber}, ${second})`;
  const histogram = `${column("histogram.bucket")}, ${column("histogram.requests")}`;
  const buckets = `arrayMap((b, n) -> cityHash64(b) * n, ${histogram})`;
  const [failedBucket, failedRequests] = failedHistogram(column);
  const failed = `arrayMap((b, n) -> cityHash64(b) * n, ${failedBucket}, ${failedRequests})`;
  const failures =
    "arrayMap((c, m, n) -> cityHash64(c, m) * n, " +
    "failures.code, failures.message, failures.requests)";
  const weighed = [
    ...POINT_SUMS.map((name) => ({ name, value: column(name) })),
    { name: "histograms", value: `arraySum(${buckets})` },
    { name: "failures", value: `arraySum(${failures})` },
    ...(hasOutcomes ? [{ name: "outcomes", value: `arraySum(${failed})` }] : []),
  ];
  return `SELECT sum(requests) AS a_requests, sum(failed_requests) AS a_failed_requests,
  ${weighed.map(({ name, value }) => `sum(${weight} * ${value}) AS a_weighed_${name}`).join(", ")},
  ${[...extremes(column), ...(hasOutcomes ? mergedExtremes(column) : [])].join(", ")}
FROM ${table} WHERE ${condition}`;
}

/** Returns all numbers of a one-row result, by name. */
export function tallyIn(blocks: readonly NativeBlock[]): ReadonlyMap<string, bigint> {
  const block = blocks.find(({ rows }) => rows > 0);
  const names = block?.names ?? [];
  return new Map(names.map((name) => [name, block?.bigints(name)[0] ?? 0n]));
}

export function differencesOf(
  one: ReadonlyMap<string, bigint>,
  other: ReadonlyMap<string, bigint>,
): readonly string[] {
  return [...one.keys()].filter((name) => other.has(name) && one.get(name) !== other.get(name));
}

function copyRows(shardKey: ShardKey, number: bigint): string {
  return `${ofShardKey(shardKey)} AND seal = toUInt64(${unsigned64Literal(number)})`;
}

export function inRange({ from, until }: HashRange): string {
  const below = until === undefined ? "" : ` AND endpoint_hash < ${hashLiteral(hashOf(until))}`;
  return `endpoint_hash >= ${hashLiteral(from)}${below}`;
}

/** Returns the smallest hash with this prefix. */
function hashOf(prefix: string): string {
  return prefix.padEnd(HASH_DIGITS, "0");
}

/** Ascends with time. */
export function newCompactionNumber(nowMs: number): bigint {
  return (BigInt(nowMs) << RANDOM_BITS) | BigInt(randomInt(2 ** Number(RANDOM_BITS)));
}

/** Format of `Compaction`: 16 hexadecimal digits. */
export function compactionDigits(number: bigint): string {
  return number.toString(16).padStart(16, "0");
}

export function compactionNumber({ number }: { readonly number: string }): bigint {
  return BigInt(`0x${number}`);
}
