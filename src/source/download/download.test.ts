import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findRemoteFiles } from "./find-remote-files.ts";

const FILE = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));

let servers: Server[] = [];
let requests: { readonly path: string; readonly headers: IncomingMessage["headers"] }[] = [];
let warnings: string[] = [];
let waits: number[] = [];
let nowMs = 0;

beforeEach(() => {
  [servers, requests, warnings, waits, nowMs] = [[], [], [], [], 0];
});

afterEach(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? "", headers: request.headers });
    handler(request, response, requests.length);
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function download(address: string): Promise<Buffer> {
  const [file] = await findRemoteFiles(address, {
    environment: {},
    home: "/nowhere",
    interrupted: new AbortController().signal,
    now: () => nowMs,
    clockMs: () => nowMs,
    wait: async (ms) => {
      waits.push(ms);
      nowMs += ms;
    },
    warn: (message) => void warnings.push(message),
  });
  const opened = await file?.open();
  if (opened === undefined) throw new Error("no file");
  return buffer(opened.chunks);
}

/** Sends the requested range of `FILE`, at most `bytesMax` of it, then breaks the connection. */
function sendRange(request: IncomingMessage, response: ServerResponse, bytesMax: number): void {
  const [, from = "0"] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  const rest = FILE.subarray(Number(from));
  const isRange = request.headers.range !== undefined;
  response.writeHead(isRange ? 206 : 200, {
    "Content-Length": rest.length,
    ETag: '"a"',
    ...(isRange ? { "Content-Range": `bytes ${from}-${FILE.length - 1}/${FILE.length}` } : {}),
  });
  if (rest.length <= bytesMax) response.end(rest);
  else response.write(rest.subarray(0, bytesMax), () => response.destroy());
}

test("a download that breaks at 50 places is resumed at each of them", async () => {
  const url = await serve((request, response) => sendRange(request, response, 1961));
  expect(FILE.equals(await download(`${url}/run.jtl?signature=secret`))).toBe(true);
  expect(requests).toHaveLength(51);
  expect(requests.slice(0, 3).map(({ headers }) => [headers.range, headers["if-match"]])).toEqual([
    [undefined, undefined],
    ["bytes=1961-", '"a"'],
    ["bytes=3922-", '"a"'],
  ]);
  expect(requests.at(-1)?.path).toBe("/run.jtl?signature=secret");
  expect(warnings).toHaveLength(50);
  expect(warnings[0]).toMatch(/^http:\/\/127.0.0.1:\d+\/run.jtl: .+; resuming at byte 1961$/);
});

test("a server without ranges sends the file again, and the received part is skipped", async () => {
  const url = await serve((_, response, count) => {
    response.writeHead(200, { "Content-Length": FILE.length, "Last-Modified": "today" });
    if (count === 3) response.end(FILE);
    else response.write(FILE.subarray(0, 70_000 - 20_000 * count), () => response.destroy());
  });
  expect(FILE.equals(await download(url))).toBe(true);
  expect(requests).toHaveLength(3);
});

test.each<readonly [name: string, second: Handler]>([
  [
    "another entity tag",
    (_, response) =>
      response.writeHead(200, { ETag: '"b"', "Content-Length": FILE.length }).end(FILE),
  ],
  [
    "another size",
    (_, response) =>
      response.writeHead(206, { ETag: '"a"', "Content-Range": "bytes 10-99/100" }).end(FILE),
  ],
  [
    "another start",
    (_, response) =>
      response
        .writeHead(206, { ETag: '"a"', "Content-Range": `bytes 11-99999/${FILE.length}` })
        .end(FILE),
  ],
  ["412", (_, response) => response.writeHead(412).end()],
  ["416", (_, response) => response.writeHead(416).end()],
])("%s after an interruption means that the file changed", async (_, second) => {
  const url = await serve((request, response, count) => {
    if (count === 1) sendRange(request, response, 10);
    else second(request, response, count);
  });
  await expect(download(url)).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringMatching(/changed during the download: import it again$/),
  });
});

test("temporary errors are retried, ever more slowly", async () => {
  const statuses = [500, 503, 429, 408];
  const url = await serve((request, response, count) => {
    const status = statuses[count - 1];
    if (status === undefined) sendRange(request, response, Infinity);
    else response.writeHead(status).end();
  });
  expect(FILE.equals(await download(url))).toBe(true);
  expect(waits).toEqual([500, 1000, 2000, 4000]);
});

test("two minutes without a byte end it", async () => {
  const url = await serve((_, response) => response.writeHead(503).end());
  await expect(download(`${url}/run.jtl`)).rejects.toMatchObject({
    code: "server-unreachable",
    message: `cannot read "${url}/run.jtl": the server responded 503`,
  });
  expect(nowMs).toBeGreaterThan(120_000);
});

test("a missing file is an error at once", async () => {
  const url = await serve((_, response) => response.writeHead(404).end("gone"));
  await expect(download(`${url}/run.jtl?key=secret`)).rejects.toMatchObject({
    code: "unreadable-source",
    message: `cannot read "${url}/run.jtl": the server responded 404`,
  });
  expect(requests).toHaveLength(1);
});

test("a redirect is followed, but credentials stay with the first host", async () => {
  const storage = await serve((request, response) => sendRange(request, response, Infinity));
  const url = await serve((_, response) =>
    response.writeHead(302, { Location: `${storage}/b` }).end(),
  );
  const withPassword = url.replace("//", "//user:password@");
  expect(FILE.equals(await download(withPassword))).toBe(true);
  expect(requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ["/", `Basic ${Buffer.from("user:password").toString("base64")}`],
    ["/b", undefined],
  ]);
});

test("endless and other redirects are errors", async () => {
  const url = await serve((request, response) => {
    response.writeHead(302, { Location: request.url === "/ftp" ? "ftp://a/b" : "/" }).end();
  });
  await expect(download(url)).rejects.toThrow("too many redirects");
  expect(requests).toHaveLength(6);
  await expect(download(`${url}/ftp`)).rejects.toThrow("a redirect to ftp://a");
});

test("a Content-Encoding is left to the reader of the file", async () => {
  const url = await serve((_, response) => {
    response.writeHead(200, { "Content-Encoding": "gzip" }).end("not gzip");
  });
  expect(String(await download(url))).toBe("not gzip");
  expect(requests[0]?.headers["accept-encoding"]).toBe("identity");
});
