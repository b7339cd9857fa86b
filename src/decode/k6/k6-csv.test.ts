import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { k6Csv } from "./k6-csv.ts";

const HEADER =
  "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata";
const SIZES = "k6 does not record response sizes: they are unknown";
const SECONDS = "the source has whole seconds only: a request can be counted up to 1 s too early";

interface Row {
  readonly metric?: string;
  readonly time?: string;
  readonly value?: string;
  readonly error?: string;
  readonly expected?: string;
  readonly name?: string;
  readonly status?: string;
  readonly url?: string;
}

/** Returns a row in the format of k6 1.8.1. */
function row(given: Row = {}): string {
  const { metric = "http_req_duration", time = "1795232665", value = "25.502433" } = given;
  const { error = "", expected = "true", name = "home", status = "200", url = "home" } = given;
  return `${metric},${time},${value},,${error},,${expected},,GET,${name},HTTP/1.1,browse,,${status},,,${url},,`;
}

function decode(...rows: readonly string[]): Decoded {
  return decodeSource(k6Csv, [HEADER, ...rows, ""].join("\n"));
}

test("a k6 run has one sample for each request, at its start", () => {
  const { samples, rejections, truncatedAt, notes } = decode(
    row({ metric: "http_reqs", value: "1.000000" }),
    row(),
    row({ metric: "http_req_blocked", value: "0.001000" }),
    row({ metric: "http_req_failed", value: "0.000000" }),
    "checks,1795232665,1.000000,status is 200,,,,,,,,browse,,,,,,,",
    row({ time: "1795232665914", value: "1914.000001", name: "cart", expected: "false" }),
    "vus,1795232666,0.000000,,,,,,,,,,,,,,,,",
  );
  expect(samples).toEqual([
    {
      label: "home",
      second: 1_795_232_664,
      elapsedMicros: 25_502,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 0,
    },
    {
      label: "cart",
      second: 1_795_232_663,
      elapsedMicros: 1_914_000,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 1,
    },
  ]);
  expect([rejections, truncatedAt, notes]).toEqual([[], undefined, [SIZES]]);
});

test.each([
  ["1795232665500", "500", 1_795_232_665],
  ["1795232665500", "500.000001", 1_795_232_664],
  ["1795232665500", "500.0000001", 1_795_232_664],
  ["1795232665", "0", 1_795_232_665],
  ["1795232665", "0.000001", 1_795_232_664],
  ["1795232665", "1000", 1_795_232_664],
  ["1795232665", "86400000.5", 1_795_146_264],
])("a request that ended at %s after %s ms began in second %i", (time, value, second) => {
  expect(decode(row({ time, value })).samples.map((sample) => sample.second)).toEqual([second]);
});

test("notes name what the format lacks, and only that", () => {
  expect(decode(row()).notes).toEqual([SIZES, SECONDS]);
  expect(decode(row({ time: "2026-11-21T09:14:13+05:30" })).notes).toEqual([SIZES, SECONDS]);
  expect(decode(row({ time: "1795232665914" })).notes).toEqual([SIZES]);
  expect(decode().notes).toEqual([]);
  expect(decode(row({ name: "", url: "" })).notes).toContain(
    "requests without a name and a URL have the empty label",
  );
  expect(decode(row({ expected: "", status: "" })).notes).toContain(
    "1 requests have neither a status nor a failure flag: counted as passed",
  );
});

test.each<[what: string, rows: readonly string[], failed: number]>([
  ["expected", [row({ expected: "true", status: "404" })], 0],
  ["not expected", [row({ expected: "false", status: "200" })], 1],
  ["expected, saved again by a spreadsheet", [row({ expected: "TRUE" })], 0],
  ["not expected, saved again by a spreadsheet", [row({ expected: "FALSE" })], 1],
  ["an error although expected, as v0.31 writes timeouts", [row({ error: "timeout" })], 1],
  ["no mark, status 200", [row({ expected: "" })], 0],
  ["no mark, status 399", [row({ expected: "", status: "399" })], 0],
  ["no mark, status 400", [row({ expected: "", status: "400" })], 1],
  ["no mark, no answer", [row({ expected: "", status: "0" })], 1],
  ["no mark, no status", [row({ expected: "", status: "" })], 0],
  [
    "http_req_failed says failed",
    [row({ expected: "" }), row({ metric: "http_req_failed", expected: "", value: "1.0" })],
    1,
  ],
  [
    "http_req_failed behind it says passed",
    [
      row({ expected: "", status: "404" }),
      row({ metric: "http_req_blocked", expected: "", value: "1" }),
      row({ metric: "http_req_failed", expected: "", value: "0" }),
    ],
    0,
  ],
  ["failed, although expected", [row(), row({ metric: "http_req_failed", value: "1" })], 1],
  ["error", [row({ error: "x" }), row({ metric: "http_req_failed", value: "0" })], 1],
  [
    "http_req_failed of another time",
    [
      row({ expected: "" }),
      row({ metric: "http_req_failed", expected: "", value: "1", time: "1795232666" }),
    ],
    0,
  ],
  [
    "http_req_failed of another request",
    [
      row({ expected: "" }),
      row({ metric: "http_req_failed", expected: "", value: "1", name: "b" }),
    ],
    0,
  ],
  [
    "http_req_failed that cannot be read",
    [row({ expected: "" }), row({ metric: "http_req_failed", expected: "", value: "yes" })],
    0,
  ],
])("%s", (_what, rows, failed) => {
  const { samples, rejections } = decode(...rows);
  expect(samples.map((sample) => sample.failedRequests)).toEqual([failed]);
  expect(rejections).toEqual([]);
});

test("each request without an outcome gets the http_req_failed row after it", () => {
  const pairs = ["0", "1", "", "1", "0"].flatMap((failed) => [
    row({ expected: "" }),
    ...(failed === "" ? [] : [row({ metric: "http_req_failed", expected: "", value: failed })]),
  ]);
  expect(decode(...pairs).samples.map((sample) => sample.failedRequests)).toEqual([0, 1, 0, 1, 0]);
});

test.each([
  ["the name", row({ name: "a", url: "b" }), "a"],
  ["the URL where there is no name", row({ name: "", url: "http://h/?a=1" }), "http://h/?a=1"],
  ["a quoted name", row({ name: '"a ""b"", c"' }), 'a "b", c'],
  [
    "a name over two lines",
    row({ name: '"a\nhttp_req_duration,1,2"' }),
    "a\nhttp_req_duration,1,2",
  ],
  ["blanks at its ends", row({ name: '" a "' }), " a "],
  ["text beyond ASCII", row({ name: "商品 😀" }), "商品 😀"],
  ["a name of 1,024 bytes", row({ name: "é".repeat(512) }), "é".repeat(512)],
])("the label is %s", (_what, line, label) => {
  expect(decode(line).samples.map((sample) => sample.label)).toEqual([label]);
});

test("columns are found by name, in any order and version of k6", () => {
  for (const [header, line] of [
    ["metric_name,timestamp,metric_value,name", "http_req_duration,1795232665,1,a"],
    ["name,metric_value,timestamp,metric_name", "a,1,1795232665,http_req_duration"],
    ['"metric_name","timestamp","metric_value","name"', '"http_req_duration","1795232665","1","a"'],
    ["metric_name,timestamp,metric_value,name,name", "http_req_duration,1795232665,1,a,b"],
  ]) {
    const { samples } = decodeSource(k6Csv, `${header}\r\n${line}\r\n`);
    expect(samples).toMatchObject([{ label: "a", second: 1_795_232_664, elapsedMicros: 1000 }]);
  }
});

test("a header in the middle of the file applies to the rows after it", () => {
  const { samples, rejections } = decode(
    row({ name: "a" }),
    "metric_name,timestamp,metric_value,name",
    "http_req_duration,1795232665,1,b",
    HEADER,
    row({ name: "c" }),
  );
  expect(samples.map((sample) => sample.label)).toEqual(["a", "b", "c"]);
  expect(rejections).toEqual([]);
});

test("rows of custom metrics are not samples, whatever their name", () => {
  const { samples, rejections } = decode(
    row({ metric: "my_trend" }),
    row({ metric: "my_trend", name: "http_req_duration" }),
    row({ metric: "old name with blanks (ms)" }),
    row({ metric: "http_req_duration_of_mine" }),
    row({ metric: '"quoted (too)"' }),
    row({ metric: "http_reqs", name: "http_req_duration" }),
  );
  expect({ samples, rejections }).toEqual({ samples: [], rejections: [] });
});

test("empty lines and carriage returns are ignored", () => {
  const { samples, rejections } = decodeSource(k6Csv, `${HEADER}\r\n\r\n${row()}\r\n\r\n`);
  expect(samples).toHaveLength(1);
  expect(rejections).toEqual([]);
});

test.each<[line: string, reason: string]>([
  [
    row({ value: "12x", expected: "", status: "" }),
    'cannot read the duration: got "12x", want milliseconds, at most 104 days',
  ],
  [
    row({ value: "-1", expected: "", status: "" }),
    'cannot read the duration: got "-1", want milliseconds, at most 104 days',
  ],
  [
    row({ value: "", expected: "", status: "" }),
    'cannot read the duration: got "", want milliseconds, at most 104 days',
  ],
  [row({ time: "" }), 'cannot read the time: got "", want UNIX or RFC 3339, from 1970 to 2106'],
  [
    row({ time: "1.79E+09" }),
    'cannot read the time: got "1.79E+09", want UNIX or RFC 3339, from 1970 to 2106',
  ],
  [
    row({ time: "4294967297" }),
    'cannot read the time: got "4294967297", want UNIX or RFC 3339, from 1970 to 2106',
  ],
  [
    row({ time: "0000000009", value: "9000" }),
    'cannot read the time: got "0000000009", want UNIX or RFC 3339, from 1970 to 2106',
  ],
  [row({ expected: "maybe" }), 'cannot read expected_response: got "maybe", want true or false'],
  [row({ expected: "", status: "OK" }), 'cannot read the status: got "OK", want a whole number'],
  ["http_req_duration,1795232665,25.5", "got 3 fields, want 19"],
  [`${row()},`, "got 20 fields, want 19"],
  [`http_reqs,17952http_req_duration,1795232665,1.5,,,,true,,GET`, "got 10 fields, want 19"],
  ["     http_req_duration..............: avg=117.1ms min=4.1ms", "got 1 field, want 19"],
  [
    row({ metric: "req_duration" }),
    'cannot read the metric name: got "req_duration", want one of k6',
  ],
  [row({ metric: "" }), 'cannot read the metric name: got "", want one of k6'],
  [
    row({ metric: "http_req\t" }),
    String.raw`cannot read the metric name: got "http_req\t", want one of k6`,
  ],
  [
    row({ metric: "http\0_req" }),
    String.raw`cannot read the metric name: got "http\u{0}_req", want one of k6`,
  ],
  [
    row({ metric: 'http"_req' }),
    String.raw`cannot read the metric name: got "http\"_req", want one of k6`,
  ],
])("%j is rejected with its position and reason", (line, reason) => {
  const { samples, rejections } = decode(row({ name: '"a\nb"' }), line, row());
  expect(samples).toHaveLength(2);
  const byte = HEADER.length + 1 + row({ name: '"a\nb"' }).length + 1;
  expect(rejections).toEqual([{ line: 4, byte, reason }]);
});

test("a hole of NUL bytes is reported, and the row after it is read", () => {
  const hole = "\0".repeat(5000);
  const { samples, rejections } = decode(row(), hole + row({ name: "b" }), row({ name: "c" }));
  expect(samples.map((sample) => sample.label)).toEqual(["home", "b", "c"]);
  expect(rejections).toEqual([
    {
      line: 3,
      byte: HEADER.length + row().length + 2,
      reason: "5000 NUL bytes: a part of the source was never written",
    },
  ]);
  expect(decode(hole + row({ value: "x", expected: "", status: "" })).rejections).toMatchObject([
    { reason: expect.stringMatching(/^5000 NUL bytes: .*; after them: cannot read the duration/) },
  ]);
  expect(decode(hole, row()).rejections).toHaveLength(1);
});

test("console text before the header is reported, as in k6 output to -", () => {
  const { samples, rejections } = decodeSource(
    k6Csv,
    `     execution: local\n${HEADER}\n${row()}\nrunning (0m01.0s), 1/1 VUs\n`,
  );
  expect(samples).toHaveLength(1);
  expect(rejections.map(({ line }) => line)).toEqual([1, 4]);
});

test.each<[what: string, last: string, samples: number, reason: string | undefined]>([
  ["a row without its line end", row(), 2, undefined],
  ["a row cut before its last column", row().slice(0, -1), 1, "got 18 fields, want 19"],
  ["a row cut within a name", row().slice(0, 60), 1, "want 19"],
  ["a row of another metric cut", "http_reqs,17952", 1, "got 2 fields, want 19"],
  ["a row cut within quotes", row({ name: '"a\nb"' }).slice(0, 56), 1, "inside quotes"],
  ["a row of another metric without its line end", row({ metric: "http_reqs" }), 1, undefined],
])("%s at the end", (_what, last, count, reason) => {
  const { samples, rejections, truncatedAt } = decodeSource(k6Csv, `${HEADER}\n${row()}\n${last}`);
  expect(samples).toHaveLength(count);
  expect(rejections).toEqual([]);
  expect(truncatedAt?.line).toBe(reason === undefined ? undefined : 3);
  expect(truncatedAt?.reason ?? "").toContain(reason ?? "");
});

test("a source without k6's header is refused", () => {
  for (const source of ["", "a,b,c\n1,2,3\n", row()]) {
    expect(() => decodeSource(k6Csv, source)).toThrow(
      /cannot read this as k6 CSV: there is no header line/,
    );
  }
});
