/** Sources over the label limit: rows may differ only in their labels. */

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIXTURES, readFixture } from "../../test/samples/fixtures.ts";
import { decodeSource } from "../../test/support/decode-source.ts";
import {
  csvOf,
  type JsonStyle,
  jsonOf,
  k6Requests,
  sampleOf,
  UNIT_NANOS,
} from "../../test/support/k6-requests.ts";
import { isOverflowLabel } from "../model/label.ts";
import { FORMATS } from "./formats.ts";
import { gatlingText } from "./gatling/gatling-text.ts";
import { jmeterCsv } from "./jmeter/jmeter-csv.ts";
import { jmeterXml } from "./jmeter/jmeter-xml.ts";
import { k6Csv } from "./k6/k6-csv.ts";
import { k6Json } from "./k6/k6-json.ts";

const limited = (labelsMax: number) => ({ timeZone: "UTC", labels: { labelsMax } });

interface Labelled {
  readonly label: string | undefined;
}

/** Returns the rows with only the first labels kept. */
function withFirst<Row extends Labelled>(rows: readonly Row[], labelsMax: number): Row[] {
  const first = [...new Set(rows.map(({ label }) => label))].slice(0, labelsMax);
  return rows.map((row) => (first.includes(row.label) ? row : { ...row, label: "(other)" }));
}

const labelsMax = fc.integer({ min: 1, max: 3 });
const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });

test("k6 CSV", () => {
  fc.assert(
    fc.property(k6Requests, labelsMax, sizes, (requests, max, pieces) => {
      const csv = csvOf(requests, { time: "unix" });
      const { samples } = decodeSource(k6Csv, csv, pieces, limited(max));
      const expected = requests.map((each) => sampleOf(each, UNIT_NANOS.unix));
      expect(samples).toEqual(withFirst(expected, max));
    }),
    { numRuns: 100 },
  );
});

test("k6 JSON", () => {
  const style = fc.constantFrom<JsonStyle>("metric first", "blanks", "all escaped");
  fc.assert(
    fc.property(k6Requests, style, labelsMax, (requests, json, max) => {
      const { samples } = decodeSource(k6Json, jsonOf(requests, json), [], limited(max));
      const expected = requests.map((each) => sampleOf(each, 1n));
      expect(samples).toEqual(withFirst(expected, max));
    }),
    { numRuns: 100 },
  );
});

function k6Row(metric: string, value: number, name: string): string {
  return `${metric},1700000000,${value},${name},\n`;
}

test("the outcome of a k6 request is matched by its own label, even over the limit", () => {
  const csv = [
    "metric_name,timestamp,metric_value,name,status\n",
    k6Row("http_req_duration", 5, "kept"),
    k6Row("http_req_duration", 5, "c"),
    k6Row("http_req_failed", 0, "c"),
    k6Row("http_req_duration", 6, "d"),
    k6Row("http_req_failed", 1, "c"),
    k6Row("http_req_duration", 7, "e"),
    k6Row("http_req_failed", 1, "e"),
    k6Row("http_req_duration", 7, "c"),
    k6Row("http_req_failed", 1, "e"),
    k6Row("http_req_failed", 1, "c"),
  ].join("");
  const { samples } = decodeSource(k6Csv, csv, [], limited(1));
  expect(samples.map(({ label, failedRequests }) => [label, failedRequests])).toEqual([
    ["kept", 0],
    ["(other)", 0],
    ["(other)", 0],
    ["(other)", 1],
    ["(other)", 1],
  ]);
});

function httpSample(label: string, inside = "", message = "OK"): string {
  const times = 't="7" ts="1700000000000"';
  return `<httpSample ${times} lb="${label}" s="true" rm="${message}" dt="text">${inside}</httpSample>`;
}

describe("JMeter", () => {
  const TRANSACTION = "Number of samples in transaction : 2, number of failing samples : 0";
  const CSV = `timeStamp,elapsed,label,responseMessage,threadName,dataType,success
1700000000000,10,a,OK,1-1,text,true
1700000000100,10,b,OK,1-1,text,true
1700000001007,100,Page,OK,1-1,text,true
1700000001007,40,Page-0,OK,1-1,text,true
1700000001047,60,Page-1,OK,1-1,text,false
1700000001007,100,"Page, again",OK,1-2,text,true
1700000001007,30,"Page, again-0",OK,1-2,text,true
1700000005007,30,Page-0,OK,1-1,text,true
1700000006007,20,a-0,OK,1-1,text,true
1700000007000,110,Buy,"${TRANSACTION}",1-1,,true
1700000008000,110,"Cart, pay","${TRANSACTION}",1-1,,true
1700000009000,10,a,OK,1-1,text,true
`;
  /** The elapsed times of each label, in file order. */
  const EXPECTED = {
    a: [10, 10],
    b: [10],
    // The second `Page-0` row follows no request that could contain it.
    "(other)": [100, 100, 30, 20],
    "(other sub-results)": [40, 60, 30],
    "(other transactions)": [110, 110],
  };

  test.each([[[]], [[1]], [[7, 90]]])("CSV, in pieces of %j bytes", (pieces) => {
    const { samples, roles, failures } = decodeSource(jmeterCsv, CSV, pieces, limited(2));
    const millis = samples.map((each) => [each.label, each.elapsedMicros / 1000] as const);
    const byLabel = Object.groupBy(millis, ([label]) => label ?? "");
    const told = Object.entries(byLabel).map(([label, rows = []]) => [
      label,
      rows.map(([, elapsed]) => elapsed),
    ]);
    expect(Object.fromEntries(told)).toEqual(EXPECTED);
    expect(roles).toEqual({
      a: "request",
      b: "request",
      "(other)": "request",
      "(other sub-results)": "subresult",
      "(other transactions)": "transaction",
    });
    expect(failures.map(({ label }) => label)).toEqual(["(other sub-results)"]);
  });

  test("XML", () => {
    const xml = `<?xml version="1.0"?><testResults version="1.2">${[
      httpSample("a"),
      httpSample("b", httpSample("b-0") + httpSample("b-1")),
      httpSample("Buy", httpSample("c", httpSample("c-0")) + httpSample("d"), TRANSACTION),
      httpSample("a", httpSample("a-0")),
    ].join("\n")}</testResults>`;
    const { samples, roles } = decodeSource(jmeterXml, xml, [], limited(2));
    expect(
      Object.groupBy(
        samples.map(({ label }) => label ?? ""),
        (label) => label,
      ),
    ).toEqual({
      a: ["a", "a"],
      b: ["b"],
      "(other)": ["(other)", "(other)"],
      "(other transactions)": ["(other transactions)"],
      "(other sub-results)": Array.from({ length: 4 }, () => "(other sub-results)"),
    });
    expect(roles).toMatchObject({
      "(other)": "request",
      "(other transactions)": "transaction",
      "(other sub-results)": "subresult",
    });
  });
});

test("Gatling requests keep their groups", () => {
  const rows = [
    "RUN\tSim\tsim\t1700000000000\t \t3.9.5",
    "REQUEST\t\tone\t1700000000000\t1700000000010\tOK\t ",
    "REQUEST\tg,h\tone\t1700000000000\t1700000000020\tOK\t ",
    "REQUEST\tg\tone\t1700000000000\t1700000000030\tKO\tbad",
    "REQUEST\tg,h\tone\t1700000000000\t1700000000040\tOK\t ",
    "REQUEST\tg\ttwo\t1700000000000\t1700000000050\tOK\t ",
    "REQUEST\t\tone\t1700000000000\t1700000000060\tOK\t ",
  ];
  const log = rows.map((row) => `${row}\n`).join("");
  const { samples, failures } = decodeSource(gatlingText, log, [], limited(2));
  expect(samples.map(({ label, elapsedMicros }) => [label, elapsedMicros / 1000])).toEqual([
    ["one", 10],
    ["g / h / one", 20],
    ["(other)", 30],
    ["g / h / one", 40],
    ["(other)", 50],
    ["one", 60],
  ]);
  expect(failures.map(({ label }) => label)).toEqual(["(other)"]);
});

const FEW_BYTES = 60_000;
const FILES = FIXTURES.map(({ file }) => file).filter((file) =>
  /^(?:jmeter|k6|gatling)-/.test(file),
);

test.each(FILES)("rows of %s are unchanged except for labels", (file) => {
  const source = readFixture(file).subarray(0, FEW_BYTES);
  const format = FORMATS.find((each) => each.recognises(source));
  if (format === undefined) return;
  const all = decodeSource(format, source);
  const some = decodeSource(format, source, [], limited(3));
  expect(some.samples.map(unlabelled)).toEqual(all.samples.map(unlabelled));
  expect(some.windows.map(unlabelled)).toEqual(all.windows.map(unlabelled));
  expect(some.rejections).toEqual(all.rejections);
  const pairs = all.samples.map(({ label }, row) => [label, some.samples[row]?.label] as const);
  const kept = new Set(pairs.filter(([label, told]) => label === told).map(([label]) => label));
  const moved = pairs.filter(([label]) => !kept.has(label));
  expect(kept.size).toBeLessThanOrEqual(3);
  expect(pairs.filter(([label, told]) => kept.has(label) && label !== told)).toEqual([]);
  expect(moved.filter(([, told]) => !isOverflowLabel(told ?? ""))).toEqual([]);
});

function unlabelled(row: Labelled): Labelled {
  return { ...row, label: undefined };
}
