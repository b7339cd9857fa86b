import { afterAll, expect, test } from "vitest";
import { exchange, parseAnswers } from "../support/raw-http.ts";
import {
  CSV,
  GOOD,
  HOST,
  MALFORMED,
  METRICS,
  type Row,
  lines,
  listenRaw,
  testRows,
} from "./raw-world.ts";

const world = await listenRaw();
afterAll(() => world.server.close());
const { port } = world;
const KEY = `X-Service-Auth: ${world.key}`;

const framing: Row[] = [
  [
    "body with GET",
    lines("GET /Api/Metrics HTTP/1.1", HOST, KEY, "Content-Length: 5") + "hello",
    { status: 413, code: "unexpected-body", headers: { connection: "close" } },
  ],
  [
    "chunked body with GET",
    lines("GET /Api/Metrics HTTP/1.1", HOST, KEY, "Transfer-Encoding: chunked") + "0\r\n\r\n",
    { status: 413, code: "unexpected-body" },
  ],
  ["empty body with GET", world.read("Content-Length: 0"), GOOD],
  ["length that is no number", lines("GET / HTTP/1.1", HOST, "Content-Length: x"), MALFORMED],
  ["negative length", lines("GET / HTTP/1.1", HOST, "Content-Length: -1"), MALFORMED],
  ["length with a sign", lines("GET / HTTP/1.1", HOST, "Content-Length: +1"), MALFORMED],
  ["header name with a blank", lines("GET / HTTP/1.1", HOST, "X-A : b"), MALFORMED],
  ["header without a colon", lines("GET / HTTP/1.1", HOST, "nonsense"), MALFORMED],
  ["NUL in a header", lines("GET / HTTP/1.1", HOST, "X-A: \0"), MALFORMED],
  ["a folded header", lines("GET / HTTP/1.1", HOST, "X-A: b\r\n c"), MALFORMED],
  ["HTTP/0.9", "GET /\r\n\r\n", MALFORMED],
  ["HTTP/2 in clear", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", MALFORMED],
  ["TLS", "\x16\x03\x01\x02\0\x01\0", MALFORMED],
  [
    "40,000 bytes of headers",
    lines("GET / HTTP/1.1", HOST, `X-A: ${"a".repeat(40_000)}`),
    { status: 431, code: "headers-too-large" },
  ],
  [
    "1,500 headers",
    lines("GET / HTTP/1.1", HOST, ...Array.from({ length: 1500 }, () => "a: b")),
    { status: 431, code: "headers-too-large" },
  ],
  ["Expect: 100-continue is not answered with 100", world.read("Expect: 100-continue"), GOOD],
  ["an Expect that means nothing", world.read("Expect: x"), GOOD],
  ["Upgrade", world.read("Upgrade: h2c"), GOOD],
];

testRows(world, framing);

/** Each leaves bytes that a proxy may take for the beginning of a request. */
const smuggling: [title: string, request: string][] = [
  [
    "length and chunked",
    lines("POST /Api/Metrics HTTP/1.1", HOST, "Content-Length: 4", "Transfer-Encoding: chunked") +
      "0\r\n\r\n",
  ],
  [
    "two lengths",
    lines("POST /Api/Metrics HTTP/1.1", HOST, "Content-Length: 0", "Content-Length: 5"),
  ],
  [
    "two equal lengths",
    lines("POST /Api/Metrics HTTP/1.1", HOST, "Content-Length: 0", "Content-Length: 0"),
  ],
  ["a list of lengths", lines("POST /Api/Metrics HTTP/1.1", HOST, "Content-Length: 0, 5")],
  ["xchunked", lines("GET /health/live HTTP/1.1", HOST, "Transfer-Encoding: xchunked")],
  [
    "chunked, identity",
    lines("POST /health/live HTTP/1.1", HOST, "Transfer-Encoding: chunked, identity"),
  ],
  [
    "gzip, chunked",
    lines("POST /health/live HTTP/1.1", HOST, "Transfer-Encoding: gzip, chunked") + "0\r\n\r\n",
  ],
  [
    "chunked twice",
    lines(
      "POST /health/live HTTP/1.1",
      HOST,
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: chunked",
    ) + "0\r\n\r\n",
  ],
  ["identity", lines("GET /health/live HTTP/1.1", HOST, "Transfer-Encoding: identity")],
  [
    "chunked with a vertical tab",
    lines("POST /health/live HTTP/1.1", HOST, "Transfer-Encoding: \vchunked") + "0\r\n\r\n",
  ],
  ["body with GET", lines("GET /health/live HTTP/1.1", HOST, "Content-Length: 6") + "GET / "],
  ["body with HEAD", lines("HEAD /health/live HTTP/1.1", HOST, "Content-Length: 6") + "GET / "],
  ["body with an unknown path", lines("POST /nope HTTP/1.1", HOST, "Content-Length: 6") + "GET / "],
  [
    "chunk length that is none",
    lines("POST /nope HTTP/1.1", HOST, "Transfer-Encoding: chunked") + "x\r\n",
  ],
  [
    "chunk extension with a line feed",
    lines("POST /nope HTTP/1.1", HOST, "Transfer-Encoding: chunked") + "0;a\nb\r\n\r\n",
  ],
  ["two Hosts", lines("GET /health/live HTTP/1.1", HOST, "Host: other")],
  ["no Host", "GET /health/live HTTP/1.1\r\n\r\n"],
  ["line feeds alone", "GET /health/live HTTP/1.1\nHost: localhost\n\n"],
  ["carriage returns alone", "GET /health/live HTTP/1.1\rHost: localhost\r\r"],
  ["blank before the colon", lines("GET /health/live HTTP/1.1", HOST, "Content-Length : 5")],
  ["folded header", lines("GET /health/live HTTP/1.1", HOST, "X: a\r\n\tContent-Length: 5")],
  ["NUL in a header", lines("GET /health/live HTTP/1.1", HOST, "X: a\0b")],
  ["fragment", lines("GET /health/live#a HTTP/1.1", HOST)],
  ["asterisk", lines("GET * HTTP/1.1", HOST)],
  ["no version", "GET /health/live\r\n\r\n"],
];

test.each(smuggling)("after %s no second request gets a response", async (_, request) => {
  const kept = request.replace("Connection: close\r\n", "");
  const second = world.read();
  const received = await exchange(port, kept + second);
  const [answer, ...more] = parseAnswers(received, kept.startsWith("HEAD") ? [0] : []);
  expect(more).toEqual([]);
  expect(answer?.status).toBeGreaterThanOrEqual(400);
  expect(answer?.headers.get("connection")).toBe("close");
});

test("pipelined requests are answered in order", async () => {
  const first = `GET /health/live HTTP/1.1\r\n${HOST}\r\n\r\n`;
  const second = `HEAD ${METRICS} HTTP/1.1\r\n${HOST}\r\n${KEY}\r\n\r\n`;
  const third = world.read();
  const received = parseAnswers(await exchange(port, first + second + third), [1]);
  expect(received.map(({ body }) => body.toString())).toEqual(['{"status":"ok"}', "", CSV]);
});

test("a response in flight is completed before unreadable bytes close the connection", async () => {
  const request = `GET ${METRICS} HTTP/1.1\r\n${HOST}\r\n${KEY}\r\n\r\nnonsense\r\n\r\n`;
  const received = parseAnswers(await exchange(port, request));
  expect(received.map(({ status }) => status)).toEqual([200]);
  expect(received[0]?.headers.get("connection")).toBe("close");
});
