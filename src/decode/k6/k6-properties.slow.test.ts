import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import {
  csvOf,
  type JsonStyle,
  jsonOf,
  k6Requests,
  type K6TimeFormat,
  sampleOf,
  UNIT_NANOS,
} from "../../../test/support/k6-requests.ts";
import { k6Csv } from "./k6-csv.ts";
import { k6Json } from "./k6-json.ts";
import { randomCases } from "../../../test/support/random-cases.ts";

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
    { numRuns: randomCases(200) },
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
    { numRuns: randomCases(200) },
  );
});
