import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { UserError } from "../../model/errors.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { jmeterCsv } from "./jmeter-csv.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes\n";
const ROW = "1795232610052,1,a,true,2\n";

/** Returns the recorded labels, rejections, cut and notes. */
function outcomeOf(source: string | Uint8Array, timeZone = "UTC") {
  const { samples, rejections, truncatedAt, notes } = decodeSource(jmeterCsv, source, [], {
    timeZone,
  });
  return { labels: samples.map(({ label }) => label), rejections, truncatedAt, notes };
}

test.each([
  ["inside the first field", "17952", "got 1 field, want 5"],
  ["before the last field", "1795232610052,1,b,true", "got 4 fields, want 5"],
  ["inside quotes", '1795232610052,1,"b\nc', "inside quotes"],
])("a source that ends %s is cut at that row", (_where, rest, reason) => {
  expect(outcomeOf(HEADER + ROW + rest)).toEqual({
    labels: ["a"],
    rejections: [],
    truncatedAt: {
      line: 3,
      byte: HEADER.length + ROW.length,
      reason: expect.stringContaining(reason),
    },
    notes: [],
  });
});

const MAYBE_CUT = "no line end follows, and its last field may be truncated";

// JMeter ends every line. Without the last line end, a number may be incomplete.
test.each([
  ["bytes", "2", false],
  ["bytes", "2\r", true],
  ["Latency", "3", true],
  ["URL", "http://shop.exa", true],
  ["Connect", "", true],
  ["success", "tr", false],
  ["success", "true", true],
  ["success", '"FALSE"', true],
  ["allThreads", "1", false],
  ["failureMessage", "expec", false],
])("a last row without a line end that ends in %s %j counts: %s", (column, field, counts) => {
  const source = `timeStamp,elapsed,label,${column}\n1795232610052,1,a,${field}`;
  const { labels, truncatedAt } = outcomeOf(source);
  expect(labels).toEqual(counts ? ["a"] : []);
  expect(truncatedAt?.reason ?? MAYBE_CUT).toContain(MAYBE_CUT);
  expect(truncatedAt === undefined).toBe(counts);
});

test("the last column also matters if labels contain it", () => {
  const source = "timeStamp,elapsed,label,threadName,URL\n1795232610052,1,a,Users 1-1,/ca";
  const reasonFor = (labelTemplate: string): string | undefined =>
    decodeSource(jmeterCsv, source, [], { timeZone: "UTC", labelTemplate }).truncatedAt?.reason;
  expect(reasonFor("{URL}")).toContain(MAYBE_CUT);
  expect(reasonFor("{threadGroup}")).toBeUndefined();
});

test("a header alone, with or without a line end, and an empty source are complete", () => {
  const nothing = { labels: [], rejections: [], truncatedAt: undefined, notes: [] };
  expect(outcomeOf(HEADER)).toEqual(nothing);
  expect(outcomeOf(HEADER.trim())).toEqual(nothing);
  expect(outcomeOf("")).toEqual(nothing);
  expect(outcomeOf("\n\r\n")).toEqual(nothing);
});

test("a header between rows is not a row and applies to the rows after it", () => {
  const swapped = "label,elapsed,timeStamp,success,bytes\r\nb,1,1795232610052,true,2\r\n";
  expect(outcomeOf(HEADER + ROW + HEADER + ROW + swapped)).toEqual({
    labels: ["a", "a", "b"],
    rejections: [],
    truncatedAt: undefined,
    notes: ["header lines among the rows, used and not counted: 2"],
  });
  expect(decodeSource(jmeterCsv, HEADER + ROW + HEADER + ROW).repairs).toBeUndefined();
});

test("a label in the last column ends before the carriage return", () => {
  const rows = ["a", "b", "a", "", "b", ""].map((label) => `1795232610052,1,true,2,${label}`);
  const lines = ["timeStamp,elapsed,success,bytes,label", ...rows];
  expect(outcomeOf(`${lines.join("\r\n")}\r\n`).labels).toEqual(["a", "b", "a", "", "b", ""]);
});

test("a row whose fields only resemble a header is rejected", () => {
  expect(outcomeOf(`${HEADER}timeStamp,elapsed,x,true,2\n${ROW}`)).toMatchObject({
    labels: ["a"],
    rejections: [{ line: 2, reason: expect.stringContaining("timeStamp") }],
  });
});

test("a record of over 1 MiB is rejected once and skipped to its end", () => {
  const long = `1795232610052,1,"${"x\n".repeat(RECORD_BYTES_MAX)}",true,2\n`;
  const source = new TextEncoder().encode(HEADER + ROW + long + ROW);
  for (const sizes of [[], [65_536], [700_001]]) {
    const { samples, rejections, truncatedAt } = decodeSource(jmeterCsv, source, sizes);
    expect(samples).toHaveLength(2);
    expect(rejections).toEqual([
      {
        line: 3,
        byte: HEADER.length + ROW.length,
        reason: `the record is too long: got ${long.length} bytes, want at most 1 MiB`,
      },
    ]);
    expect(truncatedAt).toBeUndefined();
  }
});

test("a record just within 1 MiB is read", () => {
  const header = `${HEADER.trim()},failureMessage\n`;
  const fixed = '1795232610052,1,a,true,2,""\n';
  const row = fixed.replace('""', `"${"x".repeat(RECORD_BYTES_MAX - fixed.length)}"`);
  expect(row).toHaveLength(RECORD_BYTES_MAX);
  expect(outcomeOf(header + row)).toMatchObject({ labels: ["a"], rejections: [] });
  const longer = row.replace("x", "xx");
  expect(outcomeOf(header + longer)).toMatchObject({ labels: [], rejections: [{ line: 2 }] });
});

test("an unclosed quote is reported as the cut, whatever its length", () => {
  const source = `${HEADER}${ROW}1795232610052,1,"a,true,2\n${ROW.repeat(60_000)}`;
  for (const sizes of [[], [65_536]]) {
    expect(decodeSource(jmeterCsv, source, sizes)).toMatchObject({
      rejections: [],
      truncatedAt: { line: 3, reason: expect.stringContaining("over 1 MiB") },
    });
  }
});

test.each([
  ["elapsed,label\n1,a\n", ["no timeStamp column", "no bytes column", "no success column"]],
  ["1795232610052,1,a,200,OK,t,text,true,2,0\n", ["no header: the 10 columns"]],
  [`${HEADER}2026-11-21 03:43:30,1,a,true,2\n`, ["timeStamp has no zone: read as UTC"]],
  [`${HEADER}03:43:30,1,a,true,2\n`, ["timeStamp has no date"]],
  [`${HEADER}1795232610052,1,a,true,\n`, ["some rows have no bytes"]],
  [HEADER + ROW, []],
])("%j is read with notes on missing fields", (source, notes) => {
  const outcome = outcomeOf(source);
  expect(outcome.labels).toEqual(["a"]);
  expect(outcome.notes).toEqual(notes.map((note) => expect.stringContaining(note)));
});

test.each([
  ["120,GET /cart,200,OK,T 1-1,text,true,5123,77,1,3,http://h/cart,55,0,17", 5123],
  ["120,GET /cart,200,OK,T 1-1,text,true,5123,77,1,3,null,55,0,17", 5123],
  ["120,GET /cart,200,OK,T 1-1,text,true,,5123,77,1,3,55,0,17", 5123],
])("16 columns without a header have no failureMessage or no URL: %s", (row, bytes) => {
  const { samples, users } = decodeSource(jmeterCsv, `1790000000000,${row}\n`);
  expect(samples.map(({ receivedBytes }) => receivedBytes)).toEqual([bytes]);
  expect(users).toMatchObject([{ second: 1_790_000_000, active: 3 }]);
});

test("labels that are not UTF-8 are noted", () => {
  const source = Buffer.from(`${HEADER}1795232610052,1,caf\u00e9,true,2\n`, "latin1");
  expect(outcomeOf(source)).toMatchObject({
    labels: [String.raw`caf\xE9`],
    notes: [expect.stringContaining("not UTF-8")],
  });
});

test("a date without a zone is read in the zone of the import", () => {
  const source = `${HEADER}2026-11-21 03:43:30,1,a,true,2\n`;
  const second = (timeZone: string) =>
    decodeSource(jmeterCsv, source, [], { timeZone }).samples[0]?.second;
  expect(second("UTC")).toBe(1_795_232_610);
  expect(second("Asia/Kolkata")).toBe(1_795_232_610 - 19_800);
});

test.each([
  ["timeStamp,label,success\n1,a,true\n", "no elapsed column"],
  ["timeStamp,elapsed,success\n1,1,true\n", "no label column"],
  ["hello\nworld\n", 'got "hello'],
  ["a,b,c\n1,2,3\n", `got "a,b,c"; add JMeter's header line`],
  ["{}\n", "neither a header"],
  ["timeStamp,elapsed,label\r1795232610052,1,a\r", "carriage return"],
  ["\n".repeat(2000) + HEADER, "neither a header"],
])("%.40j is refused completely", (source, sentence) => {
  for (const sizes of [[], [1]]) {
    const decode = () => decodeSource(jmeterCsv, source, sizes);
    expect(decode).toThrow(UserError);
    expect(decode).toThrow(sentence);
  }
});

test.each([
  "",
  "\n",
  "metric_name,timestamp,metric_value,check,error\n",
  "Timestamp,User Count,Type,Name,Requests/s\n",
  "timestamp,request_type,name,response_time_ms,success\n",
  "elapsed,scenario_index,scenario_name,success\n",
  "1795232610052000000,200,163,0,663,x,a,true,y,GET\n",
  "1795232610.052\t\t1510\t934\t12\t564\t0\t1\ttrue\t200\n",
  "1795232610052,163,home\n",
  "label,avg_ct,avg_lt,avg_rt,bytes\n",
  '{"timeStamp":1,"elapsed":2,"label":"a"}\n',
  "<testResults>\n",
  `timeStamp,elapsed,label${",x".repeat(70_000)}\n`,
])("%.40j is not recognised as JMeter CSV", (source) => {
  expect(jmeterCsv.recognises(new TextEncoder().encode(source).subarray(0, 65_536))).toBe(false);
});

test.each([256, 257, 1024, 1025])("a row with %i extra fields is read to its outcome", (extra) => {
  const row = `${ROW.trim()}${",".repeat(extra)}\n`;
  expect(decodeSource(jmeterCsv, HEADER + ROW + row)).toMatchObject({
    samples: [{ receivedBytes: 2 }, { label: "a", receivedBytes: 0 }],
    repairs: [{ line: 3, reason: `got ${extra + 5} fields, want 5` }],
  });
  const other = "timeStamp,elapsed,label,success,bytes,Latency\n";
  expect(
    decodeSource(jmeterCsv, `${other}1795232610052,1,a,true,2,3${",".repeat(extra)}\n`),
  ).toMatchObject({
    repairs: [{ line: 2, reason: `got ${extra + 6} fields, want 6` }],
  });
});

test("a row without a timestamp is rejected, wherever the buffer starts", () => {
  const rows = `,1,a,true,2\n${ROW.repeat(4000)}`;
  const decoded = decodeSource(jmeterCsv, HEADER + rows, [HEADER.length, rows.length]);
  expect(decoded.samples.length).toBe(4000);
  expect(decoded.rejections).toMatchObject([{ line: 2 }]);
});

test("a rejected row leaves no note about its timestamp", () => {
  const row = "2026-11-21 03:43:30,1,a,perhaps,2,one too many\n";
  expect(outcomeOf(HEADER + row)).toMatchObject({ labels: [], notes: [] });
});

test("a row before 1970 is rejected, even in the minute of a valid one", () => {
  // The zone of Monrovia was UTC-00:44:30 until 1972.
  const rows = [45, 10, 10, 45].map((second) => `1969-12-31 23:15:${second},1,a,true,2\n`);
  const { samples, rejections } = decodeSource(jmeterCsv, HEADER + rows.join(""), [], {
    timeZone: "Africa/Monrovia",
  });
  expect(samples.map(({ second }) => second)).toEqual([15, 15]);
  expect(rejections.map(({ line }) => line)).toEqual([3, 4]);
});
