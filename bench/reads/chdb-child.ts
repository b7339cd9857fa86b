/** ClickHouse in process behind node:http: `node chdb-child.ts MODULE FOLDER ROWS COPIES` tells its port. */

import { createServer } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { CREATE_BASE, CREATE_POINTS, csvQuestion, fillPoints } from "./clickhouse-sql.ts";

/** What is used of `chdb`. */
export interface Chdb {
  readonly Session: new (folder: string) => {
    queryAsync(sql: string, options?: { format: string }): Promise<{ bytes(): Uint8Array }>;
  };
}

const [folder = "", data = "", rows = "", copies = ""] = process.argv.slice(2);
const { Session } = (await import(pathToFileURL(path.join(folder, "index.mjs")).href)) as Chdb;
const session = new Session(data);
const statements = [
  "CREATE DATABASE bench",
  "USE bench",
  CREATE_BASE,
  `INSERT INTO base FROM INFILE '${rows}' FORMAT TabSeparated`,
  CREATE_POINTS,
  ...fillPoints(Number(copies)),
];
for (const statement of statements) await session.queryAsync(statement);

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
  const sql = csvQuestion(Number(searchParams.get("loadTest")));
  void session
    .queryAsync(sql, { format: "TabSeparatedRaw" })
    .then((result) => response.end(result.bytes()));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
process.once("SIGTERM", () => process.exit());
