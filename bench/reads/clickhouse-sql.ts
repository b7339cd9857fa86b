/** Statements that ClickHouse 18.16 and 26 both understand. */

import { itemOf, rowOf } from "./csv-shape.ts";
import { COLUMNS } from "./rows-file.ts";

/** Made once: what the rows of a file are inserted into, as text between tabs. */
export const CREATE_BASE = `CREATE TABLE base (
  endpoint UInt32, second UInt32, requests UInt64, elapsed UInt64, bytes UInt64,
  failed UInt64, failed_elapsed UInt64, failed_bytes UInt64, label String
) ENGINE = Memory`;

/** What is asked; a load test, endpoint and second next to the ones that follow. */
export const CREATE_POINTS = `CREATE TABLE points (
  load_test UInt32, endpoint UInt32, second UInt32, requests UInt64, elapsed UInt64, bytes UInt64,
  failed UInt64, failed_elapsed UInt64, failed_bytes UInt64, label String
) ENGINE = MergeTree ORDER BY (load_test, endpoint, second)`;

/** Fills it with copies of the base, as one part. */
export function fillPoints(copies: number): readonly string[] {
  const inserts = Array.from(
    { length: copies },
    (_, loadTest) =>
      `INSERT INTO points SELECT toUInt32(${loadTest}), ${COLUMNS.join(", ")}, label FROM base`,
  );
  return [...inserts, "OPTIMIZE TABLE points FINAL", "DROP TABLE base"];
}

/** All of a load test, a line for each endpoint, in the shape of csv. */
export function csvQuestion(loadTest: number): string {
  const row = rowOf((cell) => `toString(${cell})`);
  const sorted = "arrayMap(pair -> pair.2, arraySort(groupArray((second, cells))))";
  return `SELECT ${itemOf("any(label)", `arrayStringConcat(${sorted}, ',')`)}
    FROM (SELECT endpoint, label, second, ${row} AS cells FROM points WHERE load_test = ${loadTest})
    GROUP BY endpoint ORDER BY endpoint`;
}
