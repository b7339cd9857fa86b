import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TimestampReader } from "./timestamp.ts";

const encoder = new TextEncoder();

function secondOf(text: string, reader = new TimestampReader("UTC")): number | undefined {
  const bytes = encoder.encode(`7${text}7`);
  return reader.read(bytes, 1, bytes.length - 1);
}

/** 2026-11-21 03:43:30 UTC, as `date -d '2026-11-21 03:43:30 UTC' +%s` prints it. */
const SECOND = 1_795_232_610;

test.each([
  "1795232610000",
  "1795232610999",
  "1795232610999.9",
  "2026/11/21 03:43:30.052",
  "2026/11/21 03:43:30",
  "2026-11-21 03:43:30.052",
  "2026-11-21 03:43:30,052",
  "2026-11-21 03:43:30:052",
  "2026-11-21 03:43:30",
  "2026.11.21 3:43:30",
  "2026-11-21T03:43:30.052Z",
  "2026-11-21T03:43:30.052123456Z",
  "2026-11-21T04:43:30.052+01:00",
  "2026-11-21T04:43:30+0100",
  "2026-11-20T22:13:30.052-05:30",
  "2026-11-21 04:43:30 +01",
  "11/21/26 03:43:30",
  "11/21/2026 03:43:30",
])("%s is read", (text) => {
  expect(secondOf(text)).toBe(SECOND);
});

test.each([
  ["2001/20/20 12:05:05.123", "a month from 1 to 12"],
  ["2001/00/20 12:05:05", "a month from 1 to 12"],
  ["2027-02-29 12:05:05", "a day from 1 to 28"],
  ["2028-02-30 12:05:05", "a day from 1 to 29"],
  ["20/11/26 12:05:05", "a month from 1 to 12"],
  ["2001/01/20 24:00:00", "an hour from 0 to 23"],
  ["2001/01/20 00:60:00", "a minute from 0 to 59"],
  ["2001/01/20 00:00:60", "a second from 0 to 59"],
  ["", "milliseconds since 1970"],
  ["-5", "milliseconds since 1970"],
  ["1.795E12", "all 13 digits: Excel has rounded"],
  ["1.64797E+12", "all 13 digits: Excel has rounded"],
  ["1795232610.052", "milliseconds since 1970"],
  ["1795232610", "milliseconds since 1970"],
  // The ends of times whose beginning is lost.
  ["795232610052", "milliseconds since 1970"],
  ["232610052", "milliseconds since 1970"],
  ["52", "milliseconds since 1970"],
  ["4294967296000", "milliseconds since 1970"],
  ["2106-02-07 06:28:16", "milliseconds since 1970"],
  ["1969-12-31 23:59:59", "milliseconds since 1970"],
  ["2026-11-21", "milliseconds since 1970"],
  ["21.11.2026 03:43:30", "milliseconds since 1970"],
  ["11/21/226 03:43:30", "milliseconds since 1970"],
  ["21/11/2026 03:43:30", "a month from 1 to 12"],
  ["2026-11-21 03:43:30 CET", "milliseconds since 1970"],
  ["2026-11-21 03:43:30.", "milliseconds since 1970"],
])("%s is refused, expected: %s", (text, wanted) => {
  const reader = new TimestampReader("UTC");
  expect(secondOf("2026-11-21 03:43:30", reader)).toBe(SECOND);
  expect(secondOf(text, reader)).toBeUndefined();
  expect(reader.wanted).toContain(wanted);
});

test("the last second that can be stored is read", () => {
  expect(secondOf("4294967295999")).toBe(2 ** 32 - 1);
});

test("a zero is an unknown instant", () => {
  expect(secondOf("0")).toBe(0);
});

test("a time of day without a date is an unknown instant", () => {
  const reader = new TimestampReader("UTC");
  expect(secondOf("00:12:13", reader)).toBe(0);
  expect(secondOf("00:12:13.456", reader)).toBe(0);
  expect(reader.sawTimeAlone).toBe(true);
  expect(reader.zoneNotes("timeStamp")).toEqual([]);
});

test.each([
  ["2026-07-01 12:00:00", 1_782_900_000],
  ["2026-01-01 12:00:00", 1_767_265_200],
  // Clocks go forward from 02:00 to 03:00: 02:30 does not exist and is read as 03:30 summer time.
  ["2026-03-29 01:59:59", 1_774_745_999],
  ["2026-03-29 02:30:00", 1_774_747_800],
  ["2026-03-29 03:00:00", 1_774_746_000],
  // Clocks go back from 03:00 to 02:00: 02:30 occurs twice, and the first one is used.
  ["2026-10-25 02:30:00", 1_792_888_200],
  ["2026-10-25 03:00:00", 1_792_893_600],
])("in Berlin %s is %i", (text, second) => {
  const reader = new TimestampReader("Europe/Berlin");
  expect(secondOf(text, reader)).toBe(second);
  expect(reader.zoneNotes("timeStamp")[0]).toBe("timeStamp has no zone: read as Europe/Berlin");
});

test("times that clocks show twice are read in the order of the rows", () => {
  const reader = new TimestampReader("Europe/Berlin");
  const times = [
    "01:59:59",
    "02:30:00",
    "02:59:59",
    "02:00:01",
    "02:59:58",
    "02:10:00",
    "03:00:00",
  ];
  // 02:59:58 began before the clocks were set back.
  expect(times.map((time) => secondOf(`2026-10-25 ${time}`, reader))).toEqual(
    ["23:59:59", "00:30:00", "00:59:59", "01:00:01", "00:59:58", "01:10:00", "02:00:00"].map(
      (time, at) => Date.parse(`2026-10-${at === 0 ? 24 : 25}T${time}Z`) / 1000,
    ),
  );
  expect(reader.zoneNotes("timeStamp")).toEqual([
    "timeStamp has no zone: read as Europe/Berlin",
    "clocks were set back: times that occur twice are read in the order of the rows",
  ]);
});

test("a zone in the timestamp takes precedence over the zone of the import", () => {
  const reader = new TimestampReader("Asia/Kolkata");
  expect(secondOf("2026-11-21T03:43:30Z", reader)).toBe(SECOND);
  expect(reader.zoneNotes("timeStamp")).toEqual([]);
});

test("earlier timestamps do not affect later ones", () => {
  const part = fc.constantFrom("00", "09", "10", "31", "59", "60", "7", "");
  const near = fc
    .tuple(fc.constantFrom("-", "/"), part, part, fc.constantFrom("", ".1", ",22", ".", "Z", "x"))
    .map(([mark, minute, second, rest]) => `2026${mark}11${mark}21 03:${minute}:${second}${rest}`);
  const text = fc.oneof(
    near,
    fc.constantFrom("", "11/21/26 03:43:30", "03:43:30", "1795232610000"),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
      const reader = new TimestampReader("America/St_Johns");
      const alone = texts.map((one) => secondOf(one, new TimestampReader("America/St_Johns")));
      expect(texts.map((one) => secondOf(one, reader))).toEqual(alone);
    }),
  );
});
