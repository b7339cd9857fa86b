import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DecodedFailure,
  type DecodedSample,
  decodeSource,
} from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { randomCases } from "../../../test/support/random-cases.ts";

/** A field and its value; `undefined` if it is invalid. */
type Written<Value> = readonly [text: string, value: Value | undefined];

/** Generates mostly `usual` values, so that enough rows are plain, and some odd ones. */
function mostly<Value>(usual: fc.Arbitrary<Value>, ...odd: readonly Value[]): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 4, arbitrary: usual },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );
}

const seconds = mostly<Written<number>>(
  fc.constant(["1795232610052", 1_795_232_610]),
  ["0", 0],
  ["999", undefined],
  ["179523261", undefined],
  ["795232610052", undefined],
  ["4294899999999", 4_294_899_999],
  ["4294967295999", 4_294_967_295],
  ["4294967296000", undefined],
  ["2026-11-21 03:43:30", 1_795_232_610],
  ["2026-11-21 03:43:59.9", 1_795_232_639],
  ["2026-13-21 03:43:30", undefined],
  ["17952326100x2", undefined],
  ["", undefined],
);

const elapsed = mostly<Written<number>>(
  fc.nat(2000).map((ms) => [`${ms}`, ms * 1000]),
  ["007", 7000],
  ["1.5", 1500],
  ["999999999", 999_999_999_000],
  ["4294967296", 4_294_967_296_000],
  ["9007199254740", 9_007_199_254_740_000],
  ["9007199254741", undefined],
  ["12x", undefined],
  ["-1", undefined],
  ["", undefined],
);

const sizes = mostly<Written<number>>(
  fc.nat(100_000).map((size) => [`${size}`, size]),
  ["", 0],
  ["12.0", 12],
  ["9007199254740991", 9_007_199_254_740_991],
  ["9007199254740992", undefined],
  ["1 000", undefined],
);

const failures = mostly<Written<number>>(
  fc.constantFrom(["true", 0], ["false", 1]),
  ["TRUE", 0],
  ["FALSE", 1],
  ["1", 0],
  ["0", 1],
  ["Yes", 0],
);

/** SampleCount. For one request, `success` gives the failure, otherwise ErrorCount. */
const sampleCounts = mostly<Written<number>>(
  fc.constant(["1", 1]),
  ["30", 30],
  ["1.0", 1],
  ["0", undefined],
  ["-1", undefined],
  ["", undefined],
);

const errorCounts = mostly<Written<number>>(
  fc.constantFrom(["0", 0], ["1", 1]),
  ["4", 4],
  ["31", 31],
  ["x", undefined],
);

const labels = mostly(
  fc.constantFrom("Home", "Search", "", "商品列表", "Add 🛒", " a ", "a'b"),
  'say "hi"',
  "a,b",
  "a\nb",
  "a\r\nb",
  "x\n1795232610052,1,fake,true,2\n",
  '"',
  '""',
  "\u0000",
  "__proto__",
  "l".repeat(1024),
);

const messages = mostly(
  fc.constantFrom("", "OK", "Not Found"),
  'not "found"',
  "two\nlines",
  ",,,",
  'quote " inside',
);

/** allThreads. Invalid numbers are ignored. */
const threads = mostly<string>(fc.constantFrom("1", "7", "12"), "", "x", "1.0", "-1", "1234567890");

const ROW = fc.record({
  codes: mostly(fc.constantFrom("200", "404", ""), "Non HTTP response code: a.b"),
  assertions: mostly(fc.constant(""), "want 1", 'say "no"'),
  threads,
  hosts: mostly(fc.constantFrom("a", "b"), "", "日本"),
  seconds,
  elapsed,
  labels,
  messages,
  failures,
  sizes,
  sampleCounts,
  errorCounts,
  isQuoted: mostly(fc.constant(false), true),
});
type Row = typeof ROW extends fc.Arbitrary<infer Values> ? Values : never;

/** The available columns and the field of a row in each. */
const COLUMNS: Readonly<Record<string, (row: Row) => string>> = {
  timeStamp: (row) => row.seconds[0],
  elapsed: (row) => row.elapsed[0],
  label: (row) => row.labels,
  responseMessage: (row) => row.messages,
  responseCode: (row) => row.codes,
  failureMessage: (row) => row.assertions,
  allThreads: (row) => row.threads,
  Hostname: (row) => row.hosts,
  success: (row) => row.failures[0],
  bytes: (row) => row.sizes[0],
  SampleCount: (row) => row.sampleCounts[0],
  ErrorCount: (row) => row.errorCounts[0],
};

/** Some columns in any order, at least two, so that the delimiter can be detected. */
const layouts = fc
  .shuffledSubarray(Object.keys(COLUMNS).filter((name) => name !== "elapsed" && name !== "label"))
  .chain((others) =>
    fc.shuffledSubarray([...others, "elapsed", "label"], { minLength: others.length + 2 }),
  );

/** A line that is not a sample. */
type OddLine = "blank" | "header" | "short" | "long";

const files = fc.record({
  layout: layouts,
  lines: fc.array(mostly<Row | OddLine>(ROW, "blank", "header", "short", "long"), {
    maxLength: 30,
  }),
  lineEnds: fc.constantFrom(["\n"], ["\r\n"], ["\n", "\r\n"]),
  pieces: fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 }),
});

test("plain and odd rows are read as written, with any chunk size", () => {
  fc.assert(
    fc.property(files, ({ layout, lines, lineEnds, pieces }) => {
      const source = ["header" as const, ...lines]
        .map((line, index) => textOf(line, layout) + (lineEnds[index % lineEnds.length] ?? ""))
        .join("");
      const whole = decodeSource(jmeterCsv, source);
      const rows = lines.filter((line) => typeof line === "object");
      const counted = rows.flatMap((row) => sampleOf(row, layout) ?? []);
      expect(whole.samples).toEqual(counted.filter(({ elapsedMicros }) => elapsedMicros >= 0));
      const untimed = counted.filter(({ elapsedMicros }) => elapsedMicros < 0);
      expect(whole.windows).toMatchObject(
        untimed.map((sample) => ({
          ...sample,
          elapsedMicros: 0,
          untimedRequests: sample.requests,
          untimedFailedRequests: sample.failedRequests,
        })),
      );
      expect(whole.failures).toEqual(rows.flatMap((row) => failureOf(row, layout) ?? []));
      const read = lines.filter((line) => line !== "blank" && line !== "header");
      expect(counted.length + whole.rejections.length).toBe(read.length);
      // Single bytes prevent the fast path, so every row takes the slow path.
      expect(decodeSource(jmeterCsv, source, [1])).toEqual(whole);
      expect(decodeSource(jmeterCsv, source, pieces)).toEqual(whole);
    }),
    { numRuns: randomCases(1000) },
  );
});

function textOf(line: Row | OddLine, layout: readonly string[]): string {
  if (line === "blank") return "";
  if (line === "header") return layout.join(",");
  if (line === "short") return "x".padEnd(layout.length - 1, ",");
  if (line === "long") return "".padEnd(layout.length, ",");
  return layout.map((name) => quotedIfNeeded(COLUMNS[name]?.(line) ?? "", line.isQuoted)).join(",");
}

/**
 * Returns the sample of a row by the rules of docs/internals/formats/jmeter.md, or `undefined` if it has
 * none; without a response time it is negative.
 */
function sampleOf(row: Row, layout: readonly string[]): DecodedSample | undefined {
  const has = (name: string) => layout.includes(name);
  const second = has("timeStamp") ? row.seconds[1] : 0;
  const requests = has("SampleCount") ? row.sampleCounts[1] : 1;
  const failedRequests = failedOf(row, requests ?? 0, has);
  const hasOutcome = has("success") || has("ErrorCount");
  const [elapsedMicros, receivedBytes] = measuredOf(row, has);
  if (!hasOutcome && (elapsedMicros < 0 || receivedBytes < 0)) return undefined;
  if (second === undefined || requests === undefined || failedRequests === undefined) {
    return undefined;
  }
  return {
    label: row.labels,
    second,
    elapsedMicros,
    receivedBytes: Math.max(0, receivedBytes),
    requests,
    failedRequests,
  };
}

/** Response time and size; negative if they cannot be read. */
function measuredOf(row: Row, has: (name: string) => boolean): readonly [number, number] {
  return [row.elapsed[1] ?? -1, has("bytes") ? (row.sizes[1] ?? -1) : 0];
}

/** Returns the failure reason; `undefined` if the row passed or gives no reason. */
function failureOf(row: Row, layout: readonly string[]): DecodedFailure | undefined {
  const sample = sampleOf(row, layout);
  if (sample === undefined || sample.failedRequests === 0) return undefined;
  const field = (name: string) => (layout.includes(name) ? (COLUMNS[name]?.(row) ?? "") : "");
  const [code, answer] = [field("responseCode"), field("responseMessage")];
  const assertion = field("failureMessage");
  if (code === "" && answer === "" && assertion === "") return undefined;
  const message = (code === "" || code === "200") && assertion !== "" ? assertion : answer;
  const { label, second, failedRequests: requests } = sample;
  return { label, second, kind: { code, message }, requests };
}

function failedOf(row: Row, requests: number, has: (name: string) => boolean): number | undefined {
  const decides = has("success") && (requests === 1 || !has("ErrorCount"));
  if (decides) return (row.failures[1] ?? 0) * requests;
  if (!has("ErrorCount")) return 0;
  const failed = row.errorCounts[1];
  return failed !== undefined && failed <= requests ? failed : undefined;
}

function quotedIfNeeded(field: string, always: boolean): string {
  return always || /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
