import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { abTsv, heyCsv, ohaCsv } from "../tables/hey-oha-ab.ts";
import { tachographCsv } from "../tables/tachograph.ts";
import type { DecodeOptions, Format } from "../decoder.ts";

const HEY =
  "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset";
const OHA = "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status";
const AB = "starttime\tseconds\tctime\tdtime\tttime\twait";
/** 2026-11-21 03:46:37.600 UTC */
const STARTED_AT_MS = 1_795_232_797_600;

function decode(
  format: Format,
  lines: readonly string[],
  options: Partial<DecodeOptions> = {},
): Decoded {
  return decodeSource(format, `${lines.join("\n")}\n`, [], { timeZone: "UTC", ...options });
}

test("hey: start of the run plus offset gives the second, and status 400 is a failure", () => {
  const rows = [
    "0.0313,0.0001,0.0000,0.0000,0.0310,0.0001,200,0.3999",
    "1.2345,0.0001,0.0000,0.0000,0.0310,0.0001,404,0.4000",
  ];
  const { samples, failures } = decode(heyCsv, [HEY, ...rows], { startedAtMs: STARTED_AT_MS });
  const common = { label: "All requests", receivedBytes: 0, requests: 1 };
  expect(samples).toEqual([
    { ...common, second: 1_795_232_797, elapsedMicros: 31_300, failedRequests: 0 },
    { ...common, second: 1_795_232_798, elapsedMicros: 1_234_500, failedRequests: 1 },
  ]);
  expect(failures).toEqual([
    {
      label: "All requests",
      second: 1_795_232_798,
      kind: { code: "404", message: "" },
      requests: 1,
    },
  ]);
});

test("oha: reads sizes, and does not round an offset into the next second", () => {
  const rows = [
    "0.399999999,0.00002,0.0001,0.027079684,0.027080876,2048,200",
    "2.7522520740000003,0,0,0,0.0000005,0,302",
    "0.4,0,0,0,1,7,503",
  ];
  const { samples } = decode(ohaCsv, [OHA, ...rows], { startedAtMs: STARTED_AT_MS });
  expect(samples).toMatchObject([
    { second: 1_795_232_797, elapsedMicros: 27_081, receivedBytes: 2048, failedRequests: 0 },
    { second: 1_795_232_800, elapsedMicros: 1, receivedBytes: 0, failedRequests: 0 },
    { second: 1_795_232_798, elapsedMicros: 1_000_000, receivedBytes: 7, failedRequests: 1 },
  ]);
});

test("ab: reads seconds and milliseconds; no request counts as failed", () => {
  const rows = ["Sat Nov 21 00:13:11 2026\t1795219991\t0\t21\t21\t21"];
  const { samples, notes } = decode(abTsv, [AB, ...rows]);
  expect(samples).toMatchObject([
    { second: 1_795_219_991, elapsedMicros: 21_000, failedRequests: 0 },
  ]);
  expect(notes).toEqual([
    "ab does not record response sizes: they are unknown",
    "ab does not record whether a request failed: no request counts as failed",
  ]);
});

test.each([
  { format: heyCsv, header: HEY, row: "0.03,0,0,0,0,0,200,7.5" },
  { format: ohaCsv, header: OHA, row: "7.5,0,0,0,0.03,10,200" },
])("$format.name without the start of the run is at second 0, with a note", (given) => {
  const { samples, notes } = decode(given.format, [given.header, given.row]);
  expect(samples.map(({ second }) => second)).toEqual([0]);
  expect(notes.join()).toContain("all requests are at second 0, unless --started-at says when");
  const started = decode(given.format, [given.header, given.row], { startedAtMs: STARTED_AT_MS });
  expect(started.notes.join()).not.toContain("second 0");
});

test("a hey run in which all requests failed is an empty result with a note", () => {
  const { samples, rejections, truncatedAt, notes } = decode(heyCsv, [HEY]);
  expect({ samples, rejections, truncatedAt }).toEqual({
    samples: [],
    rejections: [],
    truncatedAt: undefined,
  });
  expect(notes).toContain(
    "hey omits requests that got no response: they are not counted, not even as failed",
  );
});

test("forks of hey without status and offset are read with notes", () => {
  const header = HEY.split(",").slice(0, 6).join();
  const { samples, notes } = decode(heyCsv, [header, "0.03,0,0,0,0,0"], {
    startedAtMs: STARTED_AT_MS,
  });
  expect(samples).toMatchObject([{ second: 0, elapsedMicros: 30_000, failedRequests: 0 }]);
  expect(notes).toContain("no status-code column: no request counts as failed");
  expect(notes).toContain("no offset column: all requests are at second 0");
});

// rakyll/hey #320 prints a response time of -1844 s.
test.each([
  ["-1844.6744,0,0,0,0,0,503,1", "time-unknown", 'response-time: got "-1844.6744", want seconds'],
  ["0.0x,0,0,0,0,0,503,1", "time-unknown", 'response-time: got "0.0x", want seconds'],
  [",0,0,0,0,0,503,1", "time-unknown", 'response-time: got "", want seconds'],
  ["0.1,0,0,0,0,0,503,-1", "start-unknown", 'offset: got "-1", want seconds'],
  ["0.1,0,0,0,0,0,503,9999999999", "start-unknown", 'offset: got "9999999999", want seconds'],
])("the failed request %s counts, with %s", (row, kind, fault) => {
  const decoded = decode(heyCsv, [HEY, row, "0.2,0,0,0,0,0,200,1"]);
  const { samples, windows, failures, rejections, repairs } = decoded;
  expect(samples.length + windows.length).toBe(2);
  expect(failures).toMatchObject([{ kind: { code: "503" }, requests: 1 }]);
  expect(rejections).toEqual([]);
  const place = { line: 2, byte: HEY.length + 1 };
  expect(repairs).toEqual([{ kind, ...place, reason: `cannot read ${fault}` }]);
});

test.each([
  ["0.1,0,0,0,0,0,OK,1", 'cannot read status-code: got "OK", want a status'],
  ["0.1,0,0", "got 3 fields, want 8"],
])("the row %s: %s", (row, reason) => {
  const { samples, rejections } = decode(heyCsv, [HEY, row, "0.2,0,0,0,0,0,200,1"]);
  expect(rejections).toEqual([{ line: 2, byte: HEY.length + 1, reason }]);
  expect(samples.at(-1)).toMatchObject({ elapsedMicros: 200_000 });
});

test("an instant beyond 2106 is rejected", () => {
  const row = "0.1,0,0,0,0,0,200,4000000";
  const { rejections } = decode(heyCsv, [HEY, row], { startedAtMs: 4_294_000_000_000 });
  expect(rejections.map(({ reason }) => reason)).toEqual([
    "the start cannot be stored: want a time from 1970 to 2106",
  ]);
});

test("a label can be a fixed text or combine columns", () => {
  const rows = ["0.1,0,0,0,0,0,200,1", "0.1,0,0,0,0,0,302,1"];
  const labelled = (labelTemplate: string): (string | undefined)[] =>
    decode(heyCsv, [HEY, ...rows], { labelTemplate }).samples.map(({ label }) => label);
  expect(labelled("GET /cart")).toEqual(["GET /cart", "GET /cart"]);
  expect(labelled("cart {Status-Code}")).toEqual(["cart 200", "cart 302"]);
  expect(() => labelled("{url}")).toThrow(
    'no field "url", known are "response-time", "DNS+dialup"',
  );
});

test("a repeated header is skipped and counted in a note", () => {
  const row = "0.1,0,0,0,0,0,200,1";
  const { samples, rejections, notes } = decode(heyCsv, [HEY, row, HEY, row]);
  expect({ samples: samples.length, rejections }).toEqual({ samples: 2, rejections: [] });
  expect(notes).toContain("header lines among the rows, not counted: 1");
});

/** As of `cat`, where the first tool was killed. */
test.each([
  [heyCsv, HEY, "0.125,0,0,0,0,0,500,1"],
  [tachographCsv, "timestamp,label,elapsedMs,code", "1795232610,GET /cart,125,500"],
])("$name: a row that was cut in front of a header is rejected alone", (format, header, row) => {
  for (let cut = 1; cut <= row.length; cut++) {
    const joined = row.slice(0, cut) + header;
    const { samples, windows, rejections } = decode(format, [header, row, joined, row]);
    expect([cut, samples.length, windows]).toEqual([cut, 2, []]);
    expect(rejections).toMatchObject([{ line: 3 }]);
  }
});

test("a repeated header is no request, even where no column says whether requests failed", () => {
  const header = "timestamp,label,elapsedMs,code";
  const rows = ["1795232610,GET /cart,5,200", "1795232611,GET /cart,6,500"];
  const decoded = decode(tachographCsv, [header, ...rows, header, ...rows]);
  expect([...decoded.samples, ...decoded.windows].map(({ label }) => label)).toEqual(
    Array.from({ length: 4 }, () => "GET /cart"),
  );
  const withoutStatus = HEY.replace(",status-code,offset", "");
  const { windows } = decode(heyCsv, [withoutStatus, "0.1,0,0,0,0,0", withoutStatus]);
  expect(windows).toEqual([]);
});

test.each([
  ["in another order", "timestamp,label,receivedBytes,elapsedMs", "1795232611,GET /cart,7,30"],
  [
    "one more",
    "timestamp,label,elapsedMs,receivedBytes,success",
    "1795232611,GET /cart,30,7,false",
  ],
  ["one less", "timestamp,label,elapsedMs", "1795232611,GET /cart,30"],
])("rows behind a header with other columns are rejected: %s", (_, other, row) => {
  const header = "timestamp,label,elapsedMs,receivedBytes";
  const first = "1795232610,GET /cart,5,100";
  const decoded = decode(tachographCsv, [header, first, other, row, row, header, first]);
  expect(decoded.samples.map(({ elapsedMicros }) => elapsedMicros)).toEqual([5000, 5000]);
  expect(decoded.windows).toEqual([]);
  expect(decoded.rejections.map(({ line }) => line)).toEqual([4, 5]);
});

test("a header without a required column is refused", () => {
  expect(() => decode(ohaCsv, ["request-start,DNS", "1,2"])).toThrow(
    'cannot read this as oha-csv: the header has no request-duration column, got "request-start DNS"',
  );
  expect(() => decodeSource(ohaCsv, "")).toThrow("cannot read this as oha-csv: it has no header");
});

test("a source that ends inside a row is cut at that row", () => {
  const row = "0.1,0,0,0,0,0,200,1";
  const { samples, truncatedAt } = decodeSource(heyCsv, `${HEY}\n${row}\n0.2,0,0`);
  expect(samples.length).toBe(1);
  expect(truncatedAt).toEqual({
    line: 3,
    byte: HEY.length + row.length + 2,
    reason: "the source ends inside a row: got 3 fields, want 8",
  });
});

const MAYBE_CUT =
  "the source ends inside a row: no line end follows, and its last field may be truncated";

// The tools end every line. Without the line end, the last field must look complete.
test.each([
  { format: heyCsv, source: `${HEY}\n0.1,0,0,0,0,0,200,0.3303`, counts: true },
  { format: heyCsv, source: `${HEY}\n0.1,0,0,0,0,0,200,0.33`, counts: false },
  { format: heyCsv, source: `${HEY}\n0.1,0,0,0,0,0,200,12`, counts: false },
  { format: ohaCsv, source: `${OHA}\n0.4,0,0,0,1,7,503`, counts: true },
  { format: ohaCsv, source: `${OHA}\n0.4,0,0,0,1,7,50`, counts: false },
  { format: abTsv, source: `${AB}\nx\t1795232610\t0\t1\t1\t5`, counts: true },
])("a last row of $format.name without a line end, $source, counts: $counts", (each) => {
  const { samples, truncatedAt, notes } = decodeSource(each.format, each.source);
  expect(samples.length).toBe(each.counts ? 1 : 0);
  expect(truncatedAt?.reason).toBe(each.counts ? undefined : MAYBE_CUT);
  expect(notes.join()).not.toContain("line end");
});

for (const format of [heyCsv, ohaCsv, abTsv]) formatContract(format);
