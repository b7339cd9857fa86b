import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { type RawAnswer, exchange, parseAnswers } from "../support/raw-http.ts";
import {
  CSV,
  type Expected,
  GOOD,
  HOST,
  METRICS,
  type Row,
  lines,
  listenRaw,
  testRows,
} from "./raw-world.ts";

const world = await listenRaw();
afterAll(() => world.server.close());
const { port } = world;
const writeKey = await world.makeKey("write");
const KEY = `X-Service-Auth: ${world.key}`;

const UNAUTHORIZED: Expected = { status: 401, code: "unauthorized" };

const keys: Row[] = [
  [
    "no key",
    lines(`GET ${METRICS} HTTP/1.1`, HOST),
    { ...UNAUTHORIZED, headers: { "www-authenticate": /^X-Service-Auth realm=/ } },
  ],
  ["empty key", lines(`GET ${METRICS} HTTP/1.1`, HOST, "X-Service-Auth:"), UNAUTHORIZED],
  ["wrong key", lines(`GET ${METRICS} HTTP/1.1`, HOST, `${KEY}x`), UNAUTHORIZED],
  [
    "8 KB of key",
    lines(`GET ${METRICS} HTTP/1.1`, HOST, `X-Service-Auth: ${"k".repeat(8192)}`),
    UNAUTHORIZED,
  ],
  ["key not ASCII", lines(`GET ${METRICS} HTTP/1.1`, HOST, "X-Service-Auth: \xE9"), UNAUTHORIZED],
  ["key in the query", lines(`GET ${METRICS}&key=${world.key} HTTP/1.1`, HOST), UNAUTHORIZED],
  [
    "key in Authorization",
    lines(`GET ${METRICS} HTTP/1.1`, HOST, `Authorization: Bearer ${world.key}`),
    UNAUTHORIZED,
  ],
  ["two keys", world.read(KEY), { status: 400, code: "duplicate-header" }],
  [
    "two keys in different headers",
    world.read(`X-Api-Key: ${world.key}`),
    { status: 400, code: "duplicate-header" },
  ],
  [
    "key in the header of the setting",
    lines(`GET ${METRICS} HTTP/1.1`, HOST, `x-api-key: ${world.key}`),
    GOOD,
  ],
  [
    "blanks around the key",
    lines(`GET ${METRICS} HTTP/1.1`, HOST, `X-Service-Auth: \t${world.key} `),
    GOOD,
  ],
  [
    "key that may not read",
    lines(`GET ${METRICS} HTTP/1.1`, HOST, `X-Service-Auth: ${writeKey}`),
    { status: 403, code: "missing-scope" },
  ],
  ["key before parameters", lines("GET /Api/Metrics HTTP/1.1", HOST), UNAUTHORIZED],
];

const answers: Row[] = [
  [
    "parameters before Accept",
    lines("GET /Api/Metrics HTTP/1.1", HOST, KEY, "Accept: */*;q=0"),
    { status: 400, code: "bad-parameter" },
  ],
  [
    "Accept before the load test",
    lines("GET /Api/Metrics?loadTestId=no&filter=a HTTP/1.1", HOST, KEY, "Accept: */*;q=0"),
    { status: 406, code: "not-acceptable" },
  ],
  [
    "no coding left",
    world.read("Accept-Encoding: identity;q=0"),
    { status: 406, code: "not-acceptable" },
  ],
  [
    "unknown load test",
    lines("GET /Api/Metrics?loadTestId=no&filter=a HTTP/1.1", HOST, KEY),
    { status: 404, code: "unknown-load-test" },
  ],
  ["a browser's Accept", world.read("Accept: text/html"), GOOD],
  ["Range", world.read("Range: bytes=0-1"), { ...GOOD, absent: ["accept-ranges"] }],
  ["If-Modified-Since", world.read("If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"), GOOD],
  [
    "If-None-Match: *",
    world.read("If-None-Match: *"),
    {
      status: 304,
      body: "",
      headers: { etag: /^"/, "cache-control": "private, no-cache", vary: /Accept-Encoding/ },
    },
  ],
  [
    "If-None-Match without a key",
    lines(`GET ${METRICS} HTTP/1.1`, HOST, "If-None-Match: *"),
    UNAUTHORIZED,
  ],
  [
    "length of a small answer",
    world.read(),
    {
      ...GOOD,
      headers: { "content-length": String(CSV.length) },
      absent: ["transfer-encoding"],
    },
  ],
  [
    "headers of an answer",
    world.read(),
    {
      ...GOOD,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "cache-control": "private, no-cache",
        vary: "Accept, Accept-Encoding, Origin, X-Service-Auth, x-api-key",
        etag: /^"[\w-]+"$/,
      },
    },
  ],
  [
    "a page of the setting may read",
    world.read("Origin: https://graphs.example"),
    {
      ...GOOD,
      headers: {
        "access-control-allow-origin": "https://graphs.example",
        "access-control-expose-headers": /ETag/,
      },
    },
  ],
  [
    "another page may not",
    world.read("Origin: https://evil.example"),
    { ...GOOD, absent: ["access-control-allow-origin"] },
  ],
  [
    "errors can be read by the page too",
    lines(`GET ${METRICS} HTTP/1.1`, HOST, "Origin: https://graphs.example"),
    { status: 401, headers: { "access-control-allow-origin": "https://graphs.example" } },
  ],
  [
    "preflight",
    lines(
      "OPTIONS /Api/Metrics HTTP/1.1",
      HOST,
      "Origin: https://graphs.example",
      "Access-Control-Request-Method: GET",
    ),
    {
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": "X-Service-Auth, x-api-key, If-None-Match, Content-Type",
        "access-control-max-age": "600",
        vary: /Origin/,
      },
    },
  ],
  [
    "preflight of another page",
    lines("OPTIONS /Api/Metrics HTTP/1.1", HOST, "Origin: https://evil.example"),
    { status: 204, absent: ["access-control-allow-methods", "access-control-allow-origin"] },
  ],
  [
    "the page without a key",
    lines("GET / HTTP/1.1", HOST),
    { status: 200, headers: { "content-security-policy": /default-src 'none'/ } },
  ],
];

testRows(world, keys);
testRows(world, answers);

test("HEAD has the headers of GET, except length and date", async () => {
  const [get] = parseAnswers(await exchange(port, world.read()));
  const [head] = parseAnswers(
    await exchange(port, lines(`HEAD ${METRICS} HTTP/1.1`, HOST, KEY)),
    [0],
  );
  expect(comparable(head)).toEqual(comparable(get));
});

test.each([
  ["gzip", gunzipSync],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
])("%s is sent when requested, with an ETag of its own", async (coding, decode) => {
  const ask = (...more: string[]): Promise<Buffer> =>
    exchange(port, world.read(`Accept-Encoding: ${coding}`, ...more));
  const [answer] = parseAnswers(await ask());
  expect(answer?.headers.get("content-encoding")).toBe(coding);
  expect(decode(answer?.body ?? Buffer.alloc(0)).toString()).toBe(CSV);
  const tag = answer?.headers.get("etag") ?? "";
  expect(tag).toContain(coding);
  const [again] = parseAnswers(await ask(`If-None-Match: ${tag}`));
  expect([again?.status, again?.headers.get("etag")]).toEqual([304, tag]);
});

test("neither the log nor responses contain a key", async () => {
  const received = await exchange(
    port,
    lines(`GET /Api/Metrics?key=${world.key} HTTP/1.1`, HOST, KEY),
  );
  expect(received.toString()).not.toContain(world.key);
  const logged = JSON.stringify(world.logged);
  expect(world.logged.length).toBeGreaterThan(40);
  expect(logged).not.toContain(world.key);
  expect(logged).not.toContain(writeKey);
});

function comparable(answer: RawAnswer | undefined): unknown {
  const headers = Object.fromEntries(answer?.headers ?? []);
  const { date: _, "x-request-id": _id, "content-length": _length, ...rest } = headers;
  return rest;
}
