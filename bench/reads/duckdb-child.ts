/** DuckDB behind node:http, a process of its own: `node duckdb-child.ts MODULE ROWS COPIES` tells its port. */

import { createServer } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { itemOf, rowOf } from "./csv-shape.ts";
import { COLUMNS } from "./rows-file.ts";

/** What is used of `@duckdb/node-api`. */
interface DuckDb {
  readonly DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
}

interface Connection {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getColumnsJS(): readonly (readonly string[])[] }>;
}

const [folder = "", rows = "", copies = ""] = process.argv.slice(2);
const entry = pathToFileURL(path.join(folder, "lib/index.js")).href;
const { DuckDBInstance } = (await import(entry)) as DuckDb;
const connection = await (await DuckDBInstance.create()).connect();
const names = [...COLUMNS, "label"].map((name) => `'${name}'`).join(", ");
await connection.run(
  `CREATE TABLE points AS SELECT load_test, rows.*
   FROM range(${copies}) AS copies(load_test), read_csv('${rows}', names = [${names}]) AS rows
   ORDER BY load_test, endpoint, second`,
);
const row = rowOf((cell) => cell);

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
  const loadTest = Number(searchParams.get("loadTest"));
  const sql = `SELECT ${itemOf("label", "string_agg(cells, ',' ORDER BY second)")}
    FROM (SELECT endpoint, label, second, ${row} AS cells FROM points WHERE load_test = ${loadTest})
    GROUP BY endpoint, label ORDER BY endpoint`;
  void connection
    .runAndReadAll(sql)
    .then((result) => response.end((result.getColumnsJS()[0] ?? []).join("\n")));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
