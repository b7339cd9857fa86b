/**
 * A process that asks DuckDB one question: `node duckdb-child.ts MODULE SQL [rows]`. Prints the seconds from
 * the start of the query to its result in memory, or with `rows` the result itself, a row a line.
 */

import { pathToFileURL } from "node:url";
import path from "node:path";

/** What is used of `@duckdb/node-api`. */
interface DuckDb {
  readonly DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
}

interface Connection {
  run(sql: string): Promise<Result>;
}

interface Result {
  /** One column after the other, of all rows. */
  getColumnsJson(): Promise<readonly (readonly unknown[])[]>;
}

const [folder = "", sql = "", request] = process.argv.slice(2);
const entry = pathToFileURL(path.join(folder, "lib/index.js")).href;
const { DuckDBInstance } = (await import(entry)) as DuckDb;
const connection = await (await DuckDBInstance.create()).connect();
const begin = performance.now();
const result = await connection.run(sql);
const seconds = (performance.now() - begin) / 1000;
if (request === "rows") {
  const columns = await result.getColumnsJson();
  const lines = (columns[0] ?? []).map((_, row) => columns.map((column) => String(column[row])));
  process.stdout.write(lines.map((line) => `${line.join("\t")}\n`).join(""));
} else {
  console.log(JSON.stringify({ seconds }));
}
