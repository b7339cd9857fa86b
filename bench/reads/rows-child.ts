/**
 * What people write first: rows in SQLite, `JSON.stringify`, node:http. A process of its own;
 * `node rows-child.ts FILE` tells its port.
 */

import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { DENSE, labelsOf } from "./dense.ts";
import { plainAnswer, type Row } from "./plain-answers.ts";

const database = new DatabaseSync(process.argv[2] ?? "", { readOnly: true });
const select = database.prepare(
  `SELECT endpoint, second, requests, elapsed, bytes, failed, failed_elapsed, failed_bytes
   FROM points WHERE load_test = ? ORDER BY endpoint, second`,
);
// The fastest form of the driver: no object for each row.
select.setReturnArrays(true);
const labels = labelsOf(DENSE);

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
  const rows = select.all(Number(searchParams.get("loadTest"))) as unknown as Row[];
  const answer = plainAnswer(rows, { labels, format: searchParams.get("format") ?? "" });
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.end(answer);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  console.log(typeof address === "object" ? address?.port : address);
});
