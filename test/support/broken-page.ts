import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const PAGE_BYTES = 4096;

/** Grows the file of a closed store to 20 MB, and overwrites two pages that are not read when it is opened. */
export function breakLargeFile(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`WITH RECURSIVE numbers (n) AS (VALUES (1000) UNION ALL SELECT n + 1 FROM numbers WHERE n < 6000)
    INSERT INTO segments SELECT n, zeroblob(4000), NULL FROM numbers`);
  database.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, PAGE_BYTES * 4000, PAGE_BYTES * 4002);
  writeFileSync(file, bytes);
}
