import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";

const HEADER = "timeStamp,elapsed,label,success,bytes";
const SECOND = 1_795_232_610;

/** Decodes rows below `HEADER`. */
function decodeRows(...rows: string[]): Decoded {
  return decodeSource(jmeterCsv, [HEADER, ...rows, ""].join("\n"));
}

function sample(label: string, elapsedMs: number, bytes: number, failed = 0) {
  return {
    label,
    second: SECOND,
    elapsedMicros: elapsedMs * 1000,
    receivedBytes: bytes,
    requests: 1,
    failedRequests: failed,
  };
}

test("the hour in which clocks are set back is read twice", () => {
  // A row every 30 s for 3 h: 01:30 to 03:00 in summer time, then 02:00 to 03:30.
  const shown = [5400, 7200].flatMap((from) =>
    Array.from({ length: 180 }, (_, at) => from + 30 * at),
  );
  const rows = shown.map((second) => {
    const time = new Date(second * 1000).toISOString().slice(11, 19);
    return `2026/10/25 ${time}.000,100,a,true,10`;
  });
  const { samples, notes } = decodeSource(jmeterCsv, [HEADER, ...rows, ""].join("\n"), [], {
    timeZone: "Europe/Berlin",
  });
  const begin = Date.parse("2026-10-24T23:30:00Z") / 1000;
  expect(samples.map(({ second }) => second)).toEqual(shown.map((_, at) => begin + 30 * at));
  expect(notes).toContain(
    "clocks were set back: times that occur twice are read in the order of the rows",
  );
});

const seventeen =
  "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect";

test.each<[string, string]>([
  [
    "the default columns",
    `${seventeen}\n1795232610052,163,home,200,OK,t 1-1,text,true,,663,124,1,2,null,0,0,58\n`,
  ],
  [
    "any order of columns",
    "bytes,label,success,elapsed,timeStamp\n663,home,true,163,1795232610052\n",
  ],
  [
    "the delimiter tab",
    "timeStamp\telapsed\tlabel\tsuccess\tbytes\n1795232610052\t163\thome\ttrue\t663\n",
  ],
  ["the delimiter |", "timeStamp|elapsed|label|success|bytes\n1795232610052|163|home|true|663\n"],
  [
    "the delimiter ; and a date",
    "timeStamp;elapsed;label;success;bytes\n2026/11/21 03:43:30.052;163;home;true;663\n",
  ],
  [
    "the delimiter blank",
    "timeStamp elapsed label success bytes\n1795232610052 163 home true 663\n",
  ],
  ["CRLF", `${HEADER}\r\n1795232610052,163,home,true,663\r\n`],
  [
    "no line end after the last row",
    "timeStamp,elapsed,label,bytes,success\n1795232610052,163,home,663,true",
  ],
  [
    "everything quoted",
    '"timeStamp","elapsed","label","success","bytes"\n"1795232610052","163","home","true","663"\n',
  ],
  [
    "variables named like columns",
    `${HEADER},"label","elapsed"\n1795232610052,163,home,true,663,x,y\n`,
  ],
  ["success in upper case", `${HEADER}\n1795232610052,163,home,TRUE,663\n`],
  ["decimals", `${HEADER}\n1795232610052.7,163.0,home,true,663.0\n`],
  ["empty lines", `\r\n\n${HEADER}\n\n1795232610052,163,home,true,663\n\r\n\n`],
  ["10 columns without a header", "1795232610052,163,home,200,OK,t 1-1,text,true,663,0\n"],
  ["12 columns without a header", "1795232610052,163,home,200,OK,t 1-1,text,true,663,1,2,0\n"],
  ["13 columns without a header", "1795232610052,163,home,200,OK,t 1-1,text,true,,663,1,2,0\n"],
  ["14 columns without a header", "1795232610052,163,home,200,OK,t 1-1,text,true,,663,1,2,0,0\n"],
  [
    "17 columns without a header",
    "1795232610052|163|home|200|OK|t 1-1|text|true|7|663|124|1|2|null|0|0|58\n",
  ],
  [
    "names in another case, as databases export them (lower case)",
    "timestamp,elapsed,label,success,bytes\n1795232610052,163,home,true,663\n",
  ],
  [
    "names in another case (upper case)",
    "TIMESTAMP,ELAPSED,LABEL,SUCCESS,BYTES\n1795232610052,163,home,true,663\n",
  ],
  ["the first line sep=,", `sep=,\r\n${HEADER}\r\n1795232610052,163,home,true,663\r\n`],
  [
    "the first line sep=;",
    "sep=;\ntimeStamp;elapsed;label;success;bytes\n1795232610052;163;home;true;663\n",
  ],
  ["an index without a name", `,${HEADER}\n0,1795232610052,163,home,true,663\n`],
  [
    "blanks after the commas of the header",
    "timeStamp, elapsed, label, success, bytes\n1795232610052,163,home,true,663\n",
  ],
  ["a date without a header", "2026-11-21 03:43:30;163;home;200;OK;t 1-1;text;true;663;0\n"],
])("%s", (_name, source) => {
  const { samples, rejections, truncatedAt } = decodeSource(jmeterCsv, source);
  expect({ samples, rejections, truncatedAt }).toEqual({
    samples: [sample("home", 163, 663)],
    rejections: [],
    truncatedAt: undefined,
  });
  expect(jmeterCsv.recognises(new TextEncoder().encode(source))).toBe(true);
});

test.each([
  ["", ""],
  ["__proto__", "__proto__"],
  ["Page-0", "Page-0"],
  ['"Home, ""quoted"" page"', 'Home, "quoted" page'],
  ['"two\nlines"', "two\nlines"],
  ['"two\r\nlines"', "two\r\nlines"],
  ['5" disc', '5" disc'],
  ["Add to cart 🛒", "Add to cart 🛒"],
  [" blanks ", " blanks "],
  [HEADER.split(",")[2] ?? "", "label"],
  ["\u0000", "\u0000"],
])("the label %j is read as %j", (written, label) => {
  expect(decodeRows(`1795232610052,1,${written},true,2`).samples).toEqual([sample(label, 1, 2)]);
});

/** At most 1,009 bytes, and the first digits that sha256sum prints. */
function shortened(text: string): string {
  return `${"商".repeat(336)}…${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

test("a label over 1,024 bytes counts, shortened with a hash of the whole", () => {
  const label = `${"商".repeat(341)}x`;
  const { samples, repairs, rejections } = decodeRows(
    `1795232610052,1,${label},true,2`,
    `1795232610052,1,${label}y,true,2`,
    `1795232610052,1,${label}z,true,2`,
    `1795232610052,1,${label}y,false,2`,
  );
  expect(samples).toEqual([
    sample(label, 1, 2),
    sample(shortened(`${label}y`), 1, 2),
    sample(shortened(`${label}z`), 1, 2),
    sample(shortened(`${label}y`), 1, 2, 1),
  ]);
  expect(rejections).toEqual([]);
  expect(repairs).toMatchObject(
    [3, 4, 5].map((line) => ({
      kind: "label-shortened",
      line,
      reason: expect.stringContaining("1024 bytes") as string,
    })),
  );
});

test("the success column decides whether a row failed, whatever the response code", () => {
  const header = "timeStamp,elapsed,label,responseCode,success,bytes\n";
  const passed = ["200,true", "404,true", "200,True", "200,TRUE", "200,1", "200,yes"];
  const failed = ["200,false", "200,FALSE", "200,0", "200,No"];
  const source = [...passed, ...failed].map((row) => `1795232610052,1,a,${row},2\n`).join("");
  const { samples, rejections } = decodeSource(jmeterCsv, header + source);
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([
    ...passed.map(() => 0),
    ...failed.map(() => 1),
  ]);
  expect(rejections).toEqual([]);
});

test.each(["", "WAHR", "tru", "falsee", "2"])(
  "a row whose success is %j is rejected",
  (success) => {
    const { samples, rejections } = decodeRows(`1795232610052,1,a,${success},2`);
    expect(samples).toEqual([]);
    expect(rejections.map(({ reason }) => reason)).toEqual([
      `cannot read success: got "${success}", want true or false`,
    ]);
  },
);

test("a row stands for SampleCount requests, of which ErrorCount failed", () => {
  const header = "timeStamp,elapsed,label,success,bytes,SampleCount,ErrorCount\n";
  const rows = ["700,a,false,5000,10,3", "700,a,true,5000,10,0", "7,a,false,50,1,1"];
  const { samples } = decodeSource(
    jmeterCsv,
    header + rows.map((row) => `1795232610052,${row}\n`).join(""),
  );
  expect(samples).toEqual([
    { ...sample("a", 700, 5000), requests: 10, failedRequests: 3 },
    { ...sample("a", 700, 5000), requests: 10, failedRequests: 0 },
    { ...sample("a", 7, 50), requests: 1, failedRequests: 1 },
  ]);
});

const untimed = { requests: 1, untimedRequests: 1, elapsedMicros: 0, receivedBytes: 2 };

test.each([
  ["12x", '"12x", want a whole number of milliseconds'],
  ["-1", '"-1", want a whole number of milliseconds'],
  ["", '"", want a whole number of milliseconds'],
  ["1e3", '"1e3", want a whole number of milliseconds'],
  ['"1,5"', '"1,5", want a whole number of milliseconds'],
  ['"1""5"', String.raw`"\"1\"\"5\"", want a whole number of milliseconds`],
  ["9007199254741", '"9007199254741", want a number of milliseconds below 2^53'],
])("a request whose elapsed is %s counts without a response time", (elapsed, reason) => {
  const { samples, windows, rejections, repairs } = decodeRows(
    `1795232610052,${elapsed},a,true,2`,
    `1795232610052,${elapsed},a,false,2`,
    "1795232610052,1,a,true,2",
  );
  expect(samples).toEqual([sample("a", 1, 2)]);
  expect(windows).toMatchObject([
    { ...untimed, label: "a", second: SECOND, failedRequests: 0, untimedFailedRequests: 0 },
    { ...untimed, label: "a", second: SECOND, failedRequests: 1, untimedFailedRequests: 1 },
  ]);
  expect(rejections).toEqual([]);
  expect(repairs).toMatchObject([
    { kind: "time-unknown", line: 2, reason: `cannot read elapsed: got ${reason}` },
    { kind: "time-unknown", line: 3 },
  ]);
});

test.each([
  ["1795232610052,1,a,true,2.5", "size-unknown", 'got "2.5", want a whole number of bytes'],
  ["1795232610052,1,a,true,0x7", "size-unknown", 'got "0x7", want a whole number of bytes'],
  ["1795232610052,1,a,true", "fields-misplaced", "got 4 fields, want 5"],
  ["1795232610052,1,a,true,2,3", "fields-misplaced", "got 6 fields, want 5"],
])("%j counts without a size", (row, kind, reason) => {
  const { samples, rejections, repairs } = decodeRows(row, "1795232610052,1,a,true,2");
  expect(samples).toEqual([sample("a", 1, 0), sample("a", 1, 2)]);
  expect(rejections).toEqual([]);
  expect(repairs).toEqual([
    { kind, line: 2, byte: HEADER.length + 1, reason: expect.stringContaining(reason) as string },
  ]);
});

test.each([
  ["   ", "got 1 field, want 5"],
  [
    "2001/20/20 12:05:05.123,1,a,true,2",
    'cannot read timeStamp: got "2001/20/20 12:05:05.123", want a month from 1 to 12',
  ],
])("%j is rejected with its position and reason", (row, reason) => {
  const good = "1795232610052,1,a,true,2";
  const { samples, rejections, truncatedAt } = decodeRows(
    '1795232610052,1,"b\n",true,2',
    row,
    good,
  );
  expect(samples).toEqual([sample("b\n", 1, 2), sample("a", 1, 2)]);
  expect(rejections).toEqual([
    { line: 4, byte: HEADER.length + 1 + 28, reason: expect.stringContaining(reason) },
  ]);
  expect(truncatedAt).toBeUndefined();
});
