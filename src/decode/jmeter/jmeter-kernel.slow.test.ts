import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSource, seriesOfSamples } from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { randomCases } from "../../../test/support/random-cases.ts";

/** Shorter than any row, so that every row takes the slow path. */
const SHORT_PIECES = [5, 3];

const NOT_UTF8 = Buffer.from([0x4c, 0xc3, 0x28, 0xff]).toString("latin1");

/** Lengths around the word and vector sizes of the kernel, and texts that differ in one byte. */
const labels = [
  "",
  "a",
  "\u0000",
  "a\u0000",
  "a\u0000\u0000",
  "12345678",
  "12345678\u0000",
  "123456789012345",
  "1234567890123456",
  "12345678901234567",
  "1234567x901234567",
  "same beginning of thirty-two byt",
  "same beginning of thirty-two byte",
  "same beginning of thirty-two bytf",
  "l".repeat(1024),
  `${"l".repeat(1023)}m`,
  "l".repeat(1025),
  NOT_UTF8,
  "GET /-0-1",
  "GET /-1",
  "of a, b; c",
  'of "quotes"',
  'a"b',
];
/** A request and its sub-result. */
const nested = ["GET /", "GET /-0"];

/** Generates nearly always a usual value, otherwise an odd one. */
function nearlyAlways(usual: readonly string[], ...odd: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...usual, ...odd) },
  );
}

const ODD_NUMBERS = [
  "",
  "x",
  "-5",
  "-0",
  "1.5",
  "007",
  "100000000",
  "4294967296",
  "9007199254740993",
];

const COLUMNS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  timeStamp: fc.oneof(
    {
      weight: 20,
      arbitrary: fc.integer({ min: 0, max: 4000 }).map((ms) => `${1_795_232_610_052 + ms}`),
    },
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 90_000 }).map((ms) => dateOf(ms)) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        "0000000000052",
        "4293999999999",
        "4294000000000",
        "9999999999999",
        "1795232610",
        "1795232610052.5",
        "2026-11-21 03:43:60",
        "2026-11-21 03:43:10.12",
        "2026-11-21 03:43:1x.123",
        "2026-11-21 03:43",
        "03:43:10.123",
        "179523261005x",
        "",
      ),
    },
  ),
  elapsed: nearlyAlways(
    ["0", "7", "42", "999", "12345678", "99999999"],
    "123456789",
    "007",
    "1.5",
    "",
    "-1",
    "1 ",
    "/",
    ":",
    "1234567x",
  ),
  label: nearlyAlways(
    [...labels.slice(0, 16), ...labels.slice(-3), ...nested, ...nested, ...nested],
    ...labels,
  ),
  responseCode: nearlyAlways(["200", "200", "201", "500"], 'say "500"', "2000", "", '"200"'),
  responseMessage: nearlyAlways(
    ["OK", "OK", ""],
    "Number of samples in transaction : 3, number of failing samples : 0",
    "Number of samples in transaction ; 3",
    "two\nlines",
  ),
  failureMessage: nearlyAlways(
    ["", "", "want 1", 'want "1"', "want 1,\nfound none", 'want ""\r\n\nfound "'],
    "m".repeat(2500),
    '"',
  ),
  threadName: nearlyAlways(
    ["Users 1-1", "Users 1-2", "Users 12-3", "Pay, later 2-11"],
    "",
    'Users "1"',
    'the "one" 1-1',
    " 1-1",
    "1-1",
    "Users 1-",
    "Users1-1",
    "Users  1-1",
    "10.0.0.3:1099-Users 1-1",
    "host-1:99-Users 1-1",
    "two\nlines 1-1",
    `${"l".repeat(3000)} 1-1`,
  ),
  dataType: nearlyAlways(["text", ""]),
  success: nearlyAlways(["true", "true", "true", "false"], "TRUE", "tru", "trux", "", "truefalse"),
  bytes: nearlyAlways(["0", "663", "10000000"], "", "100000000", "12.0", "x"),
  SampleCount: nearlyAlways(["1"], "2", "01", ""),
  ErrorCount: nearlyAlways(["0", "1"], "2"),
  allThreads: nearlyAlways(["1", "2", "3", "20"], "", "x", "123456789"),
  Hostname: nearlyAlways(["a", "b", "host-with-a-long-name", ""], "日本"),
  Latency: nearlyAlways(["0", "12", "350", "99999999"], ...ODD_NUMBERS),
  Connect: nearlyAlways(["0"], "1", ...ODD_NUMBERS),
  IdleTime: nearlyAlways(["0"], ...ODD_NUMBERS),
  sentBytes: nearlyAlways(["512", "0", "7"], ...ODD_NUMBERS),
  URL: nearlyAlways(
    ["", "http://shop.example/", "u".repeat(200)],
    "u".repeat(2000),
    "u".repeat(20_000),
  ),
};

/** Returns `2026-11-21 03:43:10.052` plus `ms`. */
function dateOf(ms: number): string {
  return new Date(1_795_232_590_052 + ms).toISOString().slice(0, 23).replace("T", " ");
}

const sources = fc
  .record({
    others: fc.shuffledSubarray(
      Object.keys(COLUMNS).filter((name) => name !== "elapsed" && name !== "label"),
    ),
    seed: fc.nat(),
    delimiter: fc.constantFrom(",", ";", "\t", "|"),
    lineEnds: fc.constantFrom(["\n"], ["\r\n"], ["\n", "\n", "\r\n"]),
    oddLine: fc.constantFrom("", "\r", "x", ",,,,,,,,,,,,,,,,,,,,,"),
    hasLastLineEnd: fc.boolean(),
    /** Columns that are written in quotes. */
    quoted: fc.oneof(fc.constant<string[]>([]), fc.subarray(Object.keys(COLUMNS))),
    /** What is written behind a closing quote. */
    tail: fc.constantFrom("", "", "", "", "x"),
    pieces: fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 3 }),
    facets: fc.constantFrom(undefined, { areOff: true }, { names: ["URL", "responseCode"] }),
  })
  .chain(({ others, ...source }) =>
    fc.record({
      source: fc.constant(source),
      layout: fc.shuffledSubarray([...others, "elapsed", "label"], {
        minLength: others.length + 2,
      }),
    }),
  )
  .chain(({ source, layout }) =>
    fc.record({
      source: fc.constant({ ...source, layout }),
      rows: fc.array(fc.tuple(...layout.map((name) => COLUMNS[name] as fc.Arbitrary<string>)), {
        minLength: 1,
        maxLength: 60,
        size: "max",
      }),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  );

test("the kernel reads what the exact reader reads, with any chunk size", () => {
  fc.assert(
    fc.property(sources, ({ source, rows, times }) => {
      const { layout, delimiter, lineEnds, oddLine, hasLastLineEnd, pieces, quoted, tail } = source;
      const written = Array.from({ length: times }, () => rows)
        .flat()
        .map((row) => {
          const fields = row.map((field, at) =>
            quoted.includes(layout[at] as string)
              ? `${inQuotes(field)}${tail}`
              : quotedIfNeeded(field, delimiter),
          );
          return fields.join(delimiter);
        });
      const lines = [layout.join(delimiter), ...written];
      lines.splice(lines.length >> 1, 0, oddLine);
      const ended = lines.map((line, index) => line + (lineEnds[index % lineEnds.length] ?? ""));
      const text = hasLastLineEnd ? ended.join("") : ended.join("").trimEnd();
      // Encodes the text as UTF-8, except for the invalid bytes.
      const bytes = Buffer.concat(
        text
          .split(NOT_UTF8)
          .flatMap((part, index) => [
            ...(index === 0 ? [] : [Buffer.from(NOT_UTF8, "latin1")]),
            Buffer.from(part),
          ]),
      );
      const decode = (sizes: readonly number[]) =>
        decodeSource(jmeterCsv, bytes, sizes, { timeZone: "UTC", facets: source.facets });
      const exact = decode(SHORT_PIECES);
      for (const decoded of [decode([]), decode(pieces)]) {
        expect(decoded).toEqual(exact);
        expect(seriesOfSamples(decoded)).toEqual(seriesOfSamples(exact));
      }
    }),
    { numRuns: randomCases(150) },
  );
});

function quotedIfNeeded(field: string, delimiter: string): string {
  // A quote within a field that does not begin with one means itself.
  const isNeeded = /^"|[\r\n]/.test(field) || field.includes(delimiter);
  return isNeeded ? inQuotes(field) : field;
}

function inQuotes(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}

const HEADER = "timeStamp,elapsed,label,success,bytes,URL";

test("the cost per odd row is constant, however many there are", () => {
  const [few, many] = [oddRows(500), oddRows(8000)];
  decodeMicros(many);
  const fewest = (source: string): number =>
    Math.min(...Array.from({ length: 5 }, () => decodeMicros(source)));
  expect(fewest(many) / fewest(few)).toBeLessThan(16 * 4);
});

function oddRows(rows: number): string {
  return `${HEADER}\n${`1795232610052.0,17,Home,true,663,${"u".repeat(120)}\n`.repeat(rows)}`;
}

function decodeMicros(source: string): number {
  const begin = process.cpuUsage();
  expect(decodeSource(jmeterCsv, source).samples.length).toBeGreaterThan(0);
  const { user, system } = process.cpuUsage(begin);
  return user + system;
}

test("reads rows with more labels than a batch has rows, in reused windows", () => {
  const rows = Array.from({ length: 30_000 }, (_, row) => ({
    label: `label ${(row * 7919) % 5000} ${"x".repeat(row % 40)}`,
    elapsed: row % 1000,
  }));
  const source = `${HEADER}\n${rows
    .map(({ label, elapsed }) => `1795232610052,${elapsed},${label},true,1,u\n`)
    .join("")}`;
  const { samples, rejections } = decodeSource(jmeterCsv, source, [64 * 1024]);
  expect(rejections).toEqual([]);
  expect(
    samples.map(({ label, elapsedMicros }) => ({ label, elapsed: elapsedMicros / 1000 })),
  ).toEqual(rows);
});
