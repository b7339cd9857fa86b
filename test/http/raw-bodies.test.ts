import { createHash } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll } from "vitest";
import { createBodyRoutes } from "./body-routes.ts";
import { HOST, type Row, lines, listenRaw, testRows } from "./raw-world.ts";

const world = await listenRaw({ furtherRoutes: createBodyRoutes([]) });
afterAll(() => world.server.close());
const KEY = `X-Service-Auth: ${await world.makeKey("write")}`;
const TOKEN = KEY.replace("X-Service-Auth: ", "Authorization: Token ");
const READ_KEY = `X-Service-Auth: ${world.key}`;
const JSON_TYPE = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";

/** A POST with a correct Content-Length. */
function post(path: string, body: string, ...headers: readonly string[]): string {
  return (
    lines(`POST ${path} HTTP/1.1`, HOST, KEY, `Content-Length: ${body.length}`, ...headers) + body
  );
}

function members(body: string, ...headers: readonly string[]): string {
  return post("/members", body, JSON_TYPE, ...headers);
}

function measured(body: string, announced: number | null): string {
  const sha1 = createHash("sha1").update(Buffer.from(body, "latin1")).digest("hex");
  return JSON.stringify({ bytes: body.length, announced, sha1 });
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

const LONG = "x".repeat(300_000);
const GZIPPED = latin1(gzipSync(LONG));
const ZSTD = latin1(zstdCompressSync(LONG));
const BOMB = latin1(gzipSync(Buffer.alloc(5_000_000)));
const BAD_BODY = { status: 400, code: "bad-body" };
const BAD_MEMBER = { status: 400, code: "bad-parameter" };
const TOO_LARGE = { status: 413, code: "body-too-large", headers: { connection: "close" } };
const UNKNOWN_TYPE = { status: 415, code: "unsupported-media-type" };

const json: Row[] = [
  ["no body where none is needed", lines("POST /members HTTP/1.1", HOST, KEY), created("{}")],
  ["an empty object", members("{}"), created("{}")],
  [
    "every kind of member",
    members('{"name":"a\\"b","pinned":false,"tags":["x",""]}'),
    created('{"name":"a\\"b","pinned":false,"tags":["x",""]}'),
  ],
  ["in chunks", chunked("/members", ['{"na', 'me":', '"a"}'], JSON_TYPE), created('{"name":"a"}')],
  ["a type with a parameter", post("/members", "{}", `${JSON_TYPE}; charset=utf-8`), created("{}")],
  [
    "gzip",
    members(latin1(gzipSync('{"name":"a"}')), "Content-Encoding: gzip"),
    created('{"name":"a"}'),
  ],
  ["nothing", members(""), created("{}")],
  ["no JSON", members("{"), BAD_BODY],
  ["not UTF-8", members('{"name":"\xFF"}'), BAD_BODY],
  ["an array", members("[]"), BAD_BODY],
  ["null", members("null"), BAD_BODY],
  ["a member of another type", members('{"name":1}'), BAD_MEMBER],
  ["a list with a number", members('{"tags":["a",1]}'), BAD_MEMBER],
  ["an unknown member", members('{"nmae":"a"}'), BAD_MEMBER],
  ["a member called __proto__", members('{"__proto__":{"name":"a"}}'), BAD_MEMBER],
  ["100,000 bytes", members(`{"name":"${LONG.slice(0, 99_989)}"}`), TOO_LARGE],
  ["100,000 bytes in chunks", chunked("/members", [LONG], JSON_TYPE), TOO_LARGE],
  ["a bomb", members(BOMB, "Content-Encoding: gzip"), TOO_LARGE],
  ["no type", post("/members", "{}"), UNKNOWN_TYPE],
  ["a form's type", post("/members", "{}", "Content-Type: text/plain"), UNKNOWN_TYPE],
  ["a type that is none", post("/members", "{}", "Content-Type: ;;;"), UNKNOWN_TYPE],
  ["brotli", members("{}", "Content-Encoding: br"), UNKNOWN_TYPE],
];

const streams: Row[] = [
  ["plain", post("/decoded", LONG), { status: 200, body: measured(LONG, 300_000) }],
  ["empty", post("/decoded", ""), { status: 200, body: measured("", 0) }],
  [
    "in chunks",
    chunked("/decoded", ["a", LONG, "b"]),
    { status: 200, body: measured(`a${LONG}b`, null) },
  ],
  [
    "with a form's type",
    post("/decoded", "a=b", "Content-Type: application/x-www-form-urlencoded"),
    { status: 200 },
  ],
  [
    "gzip",
    post("/decoded", GZIPPED, "Content-Encoding: gzip"),
    { status: 200, body: measured(LONG, null) },
  ],
  [
    "zstd",
    post("/decoded", ZSTD, "Content-Encoding: ZSTD"),
    { status: 200, body: measured(LONG, null) },
  ],
  [
    "gzip that is kept",
    lines(
      "POST /kept HTTP/1.1",
      HOST,
      TOKEN,
      `Content-Length: ${GZIPPED.length}`,
      "Content-Encoding: gzip",
    ) + GZIPPED,
    { status: 200, body: measured(GZIPPED, GZIPPED.length) },
  ],
  ["no body", lines("POST /decoded HTTP/1.1", HOST, KEY), { status: 411, code: "length-required" }],
  ["gzip that is none", post("/decoded", LONG, "Content-Encoding: gzip"), BAD_BODY],
  ["gzip cut short", post("/decoded", GZIPPED.slice(0, -9), "Content-Encoding: gzip"), BAD_BODY],
  ["a bomb", post("/decoded", BOMB, "Content-Encoding: gzip"), TOO_LARGE],
  ["too much", post("/decoded", LONG.repeat(4)), TOO_LARGE],
  ["too much in chunks", chunked("/decoded", [LONG, LONG, LONG, LONG]), TOO_LARGE],
  [
    "a form",
    post("/decoded", "--x", "Content-Type: multipart/form-data; boundary=x"),
    UNKNOWN_TYPE,
  ],
  [
    "deflate",
    post("/decoded", "x", "Content-Encoding: deflate"),
    { ...UNKNOWN_TYPE, headers: { "accept-encoding": "gzip, zstd" } },
  ],
  [
    "not read by the operation",
    post("/unread", LONG),
    { status: 200, headers: { connection: "close" } },
  ],
];

const refused: Row[] = [
  [
    "a key that may only read",
    lines("POST /decoded HTTP/1.1", HOST, READ_KEY, "Content-Length: 5") + "hello",
    { status: 403, code: "missing-scope", headers: { connection: "close" } },
  ],
  [
    "no key, of a large body that never comes",
    lines("POST /decoded HTTP/1.1", HOST, "Content-Length: 1000000", "Expect: 100-continue"),
    { status: 401, headers: { connection: "close", "www-authenticate": /^X-Service-Auth/ } },
  ],
  [
    "GET of an operation that only has POST",
    lines("GET /decoded HTTP/1.1", HOST, KEY),
    { status: 405, headers: { allow: "POST, OPTIONS" } },
  ],
  [
    "PUT of an operation that has GET and DELETE",
    lines("PUT /things/a/parts HTTP/1.1", HOST, KEY),
    { status: 405, headers: { allow: "GET, HEAD, DELETE, OPTIONS" } },
  ],
  [
    "DELETE with a body",
    lines("DELETE /things/a/parts HTTP/1.1", HOST, KEY, "Content-Length: 1") + "x",
    { status: 413, code: "unexpected-body" },
  ],
  [
    "DELETE",
    lines("DELETE /THINGS/a/parts HTTP/1.1", HOST, KEY),
    { status: 204, absent: ["content-type", "content-length", "transfer-encoding"] },
  ],
  [
    "a path parameter",
    lines("GET /tHINGS/A%20b%2F%C3%A9/parts HTTP/1.1", HOST, READ_KEY),
    { status: 200, body: '[["id","A b/\u00e9"]]' },
  ],
  [
    "an empty path parameter",
    lines("GET /things//parts HTTP/1.1", HOST, READ_KEY),
    { status: 400 },
  ],
  [
    "the common key where the operation reads another",
    lines("POST /kept HTTP/1.1", HOST, KEY, "Content-Length: 0"),
    {
      status: 401,
      headers: { "www-authenticate": 'Basic realm="test"', "content-type": "application/json" },
      body: '{"error":"401 unauthorized"}',
    },
  ],
  [
    "a key in the query where the operation reads it there",
    lines(
      `POST /kept?p=${KEY.replace("X-Service-Auth: ", "")} HTTP/1.1`,
      HOST,
      "Content-Length: 0",
    ),
    { status: 200 },
  ],
  [
    "errors in the operation's own form",
    lines("POST /kept HTTP/1.1", HOST, TOKEN),
    { status: 411, body: '{"error":"411 length-required"}' },
  ],
];

testRows(world, json);
testRows(world, streams);
testRows(world, refused);

function created(body: string): { readonly status: number; readonly body: string } {
  return { status: 201, body };
}

function chunked(path: string, chunks: readonly string[], ...headers: readonly string[]): string {
  const body = [...chunks, ""].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  return lines(`POST ${path} HTTP/1.1`, HOST, KEY, CHUNKED, ...headers) + body.join("");
}
