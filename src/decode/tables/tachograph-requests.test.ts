import { expect, test } from "vitest";
import { AnyInstant } from "./tachograph-requests.ts";

function secondOf(text: string, timeZone = "UTC"): number | undefined {
  return new AnyInstant(timeZone).secondOf(Buffer.from(text));
}

test.each([
  ["1795232610", 1_795_232_610],
  ["1795232610.999999999", 1_795_232_610],
  ["100000000", 100_000_000],
  ["4294967295", 4_294_967_295],
  ["1795232610999", 1_795_232_610],
  ["1795232610999.9", 1_795_232_610],
  ["1795232610999999", 1_795_232_610],
  ["1795232610999999999", 1_795_232_610],
  ["2026-11-21T03:43:30Z", 1_795_232_610],
  ["2026-11-21T03:43:30.999999Z", 1_795_232_610],
  ["2026-11-21 04:43:30+01:00", 1_795_232_610],
])("%s is second %i", (text, second) => {
  expect(secondOf(text)).toBe(second);
});

test.each([
  "",
  "now",
  "12.5",
  "99999999",
  "4294967296",
  "17952326109",
  "1795232610.",
  "1795232610.5.5",
  "1795232610x",
  "-1795232610",
  "17952326109999999999",
  "03:43:30",
  "2026-13-21T03:43:30Z",
])('"%s" is not an instant', (text) => {
  expect(secondOf(text)).toBeUndefined();
});

test("a date and time without a zone is read in the zone of the import, and noted", () => {
  const instants = new AnyInstant("Asia/Kolkata");
  expect(instants.secondOf(Buffer.from("1795232610"))).toBe(1_795_232_610);
  expect(instants.zoneNotes()).toEqual([]);
  expect(instants.secondOf(Buffer.from("2026-11-21T09:13:30"))).toBe(1_795_232_610);
  expect(instants.zoneNotes()).toHaveLength(1);
});
