/** Prints what ClickHouse takes for rows: `node clickhouse-bytes-child.ts MODULE FOLDER ROWS`. */

import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Chdb } from "../reads/chdb-child.ts";

const [folder = "", data = "", rows = ""] = process.argv.slice(2);
const { Session } = (await import(pathToFileURL(path.join(folder, "index.mjs")).href)) as Chdb;
const session = new Session(data);
const sums = ["n", "elapsed", "bytes", "failed", "failed_elapsed", "failed_bytes", "min", "max"];
const statements = [
  "CREATE DATABASE bench",
  "USE bench",
  `CREATE TABLE points (
     label String CODEC(ZSTD(1)), second UInt32 CODEC(Delta, ZSTD(1)),
     ${sums.map((name) => `${name} UInt64 CODEC(T64, ZSTD(1))`).join(", ")},
     buckets Array(UInt16) CODEC(ZSTD(1)), counts Array(UInt64) CODEC(ZSTD(1))
   ) ENGINE = MergeTree ORDER BY (label, second)`,
  `INSERT INTO points FROM INFILE '${rows}' FORMAT TabSeparated`,
  "OPTIMIZE TABLE points FINAL",
];
for (const statement of statements) await session.queryAsync(statement);
const size = await session.queryAsync(
  "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'points'",
  { format: "TabSeparated" },
);
process.stdout.write(Buffer.from(size.bytes()));
process.exit();
