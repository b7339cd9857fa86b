import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import type { DecodeOptions } from "../decoder.ts";
import { tachographCsv, tachographNdjson } from "./tachograph.ts";

type Fields = Readonly<Record<string, string>>;

const UTC = { timeZone: "UTC" };

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const isPlain = (text: string): boolean => /^(?:\d+(?:\.\d+)?|true|false)$/.test(text);
const value = (text: string): string => (isPlain(text) ? text : JSON.stringify(text));
const member = ([name, text]: [string, string]): string =>
  `${JSON.stringify(name)}:${name === "label" ? JSON.stringify(text) : value(text)}`;

/** The same requests as CSV and as NDJSON, which distinguishes text and numbers. */
const KINDS = [
  {
    format: tachographCsv,
    write: (rows: readonly Fields[]): string => {
      const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const line = (row: Fields): string => names.map((name) => cell(row[name] ?? "")).join();
      return [names.join(), ...rows.map(line), ""].join("\n");
    },
  },
  {
    format: tachographNdjson,
    write: (rows: readonly Fields[]): string => {
      return rows.map((row) => `{${Object.entries(row).map(member).join()}}\n`).join("");
    },
  },
] as const;

const ROW = { timestamp: "1795232610.052", label: "cart", elapsedMs: "12.3456", success: "true" };

test.each(KINDS)("$format.name: reads all columns of a request", ({ format, write }) => {
  const rows = [
    { ...ROW, receivedBytes: "100", code: "200", message: "OK", users: "3", generator: "a" },
    {
      ...ROW,
      label: 'GET "/ä",\n',
      success: "false",
      receivedBytes: "7",
      code: "503",
      message: "Bad, very bad",
      users: "4",
      generator: "b",
    },
  ];
  const { samples, failures, users, rejections, truncatedAt, notes } = decodeSource(
    format,
    write(rows),
  );
  const common = { second: 1_795_232_610, elapsedMicros: 12_346, requests: 1 };
  expect({ samples, failures, users, rejections, truncatedAt, notes }).toEqual({
    samples: [
      { label: "cart", ...common, receivedBytes: 100, failedRequests: 0 },
      { label: 'GET "/ä",\n', ...common, receivedBytes: 7, failedRequests: 1 },
    ],
    failures: [
      {
        label: 'GET "/ä",\n',
        second: 1_795_232_610,
        kind: { code: "503", message: "Bad, very bad" },
        requests: 1,
      },
    ],
    users: [
      { generator: "a", second: 1_795_232_610, active: 3 },
      { generator: "b", second: 1_795_232_610, active: 4 },
    ],
    rejections: [],
    truncatedAt: undefined,
    notes: [],
  });
});

function ofBoth(row: Fields, options: DecodeOptions = UTC): Decoded[] {
  return KINDS.map(({ format, write }) => decodeSource(format, write([row]), [], options));
}

test.each([
  { elapsed: { elapsedMicros: "12346" }, micros: 12_346 },
  { elapsed: { elapsedMs: "0" }, micros: 0 },
  { elapsed: { elapsedMs: "1500" }, micros: 1_500_000 },
  { elapsed: { elapsedSeconds: "0.25" }, micros: 250_000 },
  { elapsed: { elapsedSeconds: "0.0000005" }, micros: 1 },
  { elapsed: { elapsedSeconds: "1e-05" }, micros: 10 },
  { elapsed: { elapsedMs: "1.5E+3" }, micros: 1_500_000 },
  { elapsed: { elapsedMicros: "9007199254740991" }, micros: 9_007_199_254_740_991 },
])("$elapsed is $micros microseconds", ({ elapsed, micros }) => {
  const { elapsedMs: _, ...row } = ROW;
  for (const { samples } of ofBoth({ ...row, ...elapsed })) {
    expect(samples).toMatchObject([{ elapsedMicros: micros }]);
  }
});

test.each([
  { outcome: { success: "true", code: "503" }, failed: 0 },
  { outcome: { success: "True" }, failed: 0 },
  { outcome: { success: "1" }, failed: 0 },
  { outcome: { success: "0", code: "200" }, failed: 1 },
  { outcome: { success: "FALSE" }, failed: 1 },
  { outcome: { success: "", code: "503" }, failed: 1 },
  { outcome: { code: "200" }, failed: 0 },
  { outcome: { code: "404" }, failed: 1 },
  { outcome: { code: "0" }, failed: 1 },
  { outcome: { code: "timeout" }, failed: 0 },
  { outcome: {}, failed: 0 },
])("$outcome has failed: $failed", ({ outcome, failed }) => {
  const { success: _, ...row } = ROW;
  for (const { samples } of ofBoth({ ...row, ...outcome })) {
    expect(samples).toMatchObject([{ failedRequests: failed }]);
  }
});

const UNTIMED = "time-unknown";
test.each([
  ["start-unknown", { timestamp: "12" }, 'timestamp: got "12", want a UNIX time'],
  [UNTIMED, { elapsedMs: "fast" }, 'elapsedMs: got "fast", want a decimal'],
  [UNTIMED, { elapsedMs: "-1" }, 'elapsedMs: got "-1", want a decimal'],
  [UNTIMED, { elapsedMs: "" }, "there is no elapsed time: want one of elapsedMicros"],
  ["size-unknown", { receivedBytes: "1.5" }, 'receivedBytes: got "1.5", want a'],
  ["fields-misplaced", { users: "few" }, 'users: got "few", want a whole number'],
  ["label-shortened", { label: "x".repeat(1025) }, "the label is too long"],
])("counted, although something is unknown: %s %j", (kind, change, reason) => {
  for (const { samples, windows, rejections, repairs } of ofBoth({ ...ROW, ...change })) {
    expect(samples.length + windows.length).toBe(1);
    expect(windows).toMatchObject(kind === UNTIMED ? [{ untimedRequests: 1 }] : []);
    expect(rejections).toEqual([]);
    expect(repairs).toMatchObject([{ kind, line: expect.any(Number) }]);
    expect(repairs?.[0]?.reason).toContain(reason);
  }
});

test.each([
  ["the outcome is there", "1790000000,GET /a,false", 1],
  ["it is missing", "1790000000,GET /a", 0],
])("a row with too few fields counts if %s", (_what, row, requests) => {
  const source = `timestamp,label,success,elapsedMs,message\n${row}\n`;
  const { windows, rejections, repairs = [] } = decodeSource(tachographCsv, source);
  expect(windows.map(({ failedRequests }) => failedRequests)).toEqual(Array(requests).fill(1));
  expect(rejections).toHaveLength(1 - requests);
  expect(repairs.map(({ kind }) => kind)).toEqual(
    requests === 1 ? ["time-unknown", "fields-misplaced"] : [],
  );
});

test.each([
  ["in the response time", "1790000000,GET /a,50,17,false,no"],
  ["in the start", "17900000,00,GET /a,5017,false,no"],
])("a comma too many %s makes both unknown", (_where, row) => {
  const source = `timestamp,label,elapsedMs,success,message\n${row}\n`;
  const { windows, rejections } = decodeSource(tachographCsv, source);
  expect(rejections).toEqual([]);
  expect(windows).toMatchObject([{ second: 0, untimedRequests: 1, failedRequests: 1 }]);
});

test.each([
  ["a message with a comma", "1790000000,GET /a,false,12,why, me", "GET /a"],
  ["a label with a comma", "1790000000,GET /a?b,c,false,12,no", "GET /a?b,c"],
])("%s that is not quoted is read as one field", (_what, row, label) => {
  const source = `timestamp,label,success,elapsedMs,message\n${row}\n`;
  const { samples, rejections, repairs } = decodeSource(tachographCsv, source);
  expect(samples).toMatchObject([{ label, failedRequests: 1, elapsedMicros: 12_000 }]);
  expect(rejections).toEqual([]);
  expect(repairs).toMatchObject([{ kind: "fields-misplaced", reason: "got 6 fields, want 5" }]);
});

test.each([
  { row: { ...ROW, success: "maybe" }, reason: 'cannot read success: got "maybe", want true or' },
  { row: { ...ROW, success: "" }, reason: 'cannot read success: got "", want true or false, or' },
  { row: { ...ROW, success: "", code: "timeout" }, reason: 'cannot read success: got "", want' },
])("rejected: $reason", ({ row, reason }) => {
  for (const { samples, rejections } of ofBoth(row)) {
    expect(samples).toEqual([]);
    expect(rejections).toEqual([
      {
        line: expect.any(Number),
        byte: expect.any(Number),
        reason: expect.stringContaining(reason),
      },
    ]);
  }
});

test("missing columns are noted, for all requests or with their number", () => {
  const { timestamp: _, success: __, ...bare } = ROW;
  const both = [
    { ...bare, timestamp: ROW.timestamp, code: "200", receivedBytes: "1" },
    { ...bare, timestamp: "" },
  ];
  for (const { format, write } of KINDS) {
    expect(decodeSource(format, write([{ ...bare, timestamp: "" }])).notes).toEqual([
      "no timestamps: all requests are at second 0",
      "no receivedBytes: response sizes are unknown",
      "neither success nor code: no request counts as failed",
    ]);
    expect(decodeSource(format, write(both)).notes).toEqual([
      "requests without a timestamp, at second 0: 1",
      "requests without receivedBytes, counted as 0 bytes: 1",
      "requests with neither success nor code, counted as passed: 1",
    ]);
  }
});

test("a timestamp without a zone is read in the zone of the import, which is noted", () => {
  const row = { ...ROW, timestamp: "2026-11-21 09:13:30" };
  for (const { samples, notes } of ofBoth(row, { timeZone: "Asia/Kolkata" })) {
    expect(samples).toMatchObject([{ second: 1_795_232_610 }]);
    expect(notes).toContain("timestamp has no zone: read as Asia/Kolkata");
  }
});

test("further columns of numbers are measures of their endpoint, with the unit that ends their name", () => {
  const row = { ...ROW, ttft_ms: "1e-2", outputTokens: "-7", host: "a", replySeconds: "0.25" };
  for (const { measured } of ofBoth(row)) {
    const all = (measured?.all ?? []).map((each) => [each.label, each.name, each.unit, each.sum]);
    const wanted = [
      ["ttft_ms", "ms", 0.01],
      ["outputTokens", "", -7],
      ["replySeconds", "s", 0.25],
    ] as const;
    const both = wanted.flatMap((each) => [
      ["cart", ...each],
      [undefined, ...each],
    ]);
    expect(new Set(all.map(String))).toEqual(new Set(both.map(String)));
    expect(measured?.unstored).toMatchObject({ value: 0, name: 0 });
  }
});

test("further columns of text are ignored, but available for labels", () => {
  const row = { ...ROW, method: "GET", path: "/cart" };
  for (const { samples } of ofBoth(row)) expect(samples).toMatchObject([{ label: "cart" }]);
  for (const { samples } of ofBoth(row, { ...UTC, labelTemplate: "{method} {path}" })) {
    expect(samples).toMatchObject([{ label: "GET /cart" }]);
  }
  expect(() => ofBoth(row, { ...UTC, labelTemplate: "{host}" })).toThrow('no field "host"');
});

test.each([
  { header: "label,elapsedMs", missing: "no timestamp column" },
  { header: "timestamp,elapsedMs", missing: "no label column" },
  {
    header: "timestamp,label,elapsed",
    missing: "none of the columns elapsedMicros, elapsedMs, elapsedSeconds",
  },
])("the header $header is refused: $missing", ({ header, missing }) => {
  expect(() => decodeSource(tachographCsv, `${header}\n`)).toThrow(
    `cannot read this as tachograph-csv: the header has ${missing}, got "${header.replaceAll(",", " ")}"`,
  );
});

test.each([";", "\t", "|"])("columns can follow %j", (delimiter) => {
  const source = ["timestamp,label,elapsedMs", "1795232610,a b,1", ""].join("\n");
  const other = source.replaceAll(",", delimiter);
  expect(tachographCsv.recognises(Buffer.from(other))).toBe(true);
  expect(decodeSource(tachographCsv, other)).toEqual(decodeSource(tachographCsv, source));
});

test("lines that are not objects or have no label are rejected; an empty label is valid", () => {
  const lines = ["[1]", "{", '{"elapsedMs":1}', '{"label":"","elapsedMs":1}', '"x"', ""];
  const { samples, rejections } = decodeSource(tachographNdjson, lines.join("\n"));
  expect(samples).toMatchObject([{ label: "", second: 0 }]);
  expect(rejections.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
    '1: cannot read the line: got "[1]", want a JSON object',
    '2: cannot read the line: got "{", want a JSON object',
    "3: there is no label: want a string",
    '5: cannot read the line: got "\\"x\\"", want a JSON object',
  ]);
});

test("a timestamp in nanoseconds is exact as a JSON number", () => {
  const line = '{"timestamp":1795232610999999999,"label":"x","elapsedMs":1}';
  expect(decodeSource(tachographNdjson, line).samples).toMatchObject([{ second: 1_795_232_610 }]);
});

const texts = fc.string({ unit: "binary", maxLength: 8 }).map((text) => text.toWellFormed());
const rows = fc.array(
  fc.record({
    timestamp: fc.constantFrom("1795232610", "1795232611052", "", "x"),
    label: texts,
    elapsedMs: fc.oneof(
      fc.nat(100_000).map((micros) => `${micros / 1000}`),
      fc.constant("?"),
    ),
    success: fc.constantFrom("true", "false", ""),
    receivedBytes: fc.nat(2000).map(String),
    message: texts,
    users: fc.constantFrom("", "7"),
  }),
  { minLength: 1, maxLength: 12 },
);

test("both formats give the same result, with any chunk size", () => {
  fc.assert(
    fc.property(
      rows,
      fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 1 }),
      (given, sizes) => {
        const [table, lines] = KINDS.map(({ format, write }) => {
          const source = write(given);
          const whole = decodeSource(format, source);
          expect(decodeSource(format, source, sizes)).toEqual(whole);
          return {
            ...whole,
            rejections: whole.rejections.map(({ reason }) => reason),
            repairs: whole.repairs?.map(({ kind, reason }) => [kind, reason]),
          };
        });
        expect(lines).toEqual(table);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["timestamp,label,success,elapsedMs", "GET /cart,true,1204", true],
  ["timestamp,label,elapsedMs,success", "GET /cart,1204,TRUE", false],
  ["timestamp,label,elapsedMs,success", "GET /cart,1204,1", true],
  ["timestamp,label,elapsedMs,receivedBytes", "GET /cart,1204,", true],
  ["timestamp,label,elapsedMs,path", "GET /cart,1204,/ca", false],
])("below %s, a last row ending in %s without a line end is cut: %s", (header, row, isCut) => {
  const source = `${header}\n1790000000,${row}\n1790000001,${row}`;
  const { samples, truncatedAt } = decodeSource(tachographCsv, source);
  const reason =
    "the source ends inside a row: no line end follows, and its last field may be truncated";
  const place = { line: 3, byte: source.lastIndexOf("\n") + 1, reason };
  expect({ samples: samples.length, truncatedAt }).toEqual(
    isCut ? { samples: 1, truncatedAt: place } : { samples: 2, truncatedAt: undefined },
  );
});

for (const { format } of KINDS) formatContract(format);
