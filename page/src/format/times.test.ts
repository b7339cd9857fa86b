import { expect, test } from "vitest";
import { afterStart, day, dayAndSecond, dayAndTime, sinceStart, timeOfDay } from "./times.ts";

const NOON = Date.UTC(2026, 10, 21, 12, 0, 0) / 1000;

test("formats the time of day and the date of an instant", () => {
  expect(timeOfDay(NOON + 131, "utc")).toBe("12:02:11");
  expect(day(NOON, "utc")).toBe("Sat 21 Nov 2026");
});

test.each([
  [0, "Today 12:00"],
  [12 * 3600, "Today 00:00"],
  [12 * 3600 + 1, "Yesterday 23:59"],
  [2 * 86_400, "Thu 19 Nov, 12:00"],
  [400 * 86_400, "17 Oct 2025, 12:00"],
])("%d s ago is %s", (ago, text) => {
  expect(dayAndTime(NOON - ago, NOON, "utc")).toBe(text);
});

test("an instant in a list can be formatted to the second", () => {
  expect(dayAndSecond(NOON - 86_400, NOON + 131, "utc")).toBe("Yesterday 12:00:00");
});

test.each([
  [42, "+0:42"],
  [3731, "+1:02:11"],
])("%d s since the start are %s", (seconds, text) => {
  expect(sinceStart(seconds)).toBe(text);
});

test.each([
  [0, "0"],
  [45, "45 s"],
  [300, "5 min"],
  [330, "5 min 30 s"],
  [3720, "1 h 2 min"],
])("%d s after a start are %s", (seconds, text) => {
  expect(afterStart(seconds)).toBe(text);
});
