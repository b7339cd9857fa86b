import * as fc from "fast-check";
import { expect, test } from "vitest";
import { UserError } from "../model/errors.ts";
import type { Format } from "./decoder.ts";
import { detectFormat, formatNamed } from "./detect.ts";

const FORMATS = ["jmeter-csv", "k6-json"].map((name): Format => {
  const sign = Buffer.from(name);
  const recognises = (head: Uint8Array): boolean => Buffer.from(head).indexOf(sign) >= 0;
  return { name, recognises, open: () => expect.fail("not to be opened") };
});

function sayingOf(head: string | Uint8Array): string {
  try {
    return detectFormat(typeof head === "string" ? Buffer.from(head) : head, FORMATS).name;
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== "unreadable-source") throw error;
    return error.message;
  }
}

test("selects the format that recognises the head", () => {
  expect(detectFormat(Buffer.from("... k6-json ..."), FORMATS).name).toBe("k6-json");
});

const k6Record = /k6 end-of-test summary; .*--out csv=FILE or --out json=FILE/;

test.each<[what: string, head: string | Uint8Array, description: RegExp]>([
  ["nothing", "", /: it is empty;/],
  ["zeros", Buffer.alloc(100), /first 100 bytes are all NUL/],
  ["empty lines", "\n\r\n  \n", /first 6 bytes are all blanks and newlines/],
  ["k6 --summary-export", '{\n "root_group": {"name": ""},\n "metrics": {', k6Record],
  ["k6 handleSummary", '{"options":{},"metrics":{"http_req_duration":{"type":"trend"', k6Record],
  ["k6 machine-readable summary", '{"config":{},"metadata":{"k6_version":"1.8.1"', k6Record],
  ["k6 printed summary", "     http_req_duration..............: avg=117.1ms min=1ms", k6Record],
  ["k6 rows", "http_reqs,1795232665,1.000000,,,", /k6 CSV without their header/],
  [
    "a log of Gatling 1",
    "RUN\t20120607202804\trun1\tdescription\tMySimulation\n",
    /Gatling 1; logs/,
  ],
  ["a script of Gatling's report", 'var stats = {\n type: "GROUP"', /report; give the simulation/],
  ["Locust statistics", "Type,Name,Request Count,Failure Count\n", /statistics; .* give PREFIX_st/],
  ["Locust --json", '[\n {\n "num_reqs_per_sec": {', /response times are totals .* request log/],
  ["Locust failures", "Method,Name,Error,Occurrences\n", /list of failures; it holds no requests/],
  ["Locust exceptions", "Count,Message,Traceback,Nodes\n", /list of exceptions; it holds no req/],
  ["Locust workers", '{"errors": {}, "stats": [{"num_reqs_per_sec": {', /Locust's workers; their/],
  [
    "a raw log of Goose",
    "GooseRequestMetric { elapsed: 0,",
    /raw or pretty; record with --request/,
  ],
  ["Goose's errors", "elapsed,raw,name,final_url\n", /not its request log; record with --req/],
  ["a report of Goose", '{\n "goose_version": "0.19.0"', /report of Goose; .* --request-log FILE/],
  ["Taurus", "label,avg_ct,avg_lt,avg_rt\n", /final statistics of Taurus; .* give kpi\.jtl/],
  [
    "JMeter rows with other columns",
    "1790000000221|7929|get csv|200|ThreadGroup 1-1|true|243982|10|10|132|1|0|null\n",
    /JMeter CSV without its header line .*; add JMeter's header line/,
  ],
  ["wrk", "Running 5s test @ http://localhost\n  8 threads", /summary of wrk/],
  ["hey", "\nSummary:\n  Total:\t0.0810 secs\n", /summary of hey; .* record with -o csv/],
  ["ab", "This is ApacheBench, Version 2.3 <$Revision$>\n", /summary of ab; .* record with -g/],
  ["HTML", "\n<!DOCTYPE html>\n<html>", /a page in HTML/],
  ["other XML", "<?xml version='1.0'?>\n<project>", /XML or the like, beginning "<\?xml/],
  ["other JSON", '{"alpha": 1, "beta": [2]}', /JSON with the keys "alpha", "beta";/],
  ["a JSON array", "[1, 2]", /JSON array beginning "\[1, 2\]"/],
  ["a log", "[2026-11-27 00:43:28,470 INFO root] Taurus", /text beginning "\[2026-11-27 00:43/],
  ["a table", "time,name,value\n1,2,3\n", /table with the columns "time", "name", "value";/],
  ["a table of semicolons", "a;b;c\r\n1;2;3\r\n", /columns "a", "b", "c";/],
  ["SQLite", "SQLite format 3\0\u0010", /an SQLite database/],
  ["bytes", Uint8Array.from({ length: 64 }, (_, at) => (at * 37) % 256), /binary, beginning 00 25/],
  ["UTF-16 without a mark", Buffer.from("metric_name,timestamp", "utf16le"), /UTF-16 without/],
  ["prose", "Dear all,\nplease find", /text beginning "Dear all,\\nplease find"/],
  [
    "escape codes",
    "\u001B]0;title\u0007\u202E and some more text",
    /"\\u\{1b\}\]0;title\\u\{7\}\\u\{202e\}/,
  ],
])("the error about %s describes the source", (_what, head, description) => {
  expect(sayingOf(head)).toMatch(description);
  const isKnown = sayingOf(head).includes("it looks like ");
  expect(sayingOf(head).endsWith("; docs/tools/README.md lists the tools that are read")).toBe(
    !isKnown,
  );
});

test("the message is one short line without control characters, whatever the head contains", () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  const text = fc.string({ unit: "binary", maxLength: 300 }).map((each) => Buffer.from(each));
  const json = fc.json().map((each) => Buffer.from(each));
  fc.assert(
    fc.property(fc.oneof(bytes, text, json), (head) => {
      const description = sayingOf(head);
      expect(description).toMatch(/^cannot read the source: it[^\p{Cc}\p{Cf}\p{Cs}]+$/u);
      expect(description.length).toBeLessThan(900);
    }),
    { numRuns: 500 },
  );
});

test("a format is found by name; the error about an unknown name lists all formats", () => {
  expect(formatNamed("k6-json", FORMATS).name).toBe("k6-json");
  expect(() => formatNamed("k7\n", FORMATS)).toThrow(
    'unknown format "k7\\n": expected one of jmeter-csv, k6-json',
  );
});
