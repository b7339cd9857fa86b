import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { k6Json } from "./k6-json.ts";

const METRIC =
  '{"type":"Metric","data":{"name":"http_reqs","type":"counter","contains":"default","thresholds":[],"submetrics":null},"metric":"http_reqs"}';
const TAGS =
  '"expected_response":"true","group":"","method":"GET","name":"home","proto":"HTTP/1.1","scenario":"browse","status":"200","url":"http://h/"';

interface Point {
  readonly metric?: string;
  readonly time?: string;
  /** As written in the file. */
  readonly value?: string;
  readonly tags?: string;
}

/** Returns a line in the format of k6 1.8.1. */
function line(given: Point = {}): string {
  const { metric = "http_req_duration", time = "2026-11-21T03:44:25.267914198Z" } = given;
  const { value = "25.502433", tags = TAGS } = given;
  return `{"metric":"${metric}","type":"Point","data":{"time":"${time}","value":${value},"tags":{${tags}}}}`;
}

function decode(...lines: readonly string[]): Decoded {
  return decodeSource(k6Json, [METRIC, ...lines, ""].join("\n"));
}

test("a k6 run has one sample for each request, at its start", () => {
  const { samples, rejections, truncatedAt, notes } = decode(
    line({ metric: "http_reqs", value: "1" }),
    line(),
    line({ metric: "http_req_failed", value: "0" }),
    line({ metric: "vus", value: "1", tags: "" }),
    line({ value: "268", tags: TAGS.replace("true", "false").replace("home", "cart") }),
  );
  expect(samples).toEqual([
    {
      label: "home",
      second: 1_795_232_665,
      elapsedMicros: 25_502,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 0,
    },
    {
      label: "cart",
      second: 1_795_232_664,
      elapsedMicros: 268_000,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 1,
    },
  ]);
  expect({ rejections, truncatedAt }).toEqual({ rejections: [], truncatedAt: undefined });
  expect(notes).toEqual(["k6 does not record response sizes: they are unknown"]);
});

test.each([
  [
    "as k6 0.38 orders its keys",
    `{"type":"Point","data":{"time":"2026-11-21T03:44:25Z","value":1,"tags":{${TAGS}}},"metric":"http_req_duration"}`,
  ],
  ["with metadata", line().replace("}}}", '},"metadata":{"iter":"0","vu":"3"}}}')],
  ["with empty metadata", line().replace("}}}", '},"metadata":{}}}')],
  [
    "with blanks",
    ` ${line()
      .replaceAll(":", " : ")
      .replaceAll(/(\d\d) : (?=\d\d)/g, "$1:")}\t`,
  ],
  ["with a carriage return", `${line()}\r`],
  ["with keys that nobody knows", line().replace('{"metric"', '{"later":[{"a":{}}],"metric"')],
  ["with a key twice", line().replace('"name":"home"', '"name":"cart","name":"home"')],
  ["with an escaped key", line().replace('"name"', String.raw`"n\u0061me"`)],
  [
    "with an escaped metric",
    line().replace("http_req_duration", String.raw`http_req_dur\u0061tion`),
  ],
  ["with a status that is a number", line().replace('"200"', "200")],
])("a point %s is read", (_what, text) => {
  const { samples, rejections } = decode(text);
  expect(samples).toMatchObject([{ label: "home", failedRequests: 0 }]);
  expect(rejections).toEqual([]);
});

test.each([
  ["25.502433", 25_502],
  ["0", 0],
  ["1e-05", 0],
  ["4.99e-04", 0],
  ["5e-04", 1],
  ["5E-4", 1],
  ["1.5e+06", 1_500_000_000],
  ["1.5e6", 1_500_000_000],
  ["12.3456785e3", 12_345_679],
  ["0.0005", 1],
  ["0.00049999999999999999", 0],
  ["0e999", 0],
  ["0.00e-7", 0],
  ["1e-999", 0],
  ["1e-999999999", 0],
  ["8.35e-1", 835],
  // As binary fractions, the next two would be rounded down.
  ["1.0005", 1001],
  ["4.0355", 4036],
])("the duration %s is parsed from its digits", (value, micros) => {
  const { samples, rejections } = decode(line({ value }));
  expect(samples.map((sample) => sample.elapsedMicros)).toEqual([micros]);
  expect(rejections).toEqual([]);
});

test.each([
  ['"name":"a\\u0026b \\u003c\\u003e","url":"u"', "a&b <>"],
  ['"name":"\\ud83d\\ude00"', "😀"],
  ['"name":"\\ud83d"', "\uFFFD"],
  ['"name":"tab\\t\\"quoted\\" \\\\ \\/"', 'tab\t"quoted" \\ /'],
  ['"name":"商品 😀"', "商品 😀"],
  ['"name":"","url":"http://h/\\u0026"', "http://h/&"],
  ['"url":"http://h/"', "http://h/"],
  ['"group":"g"', ""],
  ["", ""],
  [`"name":"${"é".repeat(512)}"`, "é".repeat(512)],
  [`"name":"${"\\u00e9".repeat(512)}"`, "é".repeat(512)],
  ['"name":"__proto__","__proto__":"x"', "__proto__"],
])("the label of the tags %j", (tags, label) => {
  const marked = tags === "" ? '"status":"200"' : `${tags},"status":"200"`;
  const { samples, rejections } = decode(line({ tags: marked }), line({ tags: marked }));
  expect(samples.map((sample) => sample.label)).toEqual([label, label]);
  expect(rejections).toEqual([]);
});

test("an invalid byte in a label becomes U+FFFD on every path", () => {
  const bytes = Buffer.from(
    [METRIC, line(), ` ${line()}`, ""].join("\n").replaceAll("home", "h\u00FFm"),
    "latin1",
  );
  expect(decodeSource(k6Json, bytes).samples.map((sample) => sample.label)).toEqual([
    "h\uFFFDm",
    "h\uFFFDm",
  ]);
});

test.each<[tags: string, failedRow: string | undefined, failed: number]>([
  ['"expected_response":"false","status":"200"', undefined, 1],
  ['"expected_response":"true","status":"404"', undefined, 0],
  ['"expected_response":"true","error":"timeout"', undefined, 1],
  ['"expected_response":"true","error_code":"1404"', undefined, 0],
  ['"status":"404","error_code":"1404"', undefined, 1],
  ['"status":"0"', undefined, 1],
  ['"status":"399"', undefined, 0],
  ['"status":"404"', "0", 0],
  ['"status":"200"', "1", 1],
  ['"expected_response":"true","status":"200"', "1", 1],
  ['"expected_response":"false","status":"200"', "0", 1],
])("tags %j and http_req_failed %s", (tags, failedRow, failed) => {
  const outcome =
    failedRow === undefined ? [] : [line({ metric: "http_req_failed", value: failedRow, tags })];
  const { samples, rejections } = decode(
    line({ tags }),
    line({ metric: "http_reqs", tags }),
    ...outcome,
  );
  expect(samples.map((sample) => sample.failedRequests)).toEqual([failed]);
  expect(rejections).toEqual([]);
});

test("lines of other metrics are not samples, whatever their name", () => {
  const { samples, rejections } = decode(
    line({ metric: "mine" }),
    line({ metric: "mine", tags: '"name":"http_req_duration"' }),
    line({ metric: "mine", value: "-1e-9" }),
    line({ metric: "http_reqs", tags: '"name":"http_req_duration"' }),
    line({ metric: "a & b" }),
    METRIC.replaceAll("http_reqs", "http_req_duration"),
    "",
    "  \t\r",
  );
  expect({ samples, rejections }).toEqual({ samples: [], rejections: [] });
});

const NO_DURATION = /^cannot read the duration: got ".*", want milliseconds, at most 104 days$/;
const NO_OBJECT = /^cannot read the line: got ".*", want a JSON object$/;

test.each<[text: string, reason: RegExp]>([
  [line({ value: "-1", tags: '"name":"a"' }), NO_DURATION],
  [line({ value: '"12"', tags: '"name":"a"' }), NO_DURATION],
  [line({ value: "null", tags: '"name":"a"' }), NO_DURATION],
  [line({ value: "1e30", tags: '"name":"a"' }), NO_DURATION],
  [line({ value: "1e999999999", tags: '"name":"a"' }), NO_DURATION],
  [line({ time: "yesterday" }), /^cannot read the time: got "yesterday", want UNIX or RFC 3339/],
  [line({ time: "1970-01-01T00:00:00Z" }), /^cannot read the time: got "1970/],
  [line({ tags: '"expected_response":"maybe"' }), /^cannot read expected_response: got "maybe"/],
  ['{"type":"Point","metric":"http_req_duration"}', NO_DURATION],
  ['{"type":"Point","metric":"http_req_duration","data":[]}', NO_DURATION],
  ['{"type":"Point","data":{}}', /^cannot read the line: got the metric nothing, want its name$/],
  [
    '{"type":"Graph","metric":"a"}',
    /^cannot read the line: got the type "\\"Graph\\"", want Point or Metric$/,
  ],
  ['{"metric":"http_reqs"}', /^cannot read the line: got the type nothing/],
  ["running (0m01.0s), 1/1 VUs", NO_OBJECT],
  ["[]", NO_OBJECT],
  ["null", NO_OBJECT],
  [line().slice(1), NO_OBJECT],
  [line().slice(0, -1), NO_OBJECT],
  [`${line()}}`, NO_OBJECT],
  [line().slice(0, 90) + line(), NO_OBJECT],
  [line({ metric: "vus" }).slice(0, 90) + line(), NO_OBJECT],
  [line({ value: "01" }), NO_OBJECT],
  [line({ value: "1." }), NO_OBJECT],
  [line({ value: ".1" }), NO_OBJECT],
  [line({ tags: '"name":"a\\x"' }), NO_OBJECT],
  [line({ tags: '"name":"a\\u00g0"' }), NO_OBJECT],
  [line({ tags: '"name":"a\tb"' }), NO_OBJECT],
  [line({ tags: '"name":"a\u0000b"' }), NO_OBJECT],
  [line({ tags: '"name":"a",' }), NO_OBJECT],
  [line({ tags: '"name"' }), NO_OBJECT],
  ["[".repeat(100_000), NO_OBJECT],
])("%j is rejected with its position and reason", (text, reason) => {
  const { samples, rejections } = decode(line(), text, line());
  expect(samples).toHaveLength(2);
  const byte = METRIC.length + line().length + 2;
  expect(rejections).toEqual([{ line: 3, byte, reason: expect.stringMatching(reason) }]);
});

test("a hole of NUL bytes is reported, and the line after it is read", () => {
  const { samples, rejections } = decode(line(), "\0".repeat(300) + line(), line());
  expect(samples).toHaveLength(3);
  expect(rejections).toMatchObject([
    { line: 3, reason: "300 NUL bytes: a part of the source was never written" },
  ]);
});

test("a line of more than 1 MiB is rejected once, with any chunk size", () => {
  const long = line({ tags: `"name":"${"x".repeat(1024 * 1024)}"` });
  const source = [METRIC, line(), long, line(), ""].join("\n");
  const whole = decodeSource(k6Json, source);
  expect(whole.samples).toHaveLength(2);
  expect(whole.rejections).toEqual([
    {
      line: 3,
      byte: METRIC.length + line().length + 2,
      reason: `the line is too long: got ${long.length} bytes, want at most 1 MiB`,
    },
  ]);
  expect(decodeSource(k6Json, source, [60_000])).toEqual(whole);
  const truncatedAt = decodeSource(k6Json, source.slice(0, -(line().length + 20)), [60_000]);
  expect(truncatedAt.truncatedAt).toMatchObject({
    line: 3,
    reason: "the source ends inside a line of over 1 MiB",
  });
});

test.each<[what: string, last: string, samples: number, isCut: boolean]>([
  ["a line without its end", line(), 2, false],
  ["a line cut before its last brace", line().slice(0, -1), 1, true],
  ["a line of another metric cut", line({ metric: "vus" }).slice(0, 50), 1, true],
  ["blanks", "  ", 1, false],
  ["NUL bytes", "\0\0\0", 1, true],
])("%s at the end", (_what, last, count, isCut) => {
  const { samples, rejections, truncatedAt } = decodeSource(
    k6Json,
    `${METRIC}\n${line()}\n${last}`,
  );
  expect(samples).toHaveLength(count);
  expect(rejections).toEqual([]);
  const byte = METRIC.length + line().length + 2;
  expect(truncatedAt).toEqual(
    isCut ? { line: 3, byte, reason: "the source ends inside a line" } : undefined,
  );
});

test.each<[what: string, head: string, recognised: boolean]>([
  ["a metric", METRIC, true],
  ["a metric that is longer than the head", METRIC.slice(0, 70), true],
  ["a point", line(), true],
  ["a point in the order of k6 0.38", '{"type":"Point","data":{},"metric":"vus"}\n', true],
  ["console text and a point", `  execution: local\n\n${line()}\n`, true],
  ["the rest of a line and a point", `:"200"}}}\n${line()}\n`, true],
  ["another JSON line", '{"type":"Point","value":1}\n', false],
  ["a summary of k6", '{\n "metrics": {\n "http_req_duration": {"avg": 1}}}', false],
  ["a JSON array", `[${line()}]`, false],
  ["nothing", "", false],
])("recognises k6 JSON by its head: %s", (_what, head, recognised) => {
  expect(k6Json.recognises(Buffer.from(head))).toBe(recognised);
});
