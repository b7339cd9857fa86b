/** How bodies end: complete, early or too late, and what happens to the connection. */

import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, expect, test } from "vitest";
import { exchange, open, parseAnswers } from "../support/raw-http.ts";
import { type Readings, createBodyRoutes } from "./body-routes.ts";
import { HOST, MALFORMED, type Row, lines, listenRaw, testRows } from "./raw-world.ts";

const readings: Readings = [];
const world = await listenRaw({
  furtherRoutes: createBodyRoutes(readings),
  settings: { bodyStallMs: 100 },
});
afterAll(() => world.server.close());
beforeEach(() => void (readings.length = 0));
const { port } = world;
const KEY = `X-Service-Auth: ${await world.makeKey("write")}`;
const CHUNKED = "Transfer-Encoding: chunked";

/** A POST with a correct Content-Length. */
function post(path: string, body: string, ...headers: readonly string[]): string {
  return (
    lines(`POST ${path} HTTP/1.1`, HOST, KEY, `Content-Length: ${body.length}`, ...headers) + body
  );
}

function members(body: string): string {
  return post("/members", body, "Content-Type: application/json");
}

const INCOMPLETE = { status: 400, code: "body-incomplete" };

/** Each body lacks its end or has invalid bytes instead. */
const broken: Row[] = [
  ["a chunk's length that is none", chunkedLines("3\r\nabc\r\nx\r\n"), MALFORMED],
  ["a chunk longer than told", chunkedLines("3\r\nabcd\r\n0\r\n\r\n"), MALFORMED],
  ["a negative chunk", chunkedLines("-1\r\n"), MALFORMED],
  ["a chunk's length of 17 digits", chunkedLines("11111111111111111\r\n"), MALFORMED],
  [
    "a length that never comes",
    post("/decoded", "abc").replace("Length: 3", "Length: 9"),
    { status: 408, code: "request-timeout", headers: { connection: "close" } },
  ],
  [
    "a chunk that never comes",
    chunkedLines("3\r\nabc\r\n"),
    { status: 408, code: "request-timeout" },
  ],
];

testRows(world, broken);

test.each([
  ["its announced length", post("/decoded", "abc").replace("Length: 3", "Length: 9")],
  ["its last chunk", chunkedLines("3\r\nabc\r\n")],
  ["its last chunk's end", chunkedLines("3\r\nabc\r\n0\r\n")],
])("a body closed before %s is not complete", async (_, request) => {
  const socket = await open(port);
  const received: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => received.push(bytes));
  socket.end(request);
  await once(socket, "close");
  const [answer, ...more] = parseAnswers(Buffer.concat(received));
  expect(more).toEqual([]);
  expect(answer?.status).toBe(INCOMPLETE.status);
  expect(answer?.body.toString()).toContain(INCOMPLETE.code);
  expect(readings).toEqual([{ bytes: 3, error: INCOMPLETE.code }]);
});

test("reading a body ends when its client disconnects", async () => {
  const socket = await open(port);
  socket.on("error", () => undefined);
  socket.write(post("/decoded", "abc").replace("Length: 3", "Length: 9"));
  await setImmediate();
  socket.resetAndDestroy();
  while (readings.length === 0) await setImmediate();
  expect(readings[0]?.error).toBe(INCOMPLETE.code);
  expect(world.logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("a client that sends a complete large body before it reads gets the rejection", async () => {
  const patient = await listenRaw({ settings: { lingerMs: 5000 } });
  const request = lines("POST /Api/LoadTests HTTP/1.1", HOST, "Content-Length: 20000000");
  const socket = await open(patient.port);
  const sent = new Promise<unknown>((resolve) => {
    socket.write(request + "x".repeat(20_000_000), resolve);
  });
  expect(await sent).toBeFalsy();
  const received: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => received.push(bytes));
  await once(socket, "close");
  expect(parseAnswers(Buffer.concat(received)).map(({ status }) => status)).toEqual([401]);
  await patient.server.close();
});

test("a request after a rejected one is ignored", async () => {
  const refused = post("/unread", "abc").replace(KEY, "X-None: 1");
  const request = refused.replace("Connection: close\r\n", "") + post("/decoded", "abc");
  expect(parseAnswers(await exchange(port, request)).map(({ status }) => status)).toEqual([401]);
  expect(readings).toEqual([]);
});

test("100 Continue is sent when the body is wanted, followed by one response", async () => {
  const socket = await open(port);
  socket.write(
    lines("POST /decoded HTTP/1.1", HOST, KEY, "Content-Length: 3", "Expect: 100-continue"),
  );
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(first.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  const received: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => received.push(bytes));
  socket.write("abc");
  await once(socket, "close");
  const [answer, ...more] = parseAnswers(Buffer.concat(received));
  expect([answer?.status, more]).toEqual([200, []]);
});

test("a sender waits while its body is not read", async () => {
  const socket = await open(port);
  socket.on("error", () => undefined);
  socket.write(lines("POST /decoded HTTP/1.1", HOST, KEY, "Content-Length: 1000000"));
  for (let piece = 0; piece < 9; piece++) {
    socket.write("x".repeat(100_000));
    await setImmediate();
  }
  socket.end("y".repeat(100_000));
  await once(socket.resume(), "close");
  expect(readings).toEqual([{ bytes: 1_000_000, error: undefined }]);
});

test.each([
  ["a body that was read", post("/decoded", "abc"), [200, 200]],
  ["members that were read", members("{}"), [201, 200]],
  ["members that were wrong", members('{"x":1}'), [400, 200]],
  ["a body that was refused", post("/kept", "abc"), [401]],
  ["a body that was too large", members("x".repeat(100_000)), [413]],
  ["a body that was not read", post("/unread", "abc"), [200]],
  ["length and chunks", post("/decoded", "0\r\n\r\n", CHUNKED), [400]],
  ["two lengths", post("/decoded", "abc", "Content-Length: 3"), [400]],
  ["a length with a sign", post("/decoded", "abc").replace("Length: 3", "Length: +3"), [400]],
  ["chunks twice", post("/decoded", "").replace("Content-Length: 0", `${CHUNKED}, chunked`), [400]],
  [
    "chunks in a coding",
    post("/decoded", "").replace("Content-Length: 0", "Transfer-Encoding: gzip, chunked"),
    [400],
  ],
  ["a broken chunk", chunkedLines("3\r\nabc\r\n0\r\nGET / HTTP/1.1\r\n"), [400]],
])(
  "after %s the connection returns the expected number of responses",
  async (_, request, statuses) => {
    const kept = request.replace("Connection: close\r\n", "");
    const received = parseAnswers(await exchange(port, kept + world.read()));
    expect(received.map(({ status }) => status)).toEqual(statuses);
  },
);

function chunkedLines(body: string): string {
  return lines("POST /decoded HTTP/1.1", HOST, KEY, CHUNKED) + body;
}
