import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { MEASURE_SERIES_MAX } from "../../model/measures/measure-table.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { quantileOf } from "../../../test/support/decoded-measures.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { recording } from "../../../test/support/recording.ts";

const read = (file: string): string => recording(`jmeter-csv/${file}`).toString();

const DEFAULT = "gen-jmeter-5.6.3-default.jtl.gz";
const RECORDINGS = [
  DEFAULT,
  "gen-jmeter-5.6.3-all-columns-vars.csv.gz",
  "gen-jmeter-5.6.3-semicolon-timestamp-ms.csv.gz",
];
const COLUMN: Readonly<Record<string, string>> = {
  latency: "Latency",
  connect: "Connect",
  idle: "IdleTime",
  sent: "sentBytes",
};

type Row = Readonly<Record<string, string>>;

function rowsOf(text: string): Row[] {
  const delimiter = text[text.indexOf("elapsed") - 1] ?? ",";
  return parse(text, { columns: true, delimiter, relax_quotes: true });
}

/** Averages by label and measure; of columns with another value than 0. */
function averages(rows: readonly Row[]): Record<string, number> {
  const all: Record<string, number> = {};
  const labels = new Set(rows.map((row) => row["label"] ?? ""));
  for (const [measure, column] of Object.entries(COLUMN)) {
    if (rows.every((row) => Number(row[column] ?? 0) === 0)) continue;
    for (const label of labels) {
      const values = rows.filter((row) => row["label"] === label).map((row) => Number(row[column]));
      const sum = values.reduce((total, value) => total + value, 0);
      all[`${measure} of ${label}`] = sum / values.length;
    }
  }
  return all;
}

test.each(RECORDINGS)("averages of endpoints are those of the columns: %s", (file) => {
  const text = read(file);
  const want = averages(rowsOf(text));
  const { measured } = decodeSource(jmeterCsv, text);
  const got = (measured?.all ?? []).filter(
    ({ label, name }) => label !== undefined && name !== "responses",
  );
  expect(
    Object.fromEntries(got.map((each) => [`${each.name} of ${each.label}`, each.sum / each.count])),
  ).toEqual(want);
  expect(Object.keys(want).length).toBeGreaterThan(10);
  expect(Object.values(measured?.unstored ?? { none: 1 })).toEqual([0, 0, 0, 0, 0]);
});

test("the load test has the rows of its requests, by second and with their distribution", () => {
  const text = read(DEFAULT);
  const { measured, roles = {} } = decodeSource(jmeterCsv, text);
  const derived = new Set(["transaction", "subresult"]);
  const rows = rowsOf(text).filter((row) => !derived.has(roles[row["label"] ?? ""] ?? ""));
  expect(rows.length).toBeLessThan(rowsOf(text).length);
  const latencies = rows.map((row) => Number(row["Latency"])).toSorted((a, b) => a - b);
  const whole = measured?.all.find(({ label, name }) => label === undefined && name === "latency");
  if (whole === undefined) throw new Error("no latency");
  expect({ ...whole, seconds: whole.seconds.length, buckets: 0 }).toEqual({
    label: undefined,
    name: "latency",
    unit: "ms",
    kind: "distribution",
    tags: {},
    count: rows.length,
    sum: latencies.reduce((sum, value) => sum + value, 0),
    min: latencies[0],
    max: latencies.at(-1),
    seconds: new Set(rows.map((row) => (row["timeStamp"] ?? "").slice(0, 10))).size,
    buckets: 0,
  });
  const p95 = latencies[Math.ceil(latencies.length * 0.95) - 1] ?? 0;
  expect(Math.abs(quantileOf(whole, 0.95) / p95 - 1)).toBeLessThan(0.01);
});

test("passed requests with a code other than 200 are counted by code, redirects with their request", () => {
  const text = read(DEFAULT);
  const want: Record<string, number> = {};
  for (const row of rowsOf(text)) {
    if (row["success"] !== "true" || row["responseCode"] === "200") continue;
    // Sub-results: the plan has no other labels with such an end.
    if (row["label"]?.endsWith("-0")) continue;
    const key = `${row["responseCode"]} of ${row["label"]}`;
    want[key] = (want[key] ?? 0) + 1;
  }
  const { measured } = decodeSource(jmeterCsv, text);
  const got = measured?.all.filter(({ name }) => name === "responses") ?? [];
  const keyed = got.map(({ tags, label, sum }) => [`${tags["code"]} of ${label}`, sum]);
  expect(Object.fromEntries(keyed)).toEqual(want);
  expect(Object.keys(want).length).toBeGreaterThan(1);
});

/** Default columns of JMeter's versions (bin/jmeter.properties). */
const DEFAULTS: Readonly<Record<string, string>> = {
  "2.9":
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,Latency",
  "2.12":
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,grpThreads,allThreads,Latency",
  "3.0":
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,grpThreads,allThreads,Latency,IdleTime",
  "3.1":
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,Latency,IdleTime,Connect",
  "5.0":
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect",
  "5.0 without failureMessage":
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect",
};

test.each(Object.keys(DEFAULTS))(
  "without a header, the default columns of %s are read",
  (version) => {
    const header = DEFAULTS[version] ?? "";
    const rows = rowsOf(read(DEFAULT)).map((row) => {
      const fields = header
        .split(",")
        .map((name) => `"${(row[name] ?? "").replaceAll('"', '""')}"`);
      return `${fields.join()}\n`;
    });
    const named = decodeSource(jmeterCsv, `${header}\n${rows.join("")}`);
    const unnamed = decodeSource(jmeterCsv, rows.join(""));
    expect(unnamed.measured).toEqual(named.measured);
    expect(unnamed.samples).toEqual(named.samples);
    const names = new Set(unnamed.measured?.all.map(({ name }) => name));
    expect(names.has("latency")).toBe(true);
    expect(names.has("connect")).toBe(header.includes("Connect"));
    expect(names.has("sent")).toBe(header.includes("sentBytes"));
  },
);

test("a recording without a header has the latencies of its last column", () => {
  const text = read("gen-2.13-default-noheader.jtl.gz");
  const rows: string[][] = parse(text);
  const want = rows.reduce((sum, fields) => sum + Number(fields.at(-1)), 0);
  const got = decodeSource(jmeterCsv, text).measured?.all ?? [];
  const ofLabels = got.filter(({ label, name }) => label !== undefined && name === "latency");
  expect(ofLabels.reduce((sum, each) => sum + each.sum, 0)).toBe(want);
  expect(ofLabels.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
});

const HEADER = "timeStamp,elapsed,label,responseCode,success,Latency,SampleCount,Connect\n";

function measuredIn(...rows: readonly string[]) {
  return decodeSource(jmeterCsv, HEADER + rows.join("")).measured;
}

function figures(given: ReturnType<typeof measuredIn>): unknown[] {
  return (given?.all ?? []).map(({ label = "", name, count, sum, min = 0, max = 0 }) => {
    return [label, name, count, sum, min, max];
  });
}

const zero = (second: number) => `${1_795_232_600 + second}000,5,a,200,true,0,1,0\n`;
const row = (latency: string, count = 1) => `1795232600000,5,a,200,true,${latency},${count},0\n`;

test("a column of zeros was not recorded; zeros before another value count", () => {
  expect(measuredIn(...Array.from({ length: 500 }, (_, second) => zero(second)))).toBeUndefined();
  const rows = [
    ...Array.from({ length: 500 }, (_, second) => zero(second)),
    zero(9).replace(",0,1,", ",7,1,"),
  ];
  expect(figures(measuredIn(...rows))).toEqual([
    ["", "latency", 501, 7, 0, 7],
    ["a", "latency", 501, 7, 0, 7],
  ]);
});

test("of too many series the first are stored, whether the kernel reads a row or not", () => {
  const rows = Array.from({ length: MEASURE_SERIES_MAX - 2 }, (_, label) =>
    row("3").replace(",a,", `,p${label},`),
  );
  const last = row("3").replace(",0\n", ",4\n");
  const plain = measuredIn(...rows, last);
  expect(figures(plain)).toContainEqual(["a", "latency", 1, 3, 3, 3]);
  expect(measuredIn(...rows, last.replace(",a,", ',"a",'))).toEqual(plain);
});

test("codes after one that is too long are stored", () => {
  const coded = ["x".repeat(201), "404", "302"].map((code) => row("1").replace("200", code));
  const { all = [], unstored } = measuredIn(...coded) ?? {};
  const responses = all.filter(({ name }) => name === "responses");
  expect(responses.map(({ tags, sum }) => [tags["code"], sum])).toEqual([
    ["302", 1],
    ["404", 1],
  ]);
  expect(unstored).toMatchObject({ series: 0, tags: 1 });
});

test("a value that is not a number is counted, and the request stays", () => {
  const {
    samples,
    rejections,
    measured: got,
  } = decodeSource(
    jmeterCsv,
    HEADER +
      [row("3"), row("x"), row("4"), row(""), row("1.5"), row("9".repeat(17)), row("-5")].join(""),
  );
  expect([samples.length, rejections]).toEqual([7, []]);
  expect(got?.unstored).toEqual({ series: 0, name: 0, tags: 0, value: 3, time: 0 });
  expect(figures(got)).toEqual([
    ["", "latency", 3, 8.5, 1.5, 4],
    ["a", "latency", 3, 8.5, 1.5, 4],
  ]);
});

test("of a row of several requests only the sum is known", () => {
  expect(
    figures(measuredIn("1795232600000,5,a,200,true,3,1,0\n", "1795232600000,9,a,200,true,8,4,0\n")),
  ).toEqual([
    ["", "latency", 5, 11, -Infinity, Infinity],
    ["a", "latency", 5, 11, -Infinity, Infinity],
  ]);
});

test("a last value without a line end may be cut: it is not stored", () => {
  const got = measuredIn("1795232600000,5,a,200,true,3,1,25\n", "1795232600000,5,a,200,true,3,1,2");
  expect(figures(got)).toEqual([
    ["", "connect", 1, 25, 25, 25],
    ["", "latency", 2, 6, 3, 3],
    ["a", "connect", 1, 25, 25, 25],
    ["a", "latency", 2, 6, 3, 3],
  ]);
  expect(got?.unstored["value"]).toBe(1);
});

test("series beyond the limit are counted, and those of the last label that fits in part are its own", () => {
  const labels = 700;
  const rows = Array.from({ length: 3 * labels }, (_, index) => {
    const label = index % labels;
    return `${1_795_232_665_000 + index},9,page ${label},true,${label + 1},2,3`;
  });
  const header = "timeStamp,elapsed,label,success,Latency,Connect,sentBytes";
  const { measures } = decodeSource(jmeterCsv, [header, ...rows, ""].join("\n"));
  const { series = [], sums, unstored } = measures ?? {};
  // Three series of the load test and of 665 labels, and two of one more label.
  expect(series).toHaveLength(2000);
  expect(unstored?.series).toBe(3 * (1 + 3 * (labels - 666)));
  const last = series.findIndex(({ label, name }) => label === 665 && name === "latency");
  const at = sums?.series.indexOf(last) ?? -1;
  expect({ count: sums?.count[at], nanos: sums?.sumNanos[at] }).toEqual({
    count: 3,
    nanos: 3 * 666 * 1e9,
  });
});
