/** What happens at the door of gRPC when clients are slow, hostile or many, and when the server closes. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ClientHttp2Session, ClientSessionOptions } from "node:http2";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import tls from "node:tls";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import type { HttpDependencies } from "../../src/http/server.ts";
import type { HttpSettings } from "../../src/http/settings.ts";
import { answerTo, beginCall, call, connectGrpc, framed, TRACES } from "../support/grpc-client.ts";
import { closeOf, open } from "../support/raw-http.ts";
import { createTestServer, type TestServer } from "../support/test-server.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

let world: TestServer;
let address: string;
let port: number;
let metadata: Readonly<Record<string, string>>;
const sessions: ClientHttp2Session[] = [];

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  await world.server.close();
});

async function listen(
  settings: Partial<HttpSettings> = {},
  dependencies: Partial<HttpDependencies> = {},
): Promise<void> {
  world = await createTestServer({ settings: { otlpGrpcPort: 0, ...settings }, dependencies });
  address = (await world.server.grpc?.listen()) ?? "";
  port = Number(address.split(":").at(-1));
  metadata = { "x-service-auth": await world.makeKey("write"), "x-load-test": "run-1" };
}

async function openSession(options: ClientSessionOptions = {}): Promise<ClientHttp2Session> {
  const session = await connectGrpc(address, options);
  sessions.push(session);
  return session;
}

/** A dependency that answers when it is told to. */
function heldWrites() {
  const waiting: (() => void)[] = [];
  let most = 0;
  const writeOtlp = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    most = Math.max(most, waiting.length);
    await promise;
    return { rejected: 0, remarks: [] };
  };
  return {
    dependencies: { writeOtlp },
    waiting,
    most: () => most,
    async until(count: number): Promise<void> {
      while (waiting.length < count) await delay(5);
    },
  };
}

async function elapsedMs(work: Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work;
  return performance.now() - startedAtMs;
}

test("a body that stalls is refused, and the connection goes on", async () => {
  await listen({ bodyStallMs: 100 });
  const session = await openSession();
  const stream = beginCall(session, TRACES, metadata);
  stream.write(framed(Buffer.alloc(100)).subarray(0, 50));
  expect(await answerTo(stream)).toMatchObject({
    code: 4,
    message: expect.stringContaining("bodyStallMs"),
  });
  expect(await call(session, TRACES, framed(Buffer.of()), metadata)).toMatchObject({ code: 0 });
});

test("a call whose key is revoked while its body is sent is refused within seconds", async () => {
  await listen();
  const session = await openSession();
  const key = await world.ring.create({ name: "short", scopes: ["write"], expiresAtMs: undefined });
  const stream = beginCall(session, TRACES, { ...metadata, "x-service-auth": key });
  stream.write(framed(Buffer.alloc(100)).subarray(0, 50));
  await delay(200);
  await world.ring.revoke("short");
  expect(await answerTo(stream)).toMatchObject({ code: 16 });
  expect(await call(session, TRACES, framed(Buffer.of()), metadata)).toMatchObject({ code: 0 });
});

test("an endless body is refused at its length, and not read", async () => {
  await listen();
  const session = await openSession();
  const stream = beginCall(session, TRACES, metadata);
  const answer = answerTo(stream);
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(1);
  stream.write(prefix);
  let sent = 0;
  const more = (): void => {
    while (!stream.closed && sent < 100e6 && stream.write(Buffer.alloc(16_384))) sent += 16_384;
    if (!stream.closed && sent < 100e6) stream.once("drain", more);
  };
  more();
  expect(await answer).toMatchObject({ code: 3, message: expect.stringContaining("one message") });
  expect(sent).toBeLessThan(1e6);
  session.destroy();
  expect(await elapsedMs(world.server.close())).toBeLessThan(5000);
});

test.each<[string, string | Buffer]>([
  ["nothing", ""],
  ["half of a preface", PREFACE.slice(0, 10)],
  ["a preface alone", PREFACE],
  // SETTINGS of 6 bytes, of which 3 come.
  ["half of a frame", `${PREFACE}\0\0\u0006\u0004\0\0\0\0\0\0\u0003\0`],
])("a client that sends %s is disconnected", async (_, bytes) => {
  await listen({ headersTimeoutMs: 200 });
  const socket = await open(port);
  const closed = closeOf(socket);
  socket.resume();
  if (bytes !== "") socket.write(bytes, "latin1");
  expect(await elapsedMs(closed)).toBeLessThan(5000);
});

test.each([
  ["HTTP/1.1", "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"],
  ["noise", "\u0000\u00FF".repeat(100)],
])("a client that speaks %s is disconnected at once", async (_, bytes) => {
  await listen({ headersTimeoutMs: 60_000 });
  const socket = await open(port);
  const closed = closeOf(socket);
  socket.resume();
  socket.write(bytes, "latin1");
  expect(await elapsedMs(closed)).toBeLessThan(5000);
  expect(world.logged.map(({ event }) => event)).toContain("unreadable");
});

test("of many calls on one connection all are answered, a hundred at a time", async () => {
  const held = heldWrites();
  await listen({ writesMax: 1000 }, held.dependencies);
  const session = await openSession();
  const bodies = Array.from({ length: 300 }, () => framed(Buffer.alloc(300)));
  const answers = bodies.map((body) => call(session, TRACES, body, metadata));
  for (let done = 0; done < answers.length; done++) {
    await held.until(1);
    held.waiting.shift()?.();
  }
  const codes = (await Promise.all(answers)).map(({ code }) => code);
  expect(codes).toEqual(bodies.map(() => 0));
  expect(held.most()).toBeLessThanOrEqual(100);
});

test("refused calls do not take the room of later ones on their connection", async () => {
  await listen();
  const session = await openSession();
  for (let time = 0; time < 20; time++) {
    const wrong = { ...metadata, "x-service-auth": "" };
    const answer = await call(session, TRACES, framed(Buffer.alloc(60_000)), wrong);
    expect(answer.code).toBe(16);
  }
  const body = framed(Buffer.alloc(200_000));
  expect(await call(session, TRACES, body, metadata)).toMatchObject({ code: 3 });
});

test("a client that resets thousands of calls is disconnected, and others are served", async () => {
  await listen();
  const session = await openSession();
  const closed = new Promise((resolve) => session.on("close", resolve));
  const other = await openSession();
  let calls = 0;
  const reset = async (): Promise<void> => {
    while (!session.closed && !session.destroyed && calls++ < 20_000) {
      const stream = beginCall(session, TRACES, metadata);
      stream.on("error", () => undefined);
      stream.close(8);
      if (calls % 50 === 0) await delay(1);
    }
  };
  await Promise.all([closed, reset()]);
  expect(calls).toBeLessThan(20_000);
  expect(await call(other, TRACES, framed(Buffer.of()), metadata)).toMatchObject({ code: 0 });
});

test("a client that does not take its response is disconnected", async () => {
  await listen({ stallMs: 200 });
  // No window for the bytes of any response.
  const session = await openSession({ settings: { initialWindowSize: 0 } });
  const answer = call(session, TRACES, framed(Buffer.of()), metadata);
  const ended = once(session, "close");
  expect(await elapsedMs(ended)).toBeLessThan(5000);
  expect((await answer).code).toBeUndefined();
  const [line] = world.logged.filter(({ event }) => event === "request");
  expect(line).toMatchObject({ status: 200, isComplete: false });
});

test("a client that goes away during its body leaves nothing behind", async () => {
  await listen();
  const session = await openSession();
  const stream = beginCall(session, TRACES, metadata);
  stream.on("error", () => undefined);
  stream.write(framed(Buffer.alloc(100)).subarray(0, 50));
  while (!world.logged.some(({ event }) => event === "request")) {
    await delay(20);
    session.destroy();
  }
  expect(world.logged).toContainEqual(expect.objectContaining({ status: 400, isComplete: false }));
  expect(await world.store.loadTests.find("run-1")).toBeUndefined();
});

test("calls that are reset at any moment leave nothing behind", async () => {
  await listen({ drainMs: 60_000 });
  // The client counts what it may not send any more.
  const session = await openSession({ maxSessionMemory: 1000 });
  const random = seededRandom(7);
  const body = framed(Buffer.alloc(100_000));
  for (let round = 0; round < 100; round++) {
    const streams = Array.from({ length: 5 }, () => {
      // Some are refused by the key, others by what they send.
      const own = random() < 0.3 ? { ...metadata, "x-service-auth": "" } : metadata;
      const stream = beginCall(session, TRACES, own);
      stream.on("error", () => undefined);
      const end = Math.floor(random() * body.length);
      if (random() < 0.2) stream.end(body);
      else stream.write(body.subarray(0, end));
      return stream;
    });
    await delay(random() * 4);
    // Fewer than the resets that a connection may send at once.
    for (const stream of streams) stream.close(random() < 0.5 ? 0 : 8);
  }
  expect(await call(session, TRACES, framed(Buffer.of()), metadata)).toMatchObject({ code: 0 });
  const ended = () => world.logged.filter(({ event }) => event === "request").length;
  while (ended() < 501) await delay(20);
  expect(await elapsedMs(world.server.close())).toBeLessThan(5000);
});

test("random frames do no harm", async () => {
  await listen();
  const random = seededRandom(11);
  const byte = (below = 256): number => Math.floor(random() * below);
  for (let time = 0; time < 200; time++) {
    const socket = await open(port);
    const closed = closeOf(socket);
    socket.resume();
    socket.write(PREFACE, "latin1");
    socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    for (let frame = 0; frame < 5; frame++) {
      const contents = Buffer.from(Array.from({ length: byte(40) }, () => byte()));
      const head = [0, 0, contents.length, byte(11), byte(), 0, 0, 0, byte(4)];
      socket.write(Buffer.concat([Buffer.from(head), contents]));
    }
    socket.end();
    await closed;
  }
  const session = await openSession();
  expect(await call(session, TRACES, framed(Buffer.of()), metadata)).toMatchObject({ code: 0 });
});

test("bodies that wait are limited together, and further ones are told to come again", async () => {
  const held = heldWrites();
  await listen({ heldBytesMax: 100_000 }, held.dependencies);
  const session = await openSession();
  const first = call(session, TRACES, framed(Buffer.alloc(60_000)), metadata);
  await held.until(1);
  const second = await call(session, TRACES, framed(Buffer.alloc(60_000)), metadata);
  expect(second).toMatchObject({ code: 14, message: expect.stringContaining("heldBytesMax") });
  expect(second.details).toBeDefined();
  held.waiting.shift()?.();
  expect(await first).toMatchObject({ code: 0 });
});

test("connections of both doors share one limit, and an idle one gives way", async () => {
  const held = heldWrites();
  await listen({ connectionsMax: 2 }, held.dependencies);
  const busy = await openSession();
  const answer = call(busy, TRACES, framed(Buffer.of()), metadata);
  await held.until(1);
  const idle = await openSession();
  const idleEnds = once(idle, "close");
  const url = await world.server.listen();
  const live = fetch(`${url}/health/live`);
  await idleEnds;
  expect((await live).status).toBe(200);
  held.waiting.shift()?.();
  expect(await answer).toMatchObject({ code: 0 });
});

test("at shutdown a call in progress is answered, and nothing else", async () => {
  const held = heldWrites();
  await listen({ drainMs: 60_000 }, held.dependencies);
  const session = await openSession();
  const [idle, silent] = [await openSession(), await open(port)];
  silent.resume();
  const ends = [once(idle, "close"), closeOf(silent), once(session, "close")];
  const answer = call(session, TRACES, framed(Buffer.of()), metadata);
  await held.until(1);
  const closed = world.server.close();
  await Promise.all(ends.slice(0, 2));
  await expect(open(port)).rejects.toThrow("ECONNREFUSED");
  held.waiting.shift()?.();
  expect(await answer).toMatchObject({ code: 0 });
  expect(await elapsedMs(Promise.all([closed, ends[2]]))).toBeLessThan(5000);
});

test("at shutdown a call that takes too long is cut off", async () => {
  await listen({ drainMs: 200, bodyStallMs: 60_000 });
  const session = await openSession();
  const stream = beginCall(session, TRACES, metadata);
  stream.write(Buffer.of(0));
  const answer = answerTo(stream);
  await delay(50);
  expect(await elapsedMs(world.server.close())).toBeLessThan(5000);
  expect((await answer).code).toBeUndefined();
});

const FOLDER = path.join(import.meta.dirname, "../fixtures/tls");
const read = (file: string): string => readFileSync(path.join(FOLDER, file), "utf8");

test("with a certificate, gRPC uses TLS, also with a renewed one", async () => {
  const identity = (name: string) => ({
    certificate: read(`${name}.pem`),
    key: read(`${name}.key.pem`),
  });
  await listen({}, { tls: identity("first") });
  for (const name of ["first", "second"]) {
    world.server.renewTls(identity(name));
    const session = await connectGrpc(address, {
      ca: read(`${name}.pem`),
      servername: "localhost",
    });
    sessions.push(session);
    expect(await call(session, TRACES, framed(Buffer.of()), metadata)).toMatchObject({ code: 0 });
  }
  const others = tls.connect({ port, ca: read("second.pem"), ALPNProtocols: ["http/1.1"] });
  const [error] = (await once(others, "error")) as [Error];
  expect(error.message).toMatch(/no application protocol/i);
  const plain: Socket = connect(port, "127.0.0.1");
  const closed = closeOf(plain);
  plain.write(PREFACE);
  await closed;
});
