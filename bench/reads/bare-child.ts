/**
 * What Node's own server can do: `small` and `large` of a folder out of memory, one Buffer and one
 * `end` each, and 304 to whoever has a tag. Started with the folder; tells its port.
 */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

const [folder = ""] = process.argv.slice(2);
const files = new Map(
  ["small", "large"].map((name) => [`/${name}`, readFileSync(path.join(folder, name))]),
);
const TAG = '"tag"';

const server = createServer((request, response) => {
  const bytes = files.get(request.url ?? "");
  if (bytes === undefined) {
    response.writeHead(404).end();
  } else if (request.headers["if-none-match"] === TAG) {
    response.writeHead(304, { ETag: TAG }).end();
  } else {
    response.writeHead(200, { ETag: TAG, "Content-Length": bytes.length }).end(bytes);
  }
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
