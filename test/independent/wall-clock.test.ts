import { expect, test } from "vitest";
import { instantOf } from "./wall-clock.mjs";

test.each([
  ["2026/11/21 03:43:30.052", "UTC", "2026-11-21T03:43:30.052Z"],
  ["2026-11-21 03:43:30", "Asia/Kolkata", "2026-11-20T22:13:30.000Z"],
  ["11/21/26 03:43:30", "America/New_York", "2026-11-21T08:43:30.000Z"],
  // Clocks in Berlin showed 02:30 twice on this day, and skipped it on the next date below.
  ["2026-10-25 02:30:00", "Europe/Berlin", "2026-10-25T00:30:00.000Z"],
  ["2026-03-29 02:30:00", "Europe/Berlin", "2026-03-29T01:30:00.000Z"],
])("%s in %s is %s", (text, timeZone, instant) => {
  expect(instantOf(text, timeZone)).toBe(Date.parse(instant));
});

test.each(["2001/20/20 12:05:05.123", "2026-02-30 00:00:00", "2026-11-21 24:00:00", "today"])(
  "%s is not a date and time",
  (text) => expect(instantOf(text, "UTC")).toBeUndefined(),
);
