/**
 * What Node's own server can do: answers of Tachograph out of memory, with the same heads, one Buffer and one
 * `end` each, and 304 to whoever has a tag. Started with the folder of them; tells its port.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { BareAnswer } from "../scenarios/repeated-read.ts";

const [folder = ""] = process.argv.slice(2);
const read = (file: string): Buffer => readFileSync(path.join(folder, file));
const answers = JSON.parse(read("answers.json").toString()) as readonly BareAnswer[];
const byPath = new Map(
  answers.map((answer) => [answer.path, { ...answer, bytes: read(answer.file) }]),
);

const server = createServer((request, response) => {
  const answer = byPath.get(request.url ?? "");
  if (answer === undefined) {
    response.writeHead(404).end();
  } else if (request.headers["if-none-match"] === answer.tag) {
    response.writeHead(304, answer.knownHead).end();
  } else {
    response.writeHead(200, answer.head).end(answer.bytes);
  }
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
