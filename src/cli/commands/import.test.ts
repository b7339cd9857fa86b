import { expect, test } from "vitest";
import { decodeOptionsOf } from "./import.ts";

test.each([
  ["2026-11-21T03:43:30Z", 1_795_232_610_000],
  ["2026-11-21T04:43:30.052+01:00", 1_795_232_610_052],
  ["2026-11-21 04:43:30+0100", 1_795_232_610_000],
  ["2026-11-21T03:43z", 1_795_232_580_000],
  ["1795232610", 1_795_232_610_000],
  ["1795232610.052", 1_795_232_610_052],
  ["1795232610052", 1_795_232_610_052],
])("--started-at %s is %i", (startedAt, ms) => {
  expect(decodeOptionsOf({ startedAt }, "UTC").startedAtMs).toBe(ms);
});

test.each([
  "",
  "now",
  "2026-11-21",
  "2026-11-21T03:43:30",
  "2026-13-21T03:43:30Z",
  "12.5",
  "17952326100520",
  "9999999999",
  "-1795232610",
])('--started-at "%s" is no time', (startedAt) => {
  expect(() => decodeOptionsOf({ startedAt }, "UTC")).toThrow(
    `cannot read the time "${startedAt}": expected ISO 8601 with its zone`,
  );
});
