import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import {
  csvOf,
  type JsonStyle,
  jsonOf,
  k6Requests,
  type K6TimeFormat,
  sampleOf,
  UNIT_NANOS,
} from "../../../test/support/k6-requests.ts";
import { UserError } from "../../model/errors.ts";
import type { Format } from "../decoder.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";

const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 });
const time = fc.constantFrom<K6TimeFormat>(
  "unix",
  "unix_milli",
  "unix_micro",
  "unix_nano",
  "rfc3339_nano",
);
const form = fc.record({
  time,
  quoted: fc.boolean(),
  reversed: fc.boolean(),
  lineEnd: fc.constantFrom("\n" as const, "\r\n" as const),
});
const style = fc.constantFrom<JsonStyle>(
  "metric first",
  "metric last",
  "blanks",
  "other order",
  "all escaped",
);

test("every request of a CSV file is read exactly, in every style and with any chunk size", () => {
  fc.assert(
    fc.property(k6Requests, form, sizes, (requests, csv, pieces) => {
      const { samples, rejections, truncatedAt } = decodeSource(
        k6Csv,
        csvOf(requests, csv),
        pieces,
      );
      expect(samples).toEqual(requests.map((each) => sampleOf(each, UNIT_NANOS[csv.time])));
      expect({ rejections, truncatedAt }).toEqual({ rejections: [], truncatedAt: undefined });
    }),
    { numRuns: 200 },
  );
});

test("every request of a JSON file is read exactly, in every style and with any chunk size", () => {
  fc.assert(
    fc.property(k6Requests, style, sizes, (requests, json, pieces) => {
      const { samples, rejections, truncatedAt } = decodeSource(
        k6Json,
        jsonOf(requests, json),
        pieces,
      );
      expect(samples).toEqual(requests.map((each) => sampleOf(each, 1n)));
      expect({ rejections, truncatedAt }).toEqual({ rejections: [], truncatedAt: undefined });
    }),
    { numRuns: 200 },
  );
});

/** An edit of a file: removes and inserts bytes at a position. */
const change = fc.record({
  at: fc.nat(100_000),
  takenOut: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(200)),
  putIn: fc.oneof(
    fc.uint8Array({ maxLength: 4 }),
    fc
      .constantFrom(
        '"',
        "\n",
        "\0\0\0",
        ",",
        "\r",
        "{",
        "}",
        "\\",
        "e+9",
        "\uFEFF",
        "\nhttp_req_duration,",
      )
      .map((each) => Uint8Array.from(Buffer.from(each))),
  ),
});

function changed(
  text: string,
  changes: readonly { at: number; takenOut: number; putIn: Uint8Array }[],
) {
  let bytes = Buffer.from(text);
  for (const { at, takenOut, putIn } of changes) {
    const from = at % (bytes.length + 1);
    bytes = Buffer.concat([bytes.subarray(0, from), putIn, bytes.subarray(from + takenOut)]);
  }
  return bytes;
}

function outcomeOf(
  format: Format,
  bytes: Uint8Array,
  pieces?: readonly number[],
): Decoded | string {
  try {
    return decodeSource(format, bytes, pieces);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

test("a damaged file gives the same result with any chunk size, and no unexpected error", () => {
  const file = fc.oneof(
    fc
      .tuple(k6Requests, form)
      .map(([requests, csv]) => ({ format: k6Csv, text: csvOf(requests, csv) })),
    fc
      .tuple(k6Requests, style)
      .map(([requests, json]) => ({ format: k6Json, text: jsonOf(requests, json) })),
  );
  fc.assert(
    fc.property(
      file,
      fc.array(change, { maxLength: 8 }),
      sizes,
      ({ format, text }, changes, pieces) => {
        const bytes = changed(text, changes);
        expect(outcomeOf(format, bytes, pieces)).toEqual(outcomeOf(format, bytes));
      },
    ),
    { numRuns: 400 },
  );
});

test("any bytes after a header give the same result with any chunk size", () => {
  const header = Buffer.from("metric_name,timestamp,metric_value,name\n");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), sizes, (bytes, pieces) => {
      const csv = Buffer.concat([header, bytes]);
      expect(outcomeOf(k6Csv, csv, pieces)).toEqual(outcomeOf(k6Csv, csv));
      expect(outcomeOf(k6Json, bytes, pieces)).toEqual(outcomeOf(k6Json, bytes));
    }),
    { numRuns: 300 },
  );
});

test("a file cut anywhere gives the first of its samples and reports the cut", () => {
  fc.assert(
    fc.property(k6Requests, form, style, fc.nat(100_000), (requests, csv, json, where) => {
      for (const [format, text] of [
        [k6Csv, csvOf(requests, { ...csv, reversed: false })],
        [k6Json, jsonOf(requests, json)],
      ] as const) {
        const whole = Buffer.from(text);
        const head = text.indexOf("\n") + 1;
        const part = whole.subarray(0, head + (where % (whole.length - head + 1)));
        const { samples, rejections, truncatedAt } = decodeSource(format, part);
        const all = decodeSource(format, whole).samples;
        // Only the last sample can differ: its outcome may have been cut off.
        expect(samples.slice(0, -1)).toEqual(all.slice(0, Math.max(0, samples.length - 1)));
        expect(rejections).toEqual([]);
        expect(truncatedAt?.reason ?? "ends inside").toContain("ends inside");
      }
    }),
    { numRuns: 200 },
  );
});
