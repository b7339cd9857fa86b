import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { createTestServer } from "../../test/support/test-server.ts";
import { requestsByLabel } from "../../test/support/batches.ts";

const world = await createTestServer();
const key = await world.makeKey("write");
afterAll(() => world.server.close());

interface Sent {
  readonly url?: string;
  readonly headers?: Record<string, string>;
}

async function send(body: string | Uint8Array, { url = "/v1/traces", headers = {} }: Sent = {}) {
  const answer = await world.ask(url, {
    method: "POST",
    key,
    headers: { "x-load-test": "nightly-7", "content-type": "application/json", ...headers },
    payload: Buffer.from(body),
  });
  return { status: answer.statusCode, body: answer.rawPayload, headers: answer.headers };
}

const START = 1_795_690_923n;

interface Options {
  readonly service?: string;
  readonly id?: string;
  readonly status?: number;
  readonly startNanos?: bigint;
}

function traces(...spans: readonly Options[]): string {
  return JSON.stringify({
    resourceSpans: spans.map(
      ({ service = "locust", id = "00000000000000a1", status = 200, startNanos = 0n }) => ({
        resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
        scopeSpans: [
          {
            spans: [
              {
                spanId: id,
                name: "GET /a",
                kind: 3,
                startTimeUnixNano: String(startNanos || START * 1_000_000_000n),
                endTimeUnixNano: String(START * 1_000_000_000n + 12_345_678n),
                attributes: [
                  { key: "http.request.method", value: { stringValue: "GET" } },
                  ...(status === 0
                    ? []
                    : [{ key: "http.response.status_code", value: { intValue: `${status}` } }]),
                ],
              },
            ],
          },
        ],
      }),
    ),
  });
}

test("a span is stored in the load test that the header names", async () => {
  const answer = await send(traces({}));
  expect(answer).toMatchObject({ status: 200, body: Buffer.from("{}") });
  expect(answer.headers["content-type"]).toMatch("application/json");
  expect(await requestsByLabel(world.store, "nightly-7")).toEqual([["GET /a", 1]]);
});

test("a span that comes again in another body counts once", async () => {
  const headers = { "x-load-test": "again" };
  await send(traces({}), { headers });
  await send(traces({}, { id: "00000000000000a2" }), { headers });
  expect(await requestsByLabel(world.store, "again")).toEqual([["GET /a", 2]]);
});

test("a body may be compressed, and is the same as without", async () => {
  const headers = { "x-load-test": "zip" };
  await send(gzipSync(traces({})), { headers: { ...headers, "content-encoding": "gzip" } });
  await send(traces({}), { headers });
  expect(await requestsByLabel(world.store, "zip")).toEqual([["GET /a", 1]]);
});

test("what cannot be stored is answered as a partial success", async () => {
  const body = traces({}, { id: "00000000000000b2", startNanos: START * 3_000_000_000n });
  const answer = await send(body, { headers: { "x-load-test": "partial" } });
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body.toString())).toEqual({
    partialSuccess: {
      rejectedSpans: "1",
      errorMessage: expect.stringMatching(/^span "GET \/a": want a start from 1970 to 2106$/),
    },
  });
});

test("requests are counted without what of them cannot be stored", async () => {
  const headers = { "x-load-test": "repaired" };
  const body = JSON.parse(
    traces({ startNanos: START * 1_000_000_000n + 50_000_000n }, { id: "00000000000000b3" }),
  );
  body.resourceSpans[1].scopeSpans[0].spans[0].name = "GET /".padEnd(2000, "x");
  const answer = await send(JSON.stringify(body), { headers });
  expect(JSON.parse(answer.body.toString())).toEqual({
    partialSuccess: {
      rejectedSpans: "0",
      errorMessage:
        "spans or points with a shortened name: 1; spans or points without a readable response time: 1",
    },
  });
  const stored = await requestsByLabel(world.store, "repaired");
  expect(stored.map(([label, requests]) => [label.slice(0, 6), requests])).toEqual([
    ["GET /a", 1],
    ["GET /x", 1],
  ]);
});

test("spans of other services are no requests, and the answer says so", async () => {
  const answer = await send(traces({ service: "shop" }), { headers: { "x-load-test": "shop" } });
  expect(JSON.parse(answer.body.toString())).toEqual({
    partialSuccess: {
      rejectedSpans: "0",
      errorMessage: "spans of services that are no load tools: 1",
    },
  });
  expect(await world.store.loadTests.find("shop")).toBeUndefined();
});

test("a partial success of Protocol Buffers is a message of that form", async () => {
  // By hand: resource_spans { scope_spans { scope { name: "locust" } spans { name: "a" } } }.
  const body = Buffer.from([
    10,
    17,
    18,
    15,
    10,
    8,
    10,
    6,
    ...Buffer.from("locust"),
    18,
    3,
    42,
    1,
    97,
  ]);
  const type = "application/x-protobuf";
  const answer = await send(body, { headers: { "content-type": type, "x-load-test": "proto" } });
  expect(answer.headers["content-type"]).toBe(type);
  const text = 'span "a": want a start from 1970 to 2106';
  expect([...answer.body]).toEqual([
    10,
    text.length + 4,
    8,
    1,
    18,
    text.length,
    ...Buffer.from(text),
  ]);
});

test.each([
  ["no load test", { "x-load-test": "" }, "{}", 400],
  ["another type of body", { "content-type": "text/plain" }, "{}", 415],
  ["a body that is not JSON", {}, "{", 400],
  ["a body that is not OTLP", { "content-type": "application/x-protobuf" }, "{", 400],
  ["no key", { "x-service-auth": "" }, "{}", 401],
])("%s is refused", async (_, headers, body, status) => {
  const answer = await send(body, { headers });
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body.toString())).toEqual({ message: expect.any(String) });
});

test.each([
  ["/v1/metrics", "resourceSpans"],
  ["/v1/traces", "resourceMetrics"],
  ["/v1/metrics", "resource_metrics"],
])("%s refuses a body of %s, which it would lose", async (url, name) => {
  const answer = await send(JSON.stringify({ schema: 1, [name]: [{ scope: {} }] }), { url });
  expect(answer.status).toBe(400);
  expect(answer.body.toString()).toContain(`got ${name}, want resource`);
});

test("a body with unknown members alone is one without spans", async () => {
  expect((await send('{"other":[{}]}')).status).toBe(200);
});
