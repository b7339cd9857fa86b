/** The dense load test as plain rows, some times over, as SQLite file and as text. */

import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { batchesOf, DENSE, labelsOf } from "./dense.ts";
import type { Row } from "./plain-answers.ts";

/** Load tests that a peer holds; few, as most peers are the slower the more there is. */
export const PEER_LOAD_TESTS = 12;

let known: readonly Row[] | undefined;

/** All rows of the load test, sorted by endpoint and second. */
export function denseRows(): readonly Row[] {
  known ??= makeRows();
  return known;
}

function makeRows(): readonly Row[] {
  const rows: Row[] = [];
  for (const points of batchesOf(DENSE)) {
    for (let point = 0; point < points.second.length; point++) {
      const columns = [
        points.endpoint,
        points.second,
        points.requests,
        points.elapsedMicros,
        points.receivedBytes,
        points.failedRequests,
        points.failedElapsedMicros,
        points.failedReceivedBytes,
      ];
      rows.push(columns.map((column) => column[point] as number));
    }
  }
  return rows.toSorted(
    (left, right) =>
      (left[0] as number) - (right[0] as number) || (left[1] as number) - (right[1] as number),
  );
}

/** The columns of the rows, as every peer calls them. */
export const COLUMNS = [
  "endpoint",
  "second",
  "requests",
  "elapsed",
  "bytes",
  "failed",
  "failed_elapsed",
  "failed_bytes",
];

/** A file of the cache with the rows as text between tabs, the label of the endpoint last. */
export function textFile(folder: string): string {
  const file = path.join(folder, "rows-1.tsv");
  if (existsSync(file)) return file;
  const labels = labelsOf(DENSE);
  const lines = denseRows().map((row) => `${row.join("\t")}\t${labels[row[0] as number]}\n`);
  writeFileSync(`${file}.part`, lines.join(""));
  renameSync(`${file}.part`, file);
  return file;
}

/** A file of the cache with the rows, clustered by load test, endpoint and second. */
export function rowsFile(folder: string): string {
  const file = path.join(folder, `rows-1-${PEER_LOAD_TESTS}.sqlite`);
  if (existsSync(file)) return file;
  const unfinished = `${file}.part`;
  rmSync(unfinished, { force: true });
  const database = new DatabaseSync(unfinished);
  database.exec(`
    PRAGMA synchronous = OFF;
    CREATE TABLE points (
      load_test INTEGER, endpoint INTEGER, second INTEGER, requests INTEGER, elapsed INTEGER,
      bytes INTEGER, failed INTEGER, failed_elapsed INTEGER, failed_bytes INTEGER,
      PRIMARY KEY (load_test, endpoint, second)
    ) STRICT, WITHOUT ROWID;
    BEGIN`);
  const insert = database.prepare("INSERT INTO points VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const row of denseRows()) insert.run(...row);
  for (let loadTest = 1; loadTest < PEER_LOAD_TESTS; loadTest++) {
    database.exec(`INSERT INTO points SELECT ${loadTest}, endpoint, second, requests, elapsed, bytes,
      failed, failed_elapsed, failed_bytes FROM points WHERE load_test = 0`);
  }
  database.exec("COMMIT");
  database.close();
  renameSync(unfinished, file);
  return file;
}
