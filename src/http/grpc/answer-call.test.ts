import { readFileSync } from "node:fs";
import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import path from "node:path";
import { gunzipSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import {
  beginCall,
  answerTo,
  call,
  connectGrpc,
  framed,
  type GrpcAnswer,
  METRICS,
  TRACES,
} from "../../../test/support/grpc-client.ts";
import { createTestServer, type TestServer } from "../../../test/support/test-server.ts";
import { UserError } from "../../model/errors.ts";
import { HttpError } from "../response/http-error.ts";
import type { HttpDependencies } from "../server.ts";
import type { HttpSettings } from "../settings.ts";

let world: TestServer;
let session: ClientHttp2Session;
let key: string;

afterEach(async () => {
  session.destroy();
  await world.server.close();
});

async function listen(
  settings: Partial<HttpSettings> = {},
  dependencies: Partial<HttpDependencies> = {},
): Promise<void> {
  world = await createTestServer({ settings: { otlpGrpcPort: 0, ...settings }, dependencies });
  key = await world.makeKey("write");
  session = await connectGrpc((await world.server.grpc?.listen()) ?? "");
}

function send(body: Uint8Array, metadata: OutgoingHttpHeaders = {}): Promise<GrpcAnswer> {
  const usual = { "x-service-auth": key, "x-load-test": "run-1" };
  return call(session, TRACES, body, { ...usual, ...metadata });
}

const OK = { httpStatus: 200, code: 0, message: "", body: Buffer.alloc(5) };

// By hand: resource_spans { scope_spans { scope { name: "locust" } spans { name: "a" } } }.
const LOCUST = [...Buffer.from("locust")];
const UNSTARTED = Buffer.from([10, 17, 18, 15, 10, 8, 10, 6, ...LOCUST, 18, 3, 42, 1, 97]);

// By hand: resource_metrics { scope_metrics { metrics { name: "a" gauge { data_points { time_unix_nano, as_double: 2 } } } } }.
const METRIC = Buffer.concat([
  Buffer.from([10, 29, 18, 27, 18, 25, 10, 1, 97, 42, 20, 10, 18, 25]),
  nanosAt(1_795_690_900n),
  Buffer.from([33, 0, 0, 0, 0, 0, 0, 0, 64]),
]);

function nanosAt(second: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(second * 1_000_000_000n);
  return bytes;
}

const FIXTURES = path.join(import.meta.dirname, "../../../test/fixtures/otlp");

test("k6's own output over gRPC, its default, gives the requests, failures and averages of its summary", async () => {
  await listen();
  const file = path.join(FIXTURES, "gen-k6-1.8.1-grpc");
  const lines = gunzipSync(readFileSync(`${file}.capture.ndjson.gz`))
    .toString()
    .trim();
  for (const line of lines.split("\n")) {
    const { path: method, body } = JSON.parse(line) as { path: string; body: string };
    expect(method).toBe(METRICS);
    const metadata = { "x-service-auth": key, "x-load-test": "k6" };
    expect(await call(session, method, Buffer.from(body, "base64"), metadata)).toMatchObject(OK);
  }
  const answer = await world.ask("/Api/LoadTests/k6/Summary");
  const { endpoints } = answer.json<{
    endpoints: { label: string; count: number; errCount: number; avgLoadTime: number }[];
  }>();
  const { reportedByTool } = JSON.parse(readFileSync(`${file}.expected.json`, "utf8")) as {
    reportedByTool: Record<string, { requests: number; failed: number; averageMs: number }>;
  };
  const want = Object.entries(reportedByTool).map(([name, { requests, failed, averageMs }]) => [
    name,
    // k6 does not check a request without a callback, which got 404.
    [requests, name === "unchecked" ? requests : failed, expect.closeTo(averageMs / 1000, 5)],
  ]);
  const got = endpoints.map(({ label, count, errCount, avgLoadTime }) => [
    label,
    [count, errCount, avgLoadTime],
  ]);
  expect(Object.fromEntries(got)).toEqual(Object.fromEntries(want));
});

test.each<[string, Buffer, OutgoingHttpHeaders]>([
  ["not compressed", framed(UNSTARTED), {}],
  ["gzip", framed(gzipSync(UNSTARTED), 1), { "grpc-encoding": "gzip" }],
  ["zstd", framed(zstdCompressSync(UNSTARTED), 1), { "grpc-encoding": "zstd" }],
  ["not compressed although it could be", framed(UNSTARTED), { "grpc-encoding": "gzip" }],
  ["with a subtype", framed(UNSTARTED), { "content-type": "application/grpc+proto" }],
])("a partial success is the same message as by HTTP: %s", async (_, body, metadata) => {
  await listen();
  const text = Buffer.from('span "a": want a start from 1970 to 2106');
  const message = [10, text.length + 4, 8, 1, 18, text.length, ...text];
  expect(await send(body, metadata)).toMatchObject({
    code: 0,
    body: framed(Uint8Array.from(message)),
  });
});

const TOO_LONG = 8 * 1024 * 1024 + 1;
/** The prefix of a message of this length. */
const prefixOf = (length: number): Buffer => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(length, 1);
  return prefix;
};

// Codes: https://grpc.io/docs/guides/status-codes/
interface Refusal {
  readonly metadata?: OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  readonly code: number;
  readonly message: string;
}

test.each<[string, Refusal]>([
  ["no key", { metadata: { "x-service-auth": "" }, code: 16, message: "expected a valid key" }],
  ["a wrong key", { metadata: { "x-service-auth": "tgk_x" }, code: 16, message: "Bearer KEY" }],
  ["no load test", { metadata: { "x-load-test": "" }, code: 3, message: "x-load-test is empty" }],
  [
    "an unknown method",
    { metadata: { ":path": "/a.LogsService/Export" }, code: 12, message: "TraceService" },
  ],
  [
    "another host",
    { metadata: { ":authority": "evil.example" }, code: 7, message: "allowedHosts" },
  ],
  [
    "another coding",
    {
      metadata: { "grpc-encoding": "snappy" },
      body: framed(UNSTARTED, 1),
      code: 12,
      message: "snappy",
    },
  ],
  [
    "a coding without a name",
    { body: framed(gzipSync(UNSTARTED), 1), code: 12, message: "identity" },
  ],
  [
    "damaged gzip",
    {
      metadata: { "grpc-encoding": "gzip" },
      body: framed(UNSTARTED, 1),
      code: 3,
      message: "cannot decode",
    },
  ],
  [
    "a message that is too long",
    { body: prefixOf(TOO_LONG), code: 8, message: `${TOO_LONG} bytes is too long` },
  ],
  [
    "a message that is too long decompressed",
    {
      metadata: { "grpc-encoding": "gzip" },
      body: framed(gzipSync(Buffer.alloc(TOO_LONG)), 1),
      code: 8,
      message: "at most 8388608 bytes",
    },
  ],
  [
    "a message that ends early",
    { body: framed(UNSTARTED).subarray(0, -1), code: 3, message: "ended before the end" },
  ],
  ["no message", { body: Buffer.of(), code: 3, message: "ended before the end" }],
  [
    "two messages",
    {
      body: Buffer.concat([framed(UNSTARTED), framed(UNSTARTED)]),
      code: 3,
      message: "one message",
    },
  ],
  ["an unknown flag", { body: framed(UNSTARTED, 2), code: 3, message: "not a message of gRPC" }],
  [
    "a message that is not OTLP",
    { body: framed(Buffer.from("{é")), code: 3, message: "cannot read the body as OTLP" },
  ],
])("%s is refused", async (_, { metadata, body = framed(UNSTARTED), code, message }) => {
  await listen();
  expect(await send(body, metadata)).toMatchObject({
    httpStatus: 200,
    code,
    message: expect.stringContaining(message),
    details: undefined,
    body: Buffer.of(),
  });
  expect(await world.store.loadTests.find("run-1")).toBeUndefined();
  // The connection goes on.
  expect(await send(framed(Buffer.of()))).toMatchObject(OK);
});

test("a key that may only read is refused", async () => {
  await listen();
  const answer = await send(framed(UNSTARTED), { "x-service-auth": world.key });
  expect(answer).toMatchObject({ code: 7, message: expect.stringContaining("scope write") });
});

test.each([
  ["GET", { ":method": "GET" }, 405],
  ["JSON", { "content-type": "application/json" }, 415],
  ["gRPC with JSON", { "content-type": "application/grpc+json" }, 415],
])("%s, which is not a call, gets a status of HTTP", async (_, metadata, httpStatus) => {
  await listen();
  const usual = { "x-service-auth": key, "x-load-test": "run-1" };
  const stream = beginCall(session, TRACES, { ...usual, ...metadata });
  const answer = answerTo(stream);
  stream.end();
  expect(await answer).toMatchObject({ httpStatus, code: undefined });
});

test("the key may be a token of Authorization, by gRPC and by HTTP", async () => {
  await listen();
  const metadata = { "x-service-auth": "", authorization: `Bearer ${key}` };
  expect(await send(framed(Buffer.of()), metadata)).toMatchObject(OK);
  const headers = {
    authorization: `Bearer ${key}`,
    "x-load-test": "run-1",
    "content-type": "application/json",
  };
  const request = { method: "POST", url: "/v1/traces", headers, payload: "{}" } as const;
  expect((await world.server.inject(request)).statusCode).toBe(200);
  // The header of our own counts first, since proxies may use the other one.
  const both = { ...headers, "x-service-auth": "tgk_x" };
  expect((await world.server.inject({ ...request, headers: both })).statusCode).toBe(401);
});

/** By hand: a `google.rpc.Status` of a code, a message, and a `RetryInfo` of these seconds. */
function statusWithDelay(code: number, message: string, seconds: number): Buffer {
  const type = Buffer.from("type.googleapis.com/google.rpc.RetryInfo");
  const any = [10, type.length, ...type, 18, 4, 10, 2, 8, seconds];
  const text = Buffer.from(message);
  return Buffer.from([8, code, 18, text.length, ...text, 26, any.length, ...any]);
}

const failing = (error: Error): Partial<HttpDependencies> => ({
  async writeOtlp() {
    throw error;
  },
});

test.each<[string, Error, number, number]>([
  ["a full disk", new UserError("storage-full", "full"), 14, 5],
  ["a busy server", new HttpError("busy", "busy", { headers: { "Retry-After": "1" } }), 14, 1],
])("%s says when to send again", async (_, error, code, seconds) => {
  await listen({}, failing(error));
  const { code: got, message, details } = await send(framed(UNSTARTED));
  expect(got).toBe(code);
  expect(details).toEqual(statusWithDelay(code, message, seconds));
});

test.each<[string, Error, number]>([
  ["a read-only store", new UserError("store-read-only", "read-only"), 7],
  ["a sum that is too large", new UserError("sum-too-large", "too large"), 3],
  ["a reused number", new UserError("sequence-reused", "reused"), 9],
  ["a bug", new Error("BUG: at /home/x"), 13],
])("%s says not to send again", async (_, error, code) => {
  await listen({}, failing(error));
  const answer = await send(framed(UNSTARTED));
  expect(answer).toMatchObject({ code, details: undefined });
  expect(answer.message).not.toContain("/home");
});

test("an address that guesses keys is told to wait, and its valid keys work", async () => {
  await listen({ failedKeysMax: 2 });
  const codes = [];
  for (let guess = 0; guess < 4; guess++) {
    const answer = await send(framed(UNSTARTED), { "x-service-auth": `tgk_${guess}` });
    codes.push([answer.code, answer.details !== undefined]);
  }
  expect(codes).toEqual([
    [16, false],
    [16, false],
    [8, true],
    [8, true],
  ]);
  expect(await send(framed(Buffer.of()))).toMatchObject(OK);
});

test("a key of a project writes into it", async () => {
  await listen();
  const scopes = ["read", "write"] as const;
  const about = { name: "k6 of web", scopes, expiresAtMs: undefined, project: "web" };
  const own = await world.ring.create(about);
  await send(framed(METRIC), { ":path": METRICS, "x-service-auth": own });
  const statuses = [own, world.key].map(async (each) => {
    return (await world.ask("/Api/LoadTests/run-1", { key: each })).statusCode;
  });
  expect(await Promise.all(statuses)).toEqual([200, 404]);
});

test("calls are in the log, in /metrics and, once, in the audit log, without the key", async () => {
  await listen();
  for (let time = 0; time < 2; time++) await send(framed(UNSTARTED));
  await send(framed(UNSTARTED), { "x-service-auth": "tgk_x" });
  await send(framed(UNSTARTED), { ":path": "/a.b/C" });
  const requests = world.logged.filter(({ event }) => event === "request");
  expect(
    requests.map(({ method, route, status, isComplete }) => [method, route, status, isComplete]),
  ).toEqual([
    ["GRPC", "writeTraces", 200, true],
    ["GRPC", "writeTraces", 200, true],
    ["GRPC", "writeTraces", 401, true],
    ["GRPC", "none", 404, true],
  ]);
  expect(requests.map((line) => line["path"])).toEqual([TRACES, TRACES, TRACES, "/a.b/C"]);
  expect(JSON.stringify(world.logged)).not.toContain(key);
  const metrics = await world.server.inject("/metrics");
  expect(metrics.body).toContain(
    'tachograph_http_requests_total{route="writeTraces",method="GRPC",status="200"} 2',
  );
  const audit = await world.ask("/Api/Audit", { key: await world.makeKey("admin") });
  const { entries } = audit.json<{ entries: { operation: string; target: string }[] }>();
  expect(entries).toMatchObject([{ operation: "writeTraces", target: "run-1", outcome: "done" }]);
});
