import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  failuresArbitrary,
  failureTable,
  usersArbitrary,
  userTable,
} from "../../../test/support/plain-details.ts";
import { decodeFailures, encodeFailures, decodeUsers, encodeUsers } from "./detail-segments.ts";
import { measuresArbitrary, measureTable } from "../../../test/support/plain-measures.ts";
import type { MeasureTable } from "../../model/measures/measure-table.ts";
import { decodeMeasures, encodeMeasures, openMeasures } from "./measures-segment.ts";

test("failures survive encoding and decoding", () => {
  fc.assert(
    fc.property(failuresArbitrary, (failures) => {
      const table = failureTable(failures);
      expect(decodeFailures(encodeFailures(table))).toEqual(table);
    }),
  );
});

test("users survive encoding and decoding", () => {
  fc.assert(
    fc.property(fc.array(usersArbitrary, { maxLength: 3 }), (split) => {
      const sources = split.map((users, index) => ({
        sourceId: `source ${index}`,
        users: userTable(users),
      }));
      expect(decodeUsers(encodeUsers(sources))).toEqual(sources);
    }),
  );
});

test("measures survive encoding and decoding, all and one series alone", () => {
  fc.assert(
    fc.property(measuresArbitrary, fc.nat(), (values, dropped) => {
      const unstored = { series: dropped, name: 0, tags: 1, value: 0, time: 0 };
      const table = { ...measureTable(values), unstored };
      const bytes = encodeMeasures(table);
      expect(decodeMeasures(bytes)).toEqual(table);
      const opened = openMeasures(bytes);
      for (const [number, series] of table.series.entries()) {
        const own = values.filter(
          (value) => JSON.stringify(value.series) === JSON.stringify(series),
        );
        expect(opened.table(number)).toEqual(measureTable(own));
      }
    }),
  );
});

test("extremes that are not recorded survive, too", () => {
  const series = { label: 0, name: "a", unit: "", tags: [] } as const;
  const table = measureTable(
    (["distribution", "gauge"] as const).flatMap((kind) =>
      [1000, 61_000].map((unixMillis) => ({
        series: { ...series, kind },
        unixMillis,
        nanos: 5n * 10n ** 9n,
      })),
    ),
  );
  const { gauges, histograms } = table;
  gauges.min[0] = -Infinity;
  gauges.max[1] = Infinity;
  histograms.min[1] = -Infinity;
  histograms.max[0] = Infinity;
  expect(decodeMeasures(encodeMeasures(table))).toEqual(table);
});

test("any extremes that are not recorded survive", () => {
  const unknown = fc.array(fc.boolean(), { minLength: 1 });
  fc.assert(
    fc.property(measuresArbitrary, unknown, (values, isUnknown) => {
      const { gauges, histograms, ...table } = measureTable(values);
      const without = (column: Float64Array, extreme: number) =>
        column.map((value, row) => (isUnknown[row % isUnknown.length] === true ? extreme : value));
      const cut = <Columns extends { readonly min: Float64Array; readonly max: Float64Array }>(
        columns: Columns,
      ) => ({
        ...columns,
        min: without(columns.min, -Infinity),
        max: without(columns.max, Infinity),
      });
      const odd = { ...table, gauges: cut(gauges), histograms: cut(histograms) };
      expect(decodeMeasures(encodeMeasures(odd))).toEqual(odd);
    }),
  );
});

test("a block takes 16,448 rows of measures, and more are a bug", () => {
  const most = gaugeOf(16_448);
  expect(decodeMeasures(encodeMeasures(most))).toEqual(most);
  expect(() => encodeMeasures(gaugeOf(16_449))).toThrow("BUG: a block of 16449 rows");
});

function gaugeOf(seconds: number): MeasureTable {
  const series = { label: undefined, name: "cpu", unit: "%", kind: "gauge", tags: [] } as const;
  return measureTable(
    Array.from({ length: seconds }, (_, second) => ({
      series,
      unixMillis: (second + 1) * 1000,
      nanos: BigInt(second % 97) * 10n ** 7n,
    })),
  );
}

const failures = encodeFailures(
  failureTable([{ endpoint: 3, code: "503", message: "busy", second: 1.79e9, requests: 2 }]),
);
const measures = encodeMeasures(
  measureTable([
    {
      series: { label: 2, name: "cpu", unit: "%", kind: "gauge", tags: [["host", "a"]] },
      unixMillis: 1.79e12 + 250,
      nanos: 12_500_000_000n,
    },
  ]),
);
const users = encodeUsers([
  {
    sourceId: "sender",
    users: userTable([{ generator: "h", second: 1.79e9, active: 5, started: 0, ended: 0 }]),
  },
]);

test("the bytes match docs/internals/formats/block.md", () => {
  expect(hexOf(failures)).toBe(
    [
      "4601 04 20212223",
      "01 03353033 0462757379", // one kind: "503", "busy"
      "01 0003 0000 0001", // one run: endpoint 3, kind 0, one row
      "80f7c4d506 0000", // from second 1.79e9 on, nothing skipped
      "0002", // two requests
    ]
      .join("")
      .replaceAll(" ", ""),
  );
  expect(hexOf(measures)).toBe(
    [
      "4d01 07 4041424344 4546", // columns 64 to 70
      "0000000000", // nothing is unstored
      "01 04 03637075 0125 04686f7374 0161", // one series, four texts
      "03 01 00 01 01 02 03", // endpoint 2, a gauge, cpu, %, one tag
      "0015", // its section has 21 bytes
      "01 80f7c4d506 0000", // one row, from second 1.79e9 on
      "0001", // of one value
      "00 08 7d 8002 0000", // 125 in units of 0.1, as predicted
      "00fa01", // 250 ms into the second
      "00", // it is the only value of its second
    ]
      .join("")
      .replaceAll(" ", ""),
  );
  expect(hexOf(users)).toBe(
    [
      "5501 05 3031323334",
      "01 0673656e646572", // one source: "sender"
      "01 0168 0001", // one generator: "h", one row
      "80f7c4d506 0000",
      "0005 0000 0000", // five are active
    ]
      .join("")
      .replaceAll(" ", ""),
  );
});

/** Without the checksum. */
function hexOf(segment: Uint8Array): string {
  return Buffer.from(segment.subarray(0, -4)).toString("hex");
}

test.each([
  ["failures", failures, decodeFailures],
  ["users", users, decodeUsers],
  ["measures", measures, decodeMeasures],
])("a flipped bit of %s is detected", (_, bytes, decode: (segment: Uint8Array) => unknown) => {
  for (let bit = 0; bit < 8 * bytes.length; bit++) {
    const damaged = bytes.slice();
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    expect(() => decode(damaged)).toThrow(expect.objectContaining({ code: "damaged-store" }));
  }
});

test("fractional and negative numbers are a bug and are not encoded", () => {
  const half = failureTable([{ endpoint: 0, code: "", message: "", second: 1, requests: 0.5 }]);
  expect(() => encodeFailures(half)).toThrow("BUG: 0.5");
  const negative = userTable([{ generator: "", second: 1, active: -1, started: 0, ended: 0 }]);
  expect(() => encodeUsers([{ sourceId: "", users: negative }])).toThrow("BUG: -1");
});
