import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll } from "vitest";
import { createBodyRoutes } from "./body-routes.ts";
import { type Expected, HOST, type Row, lines, listenRaw, testRows } from "./raw-world.ts";

const world = await listenRaw({ furtherRoutes: createBodyRoutes([]) });
afterAll(() => world.server.close());
const KEY = `X-Service-Auth: ${await world.makeKey("write")}`;
const JSON_TYPE = "Content-Type: application/json";

const BAD_BODY: Expected = { status: 400, code: "bad-body" };
const BAD_MEMBER: Expected = { status: 400, code: "bad-parameter" };
const UNKNOWN_TYPE: Expected = { status: 415, code: "unsupported-media-type" };

function post(path: string, body: Buffer, ...headers: readonly string[]): string {
  const head = lines(
    `POST ${path} HTTP/1.1`,
    HOST,
    KEY,
    `Content-Length: ${body.length}`,
    ...headers,
  );
  return head + body.toString("latin1");
}

/** Invalid JSON, or JSON that parsers read differently. */
const documents: readonly (readonly [string, string | Buffer, Expected])[] = [
  ["nothing but a brace", "{", BAD_BODY],
  ["blanks", "  \n ", BAD_BODY],
  ["a comma too many", '{"name":"a",}', BAD_BODY],
  ["two objects", '{"name":"a"}{"name":"b"}', BAD_BODY],
  ["NaN", '{"name":NaN}', BAD_BODY],
  ["quotes of another kind", "{'name':'a'}", BAD_BODY],
  ["a comment", '{"name":"a"/* b */}', BAD_BODY],
  ["a line end within a text", '{"name":"a\nb"}', BAD_BODY],
  ["NUL behind it", '{"name":"a"}\0', BAD_BODY],
  ["a byte order mark", '\uFEFF{"name":"a"}', BAD_BODY],
  ["UTF-16", Buffer.from('\uFEFF{"name":"a"}', "utf16le"), BAD_BODY],
  ["Latin-1", Buffer.from('{"name":"\u00e9"}', "latin1"), BAD_BODY],
  ["half of a character", Buffer.from('{"name":"\u00e9"}').subarray(0, -3), BAD_BODY],
  ["a surrogate in UTF-8", Buffer.from('{"name":"\xed\xa0\x80"}', "latin1"), BAD_BODY],
  ["a member twice", '{"name":"a","pinned":true,"name":"b"}', BAD_BODY],
  ["a member twice, once in disguise", '{"name":"a","n\\u0061me":"b"}', BAD_BODY],
  ["the same text as name and contents", '{"name":"name","tags":["name","name"]}', { status: 201 }],
  ["a number beyond all numbers", '{"name":1e999}', BAD_MEMBER],
  ["a number for a truth", '{"pinned":1}', BAD_MEMBER],
  ["30,000 levels of lists", nested("[", "]"), BAD_MEMBER],
  ["10,000 levels of objects", nested('{"a":', "}", 10_000), BAD_MEMBER],
  ["30,000 open lists", `{"name":${"[".repeat(30_000)}`, BAD_BODY],
  ["9,000 unknown members", objectOf(9000), BAD_MEMBER],
  ["members of Object", '{"constructor":1,"toString":2,"hasOwnProperty":3}', BAD_MEMBER],
];

testRows(
  world,
  documents.map(([title, body, expected]): Row => {
    return [title, post("/members", Buffer.from(body), JSON_TYPE), expected];
  }),
);

const TEXT = Buffer.from("x".repeat(5000));
const GZIP = gzipSync(TEXT);
const ZSTD = zstdCompressSync(TEXT);

/** Length and checksum of a gzip member are its last bytes. */
function changed(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes);
  const at = place < 0 ? copy.length + place : place;
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

const codings: readonly (readonly [string, string, Buffer, Expected])[] = [
  ["gzip twice", "gzip, gzip", gzipSync(GZIP), UNKNOWN_TYPE],
  ["gzip in gzip, told once", "gzip", gzipSync(GZIP), { status: 200 }],
  ["compress", "compress", TEXT, UNKNOWN_TYPE],
  ["brotli", "br", TEXT, UNKNOWN_TYPE],
  ["gzip without its end", "gzip", GZIP.subarray(0, -4), BAD_BODY],
  ["gzip with bytes behind", "gzip", Buffer.concat([GZIP, Buffer.from("x")]), BAD_BODY],
  ["gzip with a wrong checksum", "gzip", changed(GZIP, -8), BAD_BODY],
  ["gzip with a wrong length", "gzip", changed(GZIP, -4), BAD_BODY],
  ["gzip with another method", "gzip", changed(GZIP, 2), BAD_BODY],
  ["zstd without its end", "zstd", ZSTD.subarray(0, -1), BAD_BODY],
  ["zstd with bytes behind", "zstd", Buffer.concat([ZSTD, Buffer.from("x")]), BAD_BODY],
  ["zstd that is gzip", "zstd", GZIP, BAD_BODY],
  ["nothing as gzip", "gzip", Buffer.alloc(0), BAD_BODY],
];

testRows(
  world,
  codings.map(([title, coding, body, expected]): Row => {
    return [title, post("/decoded", body, `Content-Encoding: ${coding}`), expected];
  }),
);

function nested(open: string, close: string, levels = 30_000): string {
  return `{"name":${open.repeat(levels)}${open === "[" ? "" : "1"}${close.repeat(levels)}}`;
}

function objectOf(members: number): string {
  const names = Array.from({ length: members }, (_, number) => `"m${number}":1`);
  return `{${names
    .join(",")
    .slice(0, 60_000)
    .replace(/,[^,]*$/, "")}}`;
}
