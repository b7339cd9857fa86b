/** Statements that merge the points of a load test into minutes, of each source by itself. */

import { idLiteral, integerLiteral, unsigned64Literal } from "../cluster/literals.ts";
import type { Downsampling } from "../../downsample.ts";
import { measuredColumns } from "../measured-columns.ts";
import { MINUTES_FROM, ofShardKey, pointRows, type VisibleRows } from "../read/visible.ts";
import {
  FAILURE_COLUMNS,
  type HashRange,
  inRange,
  MERGED_COLUMNS,
  MERGED_FAILURES,
  mergedPoints,
  mergedValues,
  newCompactionNumber,
  originalsTally,
} from "./compaction-queries.ts";

export interface MergedRows extends VisibleRows {
  readonly downsampling: Downsampling;
  readonly number: bigint;
}

export function newMinutesNumber(nowMs: number): bigint {
  return MINUTES_FROM | newCompactionNumber(nowMs);
}

/** Statements that merge the endpoints of a range. Failures keep their seconds, in rows with other `contents`. */
export function minutesStatements(merged: MergedRows, range: HashRange): readonly string[] {
  const { database, downsampling } = merged;
  const from = `FROM ${database}.measurements FINAL WHERE ${pointRows(merged)} AND ${inRange(range)}`;
  const points = `SELECT endpoint_hash, source, ${startOf(downsampling)} AS a_second,
  ${mergedPoints(measuredColumns(merged), windowOf(downsampling))}
${from} AND requests > 0 GROUP BY endpoint_hash, source, a_second`;
  const failures = `SELECT endpoint_hash, source, second AS a_second, ${MERGED_FAILURES}
${from} AND notEmpty(failures.requests) GROUP BY endpoint_hash, source, a_second`;
  return [
    `${insertInto(merged, MERGED_COLUMNS)}
SELECT ${identity(merged, 0)}, ${mergedValues()} FROM (${points})`,
    `${insertInto(merged, FAILURE_COLUMNS)}
SELECT ${identity(merged, 1)}, a_code, a_message, a_failures FROM (${failures})`,
  ];
}

const IDENTITY =
  "load_test_id, incarnation, kind, endpoint_hash, second, source, sequence, test_day, stored_at_ms, contents";

/** Never before a time: conditions for batches, also of earlier versions, do not include these rows. */
const NEVER = "toUInt64(18446744073709551615)";

function insertInto({ database }: MergedRows, columns: string): string {
  return `INSERT INTO ${database}.measurements (${IDENTITY}, ${columns})`;
}

function identity({ shardKey, number }: MergedRows, contents: 0 | 1): string {
  return [
    idLiteral(shardKey.loadTestId),
    `toUInt32(${integerLiteral(shardKey.incarnation)})`,
    "'point'",
    "endpoint_hash",
    "a_second",
    "source",
    `toUInt64(${unsigned64Literal(number)})`,
    `toDate(${integerLiteral(shardKey.testDay)})`,
    NEVER,
    `toUInt32(${contents})`,
  ].join(", ");
}

/** SQL of `windowAround` in downsample.ts. Points without a timestamp stay apart. */
function startOf({ windowSeconds, firstSecond }: Downsampling): string {
  const start = `second - second % ${integerLiteral(windowSeconds)}`;
  return `toUInt32(if(second = 0, 0, greatest(${start}, least(${integerLiteral(firstSecond)}, second))))`;
}

function windowOf(downsampling: Downsampling): string {
  const { windowSeconds, lastSecond } = downsampling;
  const length = integerLiteral(windowSeconds);
  const nextStart = `second - second % ${length} + ${length}`;
  const end = `least(${nextStart}, greatest(${integerLiteral(lastSecond)}, second) + 1)`;
  const covered = `greatest(${end}, second + window_seconds) - ${startOf(downsampling)}`;
  return `if(second = 0, toInt64(window_seconds), least(${covered}, 65535))`;
}

/** Queries for the tallies of the points before and after, for `tallyIn`: the same but for the seconds that points cover. */
export function minutesTallies(merged: MergedRows): readonly [before: string, after: string] {
  const start = startOf(merged.downsampling);
  return [
    originalsTally(merged, pointRows(merged), start),
    originalsTally(merged, minutesRows(merged), start),
  ];
}

export function minutesCount(merged: MergedRows): string {
  return `SELECT count() AS a_rows FROM ${merged.database}.measurements WHERE ${minutesRows(merged)}`;
}

function minutesRows({ shardKey, number }: MergedRows): string {
  return `${ofShardKey(shardKey)} AND kind = 'point' AND sequence = toUInt64(${unsigned64Literal(number)})`;
}
