/**
 * What happens when clients are slow, stop reading or disconnect, and when the server has to close
 * connections.
 */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { UserError } from "../../src/model/errors.ts";
import { closeOf, exchange, open, parseAnswers } from "../support/raw-http.ts";
import { CHUNK_BYTES, streamsOfTests } from "../support/streamed-answers.ts";

const streams = streamsOfTests();
const { listen, ask, requestText, eventsLogged } = streams;

test("a connection without any request, as browsers open them, does not delay the shutdown", async () => {
  await listen({ chunks: 0 }, { headersTimeoutMs: 60_000, drainMs: 60_000 });
  const silent = await open(streams.world.port);
  const startedAtMs = performance.now();
  await Promise.all([streams.world.server.close(), once(silent, "close")]);
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});

test("a request that arrived while the process was suspended gets a response, however long that was", async () => {
  await listen({ chunks: 1 }, { stallMs: 50 });
  const accepted = once(streams.world.server.node, "connection");
  const socket = await open(streams.world.port);
  await accepted;
  const closed = closeOf(socket);
  socket.write(requestText());
  standStill(200);
  const received: Buffer[] = [];
  socket.on("data", (bytes: Buffer) => received.push(bytes));
  await closed;
  expect(parseAnswers(Buffer.concat(received))).toMatchObject([{ status: 200, isComplete: true }]);
});

test("a reader that stops reading is disconnected and its work ends", async () => {
  const source = await listen({ chunks: 100_000 }, { stallMs: 500 });
  const socket = await ask();
  const closed = closeOf(socket);
  socket.pause();
  while (!source.ended) await setImmediate();
  socket.resume();
  await closed;
  expect(source).toMatchObject({ ended: true, released: 1 });
  expect(source.given).toBeLessThan(1000);
  expect(eventsLogged()).toContain("response_stalled");
});

test("a response that waits behind one that is not read ends with it", async () => {
  const source = await listen({ chunks: 100_000 }, { stallMs: 500 });
  const socket = await open(streams.world.port);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(requestText().replace("Connection: close\r\n", "").repeat(2));
  while (eventsLogged().filter((event) => event === "request").length < 2) await setImmediate();
  expect(source).toMatchObject({ ended: true, released: 2 });
  socket.destroy();
});

test("a large response is the same from the cache, and a reader that stops is disconnected", async () => {
  const source = await listen({ chunks: 200 }, { stallMs: 1000 });
  // A response of this size is cached the second time and served from memory the third time.
  await exchange(streams.world.port, requestText());
  source.given = 0;
  const second = await exchange(streams.world.port, requestText());
  const third = await exchange(streams.world.port, requestText());
  const [one, other] = [...parseAnswers(second), ...parseAnswers(third)];
  expect(one?.body.length).toBe(200 * CHUNK_BYTES);
  expect(other?.isComplete).toBe(true);
  expect(other?.body.equals(one?.body ?? Buffer.of())).toBe(true);
  const socket = await ask();
  const closed = closeOf(socket);
  socket.pause();
  while (!eventsLogged().includes("response_stalled")) await setImmediate();
  socket.resume();
  await closed;
  expect(source.given).toBe(200);
});

test("a large response that is not read takes no memory", async () => {
  const source = await listen({ chunks: 16_000 }, { stallMs: 60_000 });
  globalThis.gc?.();
  const beforeBytes = process.memoryUsage().rss;
  const sockets = await Promise.all(Array.from({ length: 20 }, () => ask()));
  for (const socket of sockets) socket.pause();
  for (let turn = 0; turn < 500; turn++) await setImmediate();
  const grownBytes = process.memoryUsage().rss - beforeBytes;
  for (const socket of sockets) socket.destroy();
  // The kernel's buffers for twenty responses are not ours, and not 1 GB.
  expect(source.given).toBeLessThan(20 * 200);
  expect(grownBytes).toBeLessThan(64 * 1024 * 1024);
});

test("of many slow readers only some get compressed responses, unless they accept nothing else", async () => {
  await listen({ chunks: 1_000_000 }, { compressionsMax: 2 });
  const codings: string[] = [];
  const requests = ["gzip", "br", "zstd", "gzip", "gzip, identity;q=0"];
  const sockets: Socket[] = [];
  for (const request of requests) {
    const socket = await ask(`Accept-Encoding: ${request}`);
    const [bytes] = (await once(socket, "data")) as [Buffer];
    socket.pause();
    sockets.push(socket);
    codings.push(/content-encoding: (\w+)/i.exec(bytes.toString("latin1"))?.[1] ?? "none");
  }
  for (const socket of sockets) socket.destroy();
  expect(codings).toEqual(["gzip", "br", "none", "none", "gzip"]);
});

test("over the limit of large responses another one is rejected, and a small one is not", async () => {
  await listen({ chunks: 1_000_000 }, { largeResponsesMax: 2 });
  const readers = [await ask(), await ask()];
  for (const reader of readers) {
    await once(reader, "data");
    reader.pause();
  }
  const [refused] = parseAnswers(await exchange(streams.world.port, requestText()));
  expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([503, "5"]);
  expect(refused?.body.toString()).toContain("largeResponsesMax");
  const small = requestText().replace(/GET \S+/, "GET /Api/LoadTests");
  expect(parseAnswers(await exchange(streams.world.port, small))[0]?.status).toBe(200);
  readers[0]?.destroy();
  // The server notices the end a moment later.
  let status = 503;
  while (status === 503) {
    const next = await ask();
    const [bytes] = (await once(next, "data")) as [Buffer];
    status = Number(bytes.toString("latin1").slice(9, 12));
    next.destroy();
  }
  expect(status).toBe(200);
  for (const reader of readers) reader.destroy();
});

test("work stops when its client disconnects, without an error in the log", async () => {
  const source = await listen({ chunks: 1_000_000 });
  const socket = await ask();
  await once(socket, "data");
  socket.destroy();
  while (!source.ended || eventsLogged().length === 0) await setImmediate();
  expect(source.released).toBe(1);
  expect(streams.world.logged).toMatchObject([{ level: "info", isComplete: false }]);
});

test("a response ends at once if its client has already disconnected", async () => {
  const toldToGoOn = Promise.withResolvers<void>();
  const source = await listen({ chunks: 0, before: toldToGoOn.promise }, { stallMs: 60_000 });
  const socket = await ask();
  while (!source.begun) await setImmediate();
  socket.destroy();
  while (!eventsLogged().includes("request")) await setImmediate();
  toldToGoOn.resolve();
  while (source.released === 0) await setImmediate();
  expect(eventsLogged()).toEqual(["request"]);
});

test.each(["identity", "gzip", "br", "zstd"])(
  "an error after the first byte visibly truncates a %s response",
  async (coding) => {
    const source = await listen({ chunks: 60, fault: new Error("disk on fire") });
    const received = await exchange(streams.world.port, requestText(`Accept-Encoding: ${coding}`));
    const [answer] = parseAnswers(received);
    expect(answer).toMatchObject({ status: 200, isComplete: false });
    expect(eventsLogged()).toContain("response_aborted");
    expect(source).toMatchObject({ released: 1, ended: true });
    expect(received.toString()).not.toContain("disk on fire");
  },
);

test.each([
  [new Error("/secret/path is gone"), 500, "internal-error"],
  [new UserError("damaged-store", "/secret/path: block 7"), 500, "damaged-store"],
  [new UserError("storage-full", "/secret/path"), 503, "storage-full"],
  [new UserError("sum-too-large", "1 + 2"), 422, "sum-too-large"],
])("an error before the first byte, %s, returns %s", async (fault, status, code) => {
  const source = await listen({ chunks: 0, fault });
  const [answer] = parseAnswers(await exchange(streams.world.port, requestText()));
  const problem = JSON.parse(answer?.body.toString() ?? "");
  expect([answer?.status, problem.type]).toEqual([status, `urn:tachograph:error:${code}`]);
  expect(answer?.body.toString()).not.toMatch(/secret|\.ts|at /);
  expect(answer?.headers.get("retry-after")).toBe(status === 503 ? "5" : undefined);
  expect(eventsLogged().includes("server_fault")).toBe(status >= 500);
  expect(source.released).toBe(1);
});

test.each([
  ["nothing", ""],
  ["half a request line", "GET /hea"],
  ["half a header", "GET /health/live HTTP/1.1\r\nHost: loc"],
])("a client that sends %s and then nothing gets an error and is disconnected", async (_, text) => {
  await listen({ chunks: 0 }, { headersTimeoutMs: 30, timeoutCheckMs: 10 });
  const [answer] = parseAnswers(await exchange(streams.world.port, text));
  expect([answer?.status, answer?.headers.get("connection")]).toEqual([408, "close"]);
});

test("a client that sends requests but reads nothing is disconnected", async () => {
  await listen({ chunks: 0 }, { stallMs: 500 });
  const accepted = once(streams.world.server.node, "connection");
  const socket = await open(streams.world.port);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000));
  const { node: server } = streams.world.server;
  const connections = () => promisify(server.getConnections.bind(server))();
  await accepted;
  while ((await connections()) > 0) await setImmediate();
  expect(await connections()).toBe(0);
  socket.destroy();
});

test("a client that keeps its side open after a rejection is disconnected", async () => {
  await listen({ chunks: 0 }, { lingerMs: 20 });
  const socket = connect({ port: streams.world.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.write("no request\r\n\r\n");
  const [bytes] = (await once(socket, "data")) as [Buffer];
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 400 /);
  const { node: server } = streams.world.server;
  while ((await promisify(server.getConnections.bind(server))()) > 0) await setImmediate();
  socket.destroy();
});

test("shutdown completes requests in flight, closes idle connections and accepts no new ones", async () => {
  const source = await listen({ chunks: 200 }, { keepAliveMs: 60_000, drainMs: 60_000 });
  const idle = await open(streams.world.port);
  idle.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(idle, "data");
  const busy = await open(streams.world.port);
  busy.write(requestText().replace("Connection: close\r\n", ""));
  const received: Buffer[] = [];
  busy.on("data", (bytes: Buffer) => received.push(bytes));
  await once(busy, "data");
  const closed = Promise.all([once(idle, "close"), once(busy, "close")]);
  await streams.world.server.close();
  await closed;
  expect(parseAnswers(Buffer.concat(received))[0]?.isComplete).toBe(true);
  expect(source.given).toBe(200);
  await expect(open(streams.world.port)).rejects.toThrow("ECONNREFUSED");
});

test("shutdown waits for an endless request only up to its time limit", async () => {
  await listen({ chunks: 0 }, { drainMs: 50 });
  const halfSent = await open(streams.world.port);
  halfSent.on("error", () => undefined);
  halfSent.write("GET /health/live HTTP/1.1\r\n");
  await setImmediate();
  const startedAtMs = performance.now();
  // With or without a reset: Node 26 sends it, Node 24 does not.
  const closed = closeOf(halfSent);
  await Promise.all([streams.world.server.close(), closed]);
  expect(performance.now() - startedAtMs).toBeLessThan(2000);
});

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
