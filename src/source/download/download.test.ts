import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
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

async function find(address: string) {
  return findRemoteFiles(address, {
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
}

async function download(address: string): Promise<Buffer> {
  const [file] = await find(address);
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
  expect(warnings[0]).toMatch(/^http:\/\/127.0.0.1:\d+\/run.jtl: .+ at byte 1961; resuming$/);
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

test("a server may state the size late, or omit it later", async () => {
  const url = await serve((_, response, count) => {
    response.writeHead(200, count === 2 ? { "Content-Length": FILE.length } : {});
    if (count === 3) response.end(FILE);
    else response.write(FILE.subarray(0, 10_000 * count), () => response.destroy());
  });
  expect(FILE.equals(await download(url))).toBe(true);
});

test("without a strong ETag, different bytes in the received part mean that the file changed", async () => {
  const changed = Buffer.from(FILE).fill(7, 999, 1000);
  const url = await serve((_, response, count) => {
    response.writeHead(200, { "Content-Length": FILE.length, ETag: 'W/"a"' });
    if (count === 2) response.end(changed);
    else response.write(FILE.subarray(0, 50_000), () => response.destroy());
  });
  await expect(download(url)).rejects.toThrow(/changed during the download: import it again$/);
  expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
});

test("without a size, a file that has become shorter means that the file changed", async () => {
  const url = await serve((_, response, count) => {
    const bytes = count === 1 ? 50_000 : 10;
    response.write(FILE.subarray(0, bytes), () => {
      if (count === 1) response.destroy();
      else response.end();
    });
  });
  await expect(download(`${url}/run.jtl`)).rejects.toThrow("the file changed during the download");
});

test.each([
  [`bytes 11-99999/${FILE.length}`, "got byte 11, expected byte 10"],
  ["bytes 10/100", 'got Content-Range "bytes 10/100", expected "bytes FROM-TO/SIZE"'],
])("Content-Range %s is an error", async (range, message) => {
  const url = await serve((request, response, count) => {
    if (count === 1) sendRange(request, response, 10);
    else response.writeHead(206, { ETag: '"a"', "Content-Range": range }).end(FILE);
  });
  await expect(download(`${url}/run.jtl`)).rejects.toMatchObject({
    code: "unreadable-source",
    message: `cannot read "${url}/run.jtl": ${message}`,
  });
});

test("gives up on a server that always breaks off at the same byte", async () => {
  const url = await serve((request, response, count) => {
    sendRange(request, response, count === 1 ? 10 : 0);
  });
  await expect(download(`${url}/run.jtl`)).rejects.toMatchObject({ code: "server-unreachable" });
  expect(waits.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  expect(requests.length).toBeLessThan(20);
});

test("the time limit excludes the time that the reader takes", async () => {
  const url = await serve((request, response, count) => {
    if (count === 2) response.destroy();
    else sendRange(request, response, 50_000);
  });
  const [file] = await find(url);
  const opened = await file?.open();
  const received: Uint8Array[] = [];
  for await (const chunk of opened?.chunks ?? []) {
    received.push(chunk);
    nowMs += 130_000;
  }
  expect(FILE.equals(Buffer.concat(received))).toBe(true);
});

test.each<readonly [name: string, answer: (response: ServerResponse, count: number) => void]>([
  ["a byte now and then", (response) => drip(response, Infinity)],
  ["a byte of each connection", (response) => drip(response, 1)],
  ["what was received, once more", (response, count) => drip(response, count === 1 ? 1 : Infinity)],
])("a server that sends %s is given up after two minutes", async (_, answer) => {
  const url = await serve((__, response, count) => answer(response, count));
  await expect(download(`${url}/run.jtl`)).rejects.toMatchObject({
    code: "server-unreachable",
    message: expect.stringContaining(`cannot read "${url}/run.jtl": `),
  });
  expect(nowMs).toBeGreaterThan(120_000);
  expect(nowMs).toBeLessThan(300_000);
});

test("a slow server may take as long as it needs", async () => {
  const file = Buffer.alloc(1_000_000, 7);
  const url = await serve((_, response) => {
    response.writeHead(200, { "Content-Length": file.length });
    drip(response, file.length, 10_000, 10_000);
  });
  expect(file.equals(await download(url))).toBe(true);
  // 1 kB a second.
  expect(nowMs).toBe(1_000_000);
});

/** Sends bytes, one each 20 s of the clock, and breaks the connection. */
function drip(response: ServerResponse, most: number, bytes = 1, everyMs = 20_000): void {
  let left = most;
  const timer = setInterval(() => {
    nowMs += everyMs;
    left -= bytes;
    const isLast = left <= 0;
    if (isLast) clearInterval(timer);
    response.write(Buffer.alloc(bytes, 7), () => isLast && response.destroy());
  }, 2);
  response.on("close", () => clearInterval(timer));
}

test("an unknown host is an immediate error", async () => {
  await expect(download("http://no-such-host.invalid/run.jtl")).rejects.toMatchObject({
    code: "unreadable-source",
    message: expect.stringContaining(
      'cannot read "http://no-such-host.invalid/run.jtl": getaddrinfo',
    ),
  });
  expect(waits).toEqual([]);
});

test("a server that refuses connections is retried", async () => {
  const gone = await serve(() => undefined);
  servers[0]?.close();
  await expect(download(gone)).rejects.toMatchObject({ code: "server-unreachable" });
  expect(warnings).toHaveLength(1);
});

test("a body without a length causes a warning", async () => {
  const server = createTcpServer((socket) => {
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\na file"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/run.jtl`;
  expect(String(await download(url))).toBe("a file");
  expect(warnings).toEqual([`${url}: the server does not say where the file ends`]);
  server.close();
});

test("an unreadable address is shown without its secrets", async () => {
  await expect(download("https://user:pass@:80x/a?sig=secret")).rejects.toMatchObject({
    message: 'cannot read "https://:80x/a": it is not a URL',
  });
});

test("temporary errors are retried with growing delays", async () => {
  const statuses = [500, 503, 429, 408];
  const url = await serve((request, response, count) => {
    const status = statuses[count - 1];
    if (status === undefined) sendRange(request, response, Infinity);
    else response.writeHead(status).end();
  });
  expect(FILE.equals(await download(url))).toBe(true);
  expect(waits).toEqual([500, 1000, 2000, 4000]);
});

test("two minutes without a byte end the download", async () => {
  const url = await serve((_, response) => response.writeHead(503).end());
  await expect(download(`${url}/run.jtl`)).rejects.toMatchObject({
    code: "server-unreachable",
    message: `cannot read "${url}/run.jtl": the server responded 503`,
  });
  expect(nowMs).toBeGreaterThan(120_000);
});

test("a missing file is an immediate error", async () => {
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

test("endless and unsupported redirects are errors", async () => {
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
