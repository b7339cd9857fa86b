/** Details of single requests of each tool. The expected values were read from the lines by hand. */

import { expect, test } from "vitest";
import { keptOf } from "../../test/support/kept-samples.ts";
import { gatlingText } from "./gatling/gatling-text.ts";
import { har } from "./har/har.ts";
import { locustRequests } from "./locust/locust-requests.ts";
import { heyCsv } from "./tables/hey-oha-ab.ts";
import { phout } from "./tables/phout.ts";
import { tachographCsv, tachographNdjson } from "./tables/tachograph.ts";
import { tsungDump } from "./tables/tsung-dump.ts";
import { vegetaCsv, vegetaJson } from "./vegeta/vegeta-text.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const archive = (...entries: readonly object[]): string =>
  JSON.stringify({ log: { version: "1.2", creator: { name: "a" }, entries } });

test("our own lines have it in a member", () => {
  const line = {
    timestamp: 1_795_232_610.052,
    label: "POST /pay",
    elapsedMs: 2001,
    success: false,
    code: "503",
    message: "Busy",
    receivedBytes: 21,
    generator: "host-1",
    sample: {
      traceId: "0af7651916cd43dd8448eb211c80319c",
      method: "POST",
      url: "https://shop.example/pay?order=7&token=SECRET",
      thread: "user 3",
      connectMs: 1.5,
      latencyMs: 2000,
      sentBytes: 17,
      requestHeaders: { Accept: "*/*", Cookie: "id=SECRET", "X-Tag": ["a", "b"] },
      requestBody: { order: 7, password: "SECRET" },
      responseHeaders: "Retry-After: 5",
      responseBody: "all workers are busy",
      unknown: "SECRET",
      idleMs: -1,
    },
  };
  expect(keptOf(tachographNdjson, `${JSON.stringify(line)}\n`)).toEqual([
    {
      label: "POST /pay",
      timeMs: 1_795_232_610_052,
      elapsedMicros: 2_001_000,
      code: "503",
      message: "Busy",
      receivedBytes: 21,
      generator: "host-1",
      traceId: "0af7651916cd43dd8448eb211c80319c",
      method: "POST",
      url: "https://shop.example/pay?order=7&token=[redacted]",
      thread: "user 3",
      connectMicros: 1500,
      latencyMicros: 2_000_000,
      sentBytes: 17,
      requestHeaders: "Accept: */*\nCookie: [redacted]\nX-Tag: a\nX-Tag: b",
      requestBody: '{"order":7,"password":"[redacted]"}',
      responseHeaders: "Retry-After: 5",
      responseBody: "all workers are busy",
      hash: expect.any(Number) as number,
    },
  ]);
});

test.each([
  ["1795232610.052", 52],
  ["1795232610052", 52],
  ["1795232610052999", 52],
  ["1795232610052999999", 52],
  ["1795232610.9", 900],
  ["1795232610", 0],
  ["2026-11-21T03:43:30.052Z", 52],
  ["", 0],
])("the start %s is at %i ms of its second", (timestamp, millis) => {
  const [kept] = keptOf(tachographCsv, `timestamp,label,elapsedMs\n${timestamp},a,5\n`);
  expect((kept?.timeMs ?? 0) % 1000).toBe(millis);
});

test("our own table has it in columns", () => {
  const table = `timestamp,label,elapsedMs,success,traceId,url,receivedBytes
1795232610.052,GET /cart,103.25,true,4bf92f,https://shop.example/cart?sid=SECRET,1374
`;
  expect(keptOf(tachographCsv, table)).toMatchObject([
    {
      timeMs: 1_795_232_610_052,
      traceId: "4bf92f",
      url: "https://shop.example/cart?sid=[redacted]",
      receivedBytes: 1374,
    },
  ]);
});

test("HAR has headers, bodies and phases", () => {
  const entry = {
    startedDateTime: "2026-11-21T03:52:49.828Z",
    time: 32.5,
    request: {
      method: "POST",
      url: "https://shop.example/cart",
      headers: [
        { name: "accept", value: "*/*" },
        { name: "authorization", value: "Custom SECRET" },
      ],
      postData: { mimeType: "text/plain", text: "password=SECRET&n=1" },
    },
    response: {
      status: 500,
      statusText: "Internal Server Error",
      headers: [{ name: "content-type", value: "text/plain" }],
      bodySize: 5,
      content: { size: 5, mimeType: "text/plain", encoding: "base64", text: base64("no ☕") },
    },
    timings: { blocked: -1, dns: 0.25, connect: 4, ssl: 3, send: 1, wait: 26, receive: 1.25 },
  };
  expect(keptOf(har, archive(entry))).toMatchObject([
    {
      timeMs: Date.UTC(2026, 10, 21, 3, 52, 49, 828),
      elapsedMicros: 32_500,
      code: "500",
      message: "Internal Server Error",
      method: "POST",
      url: "https://shop.example/cart",
      requestHeaders: "accept: */*\nauthorization: [redacted]",
      requestBody: "password=[redacted]&n=1",
      responseHeaders: "content-type: text/plain",
      responseBody: "no ☕",
      dnsMicros: 250,
      connectMicros: 4000,
      tlsMicros: 3000,
      sendMicros: 1000,
      waitMicros: 26_000,
      receiveMicros: 1250,
      receivedBytes: 5,
    },
  ]);
  const { response } = entry;
  const picture = { ...response.content, mimeType: "image/png" };
  const shown = keptOf(har, archive({ ...entry, response: { ...response, content: picture } }));
  expect(shown[0]).not.toHaveProperty("responseBody");
  expect(shown[0]).not.toHaveProperty("blockedMicros");
});

test("Vegeta has the response", () => {
  const line = {
    attack: "a",
    seq: 0,
    code: 400,
    timestamp: "2018-11-27T05:43:29.1324706Z",
    latency: 143_865_700,
    bytes_out: 3,
    bytes_in: 15,
    error: "400 Bad Request",
    body: base64("400 Bad Request"),
    method: "GET",
    url: "http://shop.example/",
    headers: { Server: ["nginx"], "Set-Cookie": ["id=SECRET"] },
  };
  const details = {
    timeMs: Date.UTC(2018, 10, 27, 5, 43, 29, 132),
    elapsedMicros: 143_866,
    code: "400",
    message: "400 Bad Request",
    method: "GET",
    url: "http://shop.example/",
    sentBytes: 3,
    receivedBytes: 15,
    responseBody: "400 Bad Request",
    responseHeaders: "Server: nginx\nSet-Cookie: [redacted]",
  };
  expect(keptOf(vegetaJson, `${JSON.stringify(line)}\n`)).toMatchObject([details]);
  const headers = base64("Server: nginx\r\nSet-Cookie: id=SECRET\r\n");
  const start = "1543297409132470600,400,143865700,3,15,400 Bad Request";
  const row = `${start},${line.body},a,0,GET,${line.url},${headers}\n`;
  const responseHeaders = "Server: nginx\r\nSet-Cookie: [redacted]\r\n";
  expect(keptOf(vegetaCsv, row)).toMatchObject([{ ...details, responseHeaders }]);
});

test("Gatling has the message of a failure", () => {
  const log = `RUN\tsim.Shop\tshop\t1795232600000\t \t3.12.0
REQUEST\t\tpay\t1795232610052\t1795232610152\tKO\tstatus.find.is(200), but actually found 503
REQUEST\t\tpay\t1795232611007\t1795232611057\tOK\t 
`;
  expect(keptOf(gatlingText, log)).toMatchObject([
    {
      label: "pay",
      timeMs: 1_795_232_610_052,
      elapsedMicros: 100_000,
      code: "",
      message: "status.find.is(200), but actually found 503",
    },
    { label: "pay", timeMs: 1_795_232_611_007, elapsedMicros: 50_000 },
  ]);
});

test("tables have phases, threads and URLs", () => {
  const rowOfPhout = "1795232610.052\tpay#7\t9000\t1000\t20\t7000\t980\t0\t120\t512\t110\t0\n";
  expect(keptOf(phout, rowOfPhout)).toMatchObject([
    {
      timeMs: 1_795_232_610_052,
      message: "net code 110",
      connectMicros: 1000,
      sendMicros: 20,
      waitMicros: 7000,
      receiveMicros: 980,
      sentBytes: 120,
      receivedBytes: 512,
    },
  ]);
  const hey = `response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset
0.0271,0.0011,0.0004,0.0001,0.0255,0.0002,503,1.2500
`;
  expect(keptOf(heyCsv, hey, { startedAtMs: 1_795_232_600_000 })).toMatchObject([
    {
      timeMs: 1_795_232_601_250,
      code: "503",
      dnsMicros: 400,
      sendMicros: 100,
      waitMicros: 25_500,
      receiveMicros: 200,
    },
  ]);
  const tsung = `#date;pid;id;http method;host;URL;HTTP status;size;duration;transaction;match;error;tag
1795232610.252;<0.99.0>;7;post;shop.example;/pay?a=1;500;21;200.5;;;;
`;
  expect(keptOf(tsungDump, tsung)).toMatchObject([
    {
      timeMs: 1_795_232_610_051,
      elapsedMicros: 200_500,
      thread: "<0.99.0>",
      url: "shop.example/pay?a=1",
    },
  ]);
  const locust = `timestamp,request_type,name,response_time_ms,response_length,status_code,exception
1795232784.171469,POST,/pay,126.23,8393,500,HTTPError('500 for /pay')
`;
  expect(keptOf(locustRequests, locust)).toMatchObject([
    {
      timeMs: 1_795_232_784_171,
      elapsedMicros: 126_230,
      method: "POST",
      message: "HTTPError('500 for /pay')",
    },
  ]);
});

test("a failure without a reason is one", () => {
  const lines = `{"timestamp":1795232610,"label":"a","elapsedMs":5,"success":false}\n`;
  expect(keptOf(tachographNdjson, lines)).toMatchObject([{ code: "", message: "" }]);
});

test("headers that a browser has joined by line feeds are lines of their own", () => {
  const joined = "theme=dark; Path=/\nid=SECRET";
  const lines = "Set-Cookie: [redacted]\nSet-Cookie: [redacted]";
  const sample = { responseHeaders: { "Set-Cookie": joined } };
  const line = { label: "a", elapsedMs: 1, success: true, sample };
  const [own] = keptOf(tachographNdjson, JSON.stringify(line));
  expect(own?.responseHeaders).toBe(lines);
  const headers = [{ name: "Set-Cookie", value: joined }];
  const [ofHar] = keptOf(
    har,
    archive({
      startedDateTime: "2026-11-21T03:52:49.828Z",
      time: 1,
      request: { method: "GET", url: "/" },
      response: { status: 200, headers },
    }),
  );
  expect(ofHar?.responseHeaders).toBe(lines);
});
