import { expect, test } from "vitest";
import {
  byteTexts,
  spanText,
  logTimeTexts,
  numberTexts,
  shareTexts,
  tickTexts,
  timeTexts,
} from "./axis-texts.ts";

test.each([
  [
    [0, 0.5, 1, 1.5, 2],
    ["0", "0.5 s", "1 s", "1.5 s", "2 s"],
  ],
  [
    [0, 0.1, 0.2],
    ["0", "100 ms", "200 ms"],
  ],
  [
    [0, 0.0025],
    ["0", "2.5 ms"],
  ],
])("the times %j have one unit: %j", (seconds, texts) => {
  expect(timeTexts(seconds)).toEqual(texts);
});

test("over several decades each time has its own unit", () => {
  expect(logTimeTexts([0.002, 0.5, 1, 20])).toEqual(["2 ms", "500 ms", "1 s", "20 s"]);
});

test.each([
  [
    [0, 2.5, 1500],
    ["0", "2.5", "1,500"],
  ],
  [
    [0, 50_000],
    ["0", "50k"],
  ],
  [
    [-1_500_000, 0, 2_000_000],
    ["-1.5M", "0", "2M"],
  ],
])("the numbers %j have one scale and no trailing zeros: %j", (values, texts) => {
  expect(numberTexts(values)).toEqual(texts);
});

test("shares are percentages", () => {
  expect(shareTexts([0, 0.05, 0.1, 0.0025])).toEqual(["0", "5 %", "10 %", "0.25 %"]);
});

test("bytes have one unit", () => {
  expect(byteTexts([0, 500, 999])).toEqual(["0", "500 B", "999 B"]);
  expect(byteTexts([0, 500_000, 1_500_000])).toEqual(["0", "0.5 MB", "1.5 MB"]);
});

test.each([
  [
    ["14:00:00", "14:00:30"],
    ["14:00:00", "14:00:30"],
  ],
  [
    ["14:00:00", "14:01:00"],
    ["14:00", "14:01"],
  ],
  [
    ["21 Sept 12:00:00", "22 Sept 00:00:00", "22 Sept 12:00:00"],
    ["12:00", "22 Sept", "12:00"],
  ],
  [
    ["02:30:00 CEST", "02:45:00 CEST", "02:00:00 CET", "02:15:00 CET"],
    ["02:30 CEST", "02:45", "02:00 CET", "02:15"],
  ],
  [
    ["+0:30", "5 min 30 s"],
    ["+0:30", "5 min 30 s"],
  ],
])("the times %j are as short as they can be: %j", (texts, short) => {
  expect(tickTexts(texts)).toEqual(short);
});

test.each([
  ["14:02:11", "14:32:09", "14:02:11 to 14:32:09"],
  ["24 Oct 23:30:00 CEST", "24 Oct 23:45:10 CEST", "24 Oct 23:30:00 to 23:45:10 CEST"],
  ["24 Oct 23:30:00 CEST", "25 Oct 02:10:00 CEST", "24 Oct 23:30:00 to 25 Oct 02:10:00 CEST"],
  ["25 Oct 02:30:00 CEST", "25 Oct 02:29:59 CET", "25 Oct 02:30:00 CEST to 02:29:59 CET"],
  ["24 Oct 23:30:00", "24 Oct 23:45:10", "24 Oct 23:30:00 to 23:45:10"],
  ["1 Jan 1970 00:00:10", "1 Jan 2026 00:00:10", "1 Jan 1970 00:00:10 to 1 Jan 2026 00:00:10"],
  ["+0:10", "+1:02:11", "+0:10 to +1:02:11"],
])("from %s to %s is %s", (first, last, text) => {
  expect(spanText(first, last)).toBe(text);
});
