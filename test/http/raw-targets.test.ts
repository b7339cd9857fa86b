import { afterAll } from "vitest";
import {
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
const KEY = `X-Service-Auth: ${world.key}`;

const targets: Row[] = [
  ["the operation", world.read(), GOOD],
  [
    "letters of any case",
    lines(`GET ${METRICS.replace("/Api/Metrics", "/aPI/METRICS")} HTTP/1.1`, HOST, KEY),
    GOOD,
  ],
  ["HTTP/1.0", lines(`GET ${METRICS} HTTP/1.0`, HOST, KEY), GOOD],
  [
    "absolute form for this host",
    lines(`GET http://localhost:1${METRICS} HTTP/1.1`, HOST, KEY),
    GOOD,
  ],
  [
    "absolute form without a path",
    lines("GET http://localhost HTTP/1.1", HOST),
    { status: 200, headers: { "content-type": "text/html; charset=utf-8" } },
  ],
  [
    "absolute form for another host",
    lines(`GET http://evil.example${METRICS} HTTP/1.1`, HOST, KEY),
    { status: 421, code: "foreign-host" },
  ],
  [
    "absolute form that hides a user",
    lines(`GET http://a@localhost${METRICS} HTTP/1.1`, HOST, KEY),
    MALFORMED,
  ],
  ["another scheme", lines("GET ftp://localhost/ HTTP/1.1", HOST), MALFORMED],
  ["asterisk", lines("OPTIONS * HTTP/1.1", HOST), MALFORMED],
  ["fragment", lines(`GET ${METRICS}#x HTTP/1.1`, HOST, KEY), MALFORMED],
  ["blank in the target", lines("GET /a b HTTP/1.1", HOST), MALFORMED],
  ["byte above ASCII in the target", lines("GET /\xE9 HTTP/1.1", HOST), MALFORMED],
  [
    "byte above ASCII in the query",
    lines(`GET ${METRICS}&x=\xC3\xA9 HTTP/1.1`, HOST, KEY),
    MALFORMED,
  ],
  ["NUL in the target", lines("GET /\0 HTTP/1.1", HOST), MALFORMED],
  [
    "bad percent-encoding in the path",
    lines("GET /Api/%ZZ HTTP/1.1", HOST),
    { status: 400, code: "bad-encoding" },
  ],
  [
    "bytes in the path that are not UTF-8",
    lines("GET /%FF HTTP/1.1", HOST),
    { status: 400, code: "bad-encoding" },
  ],
  [
    "bad percent-encoding in the query",
    lines(`GET ${METRICS}&x=%G HTTP/1.1`, HOST, KEY),
    { status: 400, code: "bad-encoding" },
  ],
  ["8,192 bytes of target", lines(`GET ${padded(8192)} HTTP/1.1`, HOST, KEY), GOOD],
  [
    "8,193 bytes of target",
    lines(`GET ${padded(8193)} HTTP/1.1`, HOST, KEY),
    { status: 414, code: "address-too-long" },
  ],
  [
    "40,000 bytes of target",
    lines(`GET ${padded(40_000)} HTTP/1.1`, HOST, KEY),
    { status: 431, code: "headers-too-large" },
  ],
  ["unknown path", lines("GET /nope HTTP/1.1", HOST), { status: 404, code: "unknown-route" }],
  [
    "slash at the end",
    lines("GET /Api/Metrics/?x=1 HTTP/1.1", HOST),
    { status: 308, headers: { location: "/Api/Metrics?x=1" } },
  ],
  [
    "double slash",
    lines("GET //Api/Metrics HTTP/1.1", HOST, KEY),
    { status: 404, code: "unknown-route" },
  ],
  [
    "way up",
    lines("GET /Api/../../etc/passwd HTTP/1.1", HOST),
    { status: 404, code: "unknown-route" },
  ],
  [
    "encoded way up",
    lines("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", HOST),
    { status: 404, code: "unknown-route" },
  ],
  [
    "encoded slash",
    lines("GET /Api%2FMetrics HTTP/1.1", HOST, KEY),
    { status: 404, code: "unknown-route" },
  ],
];

const hosts: Row[] = [
  ["no Host", "GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n", MALFORMED],
  ["two Hosts", lines("GET /health/live HTTP/1.1", HOST, HOST), MALFORMED],
  [
    "two different Hosts",
    lines("GET /health/live HTTP/1.1", HOST, "Host: evil.example"),
    MALFORMED,
  ],
  ["empty Host", lines("GET /health/live HTTP/1.1", "Host:"), MALFORMED],
  ["Host with a path", lines("GET /health/live HTTP/1.1", "Host: localhost/x"), MALFORMED],
  ["Host with a user", lines("GET /health/live HTTP/1.1", "Host: a@localhost"), MALFORMED],
  [
    "foreign Host",
    lines("GET /health/live HTTP/1.1", "Host: evil.example"),
    { status: 421, code: "foreign-host" },
  ],
  [
    "foreign Host comes before the path",
    lines("GET /nope HTTP/1.1", "Host: evil.example"),
    { status: 421, code: "foreign-host" },
  ],
  [
    "Host with another port",
    lines("GET /health/live HTTP/1.1", "Host: LOCALHOST:9"),
    { status: 200 },
  ],
  ["loopback address", lines("GET /health/live HTTP/1.1", "Host: [::1]:8013"), { status: 200 }],
  [
    "Host of the setting",
    lines("GET /health/live HTTP/1.1", "Host: metrics.example"),
    { status: 200 },
  ],
];

const methods: Row[] = [
  ...["POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "QUERY"].map((method): Row => [
    method,
    lines(`${method} /Api/Metrics HTTP/1.1`, HOST),
    { status: 405, code: "method-not-allowed", headers: { allow: "GET, HEAD, OPTIONS" } },
  ]),
  [
    "method before key",
    lines("POST /Api/Metrics HTTP/1.1", HOST, KEY, "Content-Length: 3") + "abc",
    { status: 405, headers: { connection: "close" } },
  ],
  ["path before method", lines("POST /nope HTTP/1.1", HOST), { status: 404 }],
  ["unknown method", lines("BREW /Api/Metrics HTTP/1.1", HOST), MALFORMED],
  ["method in small letters", lines("get /Api/Metrics HTTP/1.1", HOST), MALFORMED],
  [
    "OPTIONS",
    lines("OPTIONS /Api/Metrics HTTP/1.1", HOST),
    { status: 204, headers: { allow: "GET, HEAD, OPTIONS" } },
  ],
  ["OPTIONS on an unknown path", lines("OPTIONS /nope HTTP/1.1", HOST), { status: 404 }],
];

testRows(world, targets);
testRows(world, hosts);
testRows(world, methods);

/** The operation's target, padded with a parameter that is ignored. */
function padded(length: number): string {
  return `${METRICS}&x=${"x".repeat(length - METRICS.length - 3)}`;
}
