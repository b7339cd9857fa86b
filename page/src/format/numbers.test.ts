import { expect, test } from "vitest";
import { inWords } from "./changes.ts";
import {
  bytes,
  bytesWith,
  duration,
  durationsWith,
  lasted,
  rate,
  share,
  shortCount,
} from "./numbers.ts";

test.each([
  [0, "0", "ms"],
  [0.00001, "< 0.1", "ms"],
  [0.0041, "4.1", "ms"],
  [0.00996, "10", "ms"],
  [0.0614, "61", "ms"],
  [0.9994, "999", "ms"],
  [0.9996, "1.00", "s"],
  [3.3, "3.30", "s"],
  [12.34, "12.3", "s"],
  [599.4, "599", "s"],
  [1234.5, "20.6", "min"],
])("%d s is %s %s", (seconds, digits, unit) => {
  expect(duration(seconds)).toEqual({ digits, unit });
});

test.each([
  [0, "0", ""],
  [0.00001, "< 0.01", "%"],
  [0.000166, "0.02", "%"],
  [0.0038, "0.38", "%"],
  [0.00996, "1.0", "%"],
  [0.0204, "2.0", "%"],
  [0.025, "2.5", "%"],
  [0.125, "13", "%"],
  [0.99, "99", "%"],
  [0.997, "99.7", "%"],
  [0.9995, "> 99.9", "%"],
  [1, "100", "%"],
])("the share %d is %s %s", (value, digits, unit) => {
  expect(share(value)).toEqual({ digits, unit });
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.00 kB"],
  [1_492_501_135, "1.49 GB"],
])("%d bytes are %s", (value, text) => {
  expect(Object.values(bytes(value)).join(" ")).toBe(text);
});

test.each([
  [31, "31 s"],
  [1799, "29 min 59 s"],
  [7380, "2 h 3 min"],
])("%d s lasted %s", (seconds, text) => {
  expect(lasted(seconds)).toBe(text);
});

test.each([
  [999_999, "999,999"],
  [8_100_000, "8.10 M"],
])("%d in a list is %s", (value, text) => {
  expect(shortCount(value)).toBe(text);
});

test.each([
  [0, "0"],
  [0.001, "< 0.01"],
  [0.0921, "0.09"],
  [0.515, "0.52"],
  [3.01, "3"],
  [3.31, "3.3"],
  [9.97, "10"],
  [216.7, "217"],
])("%d a second is %s", (value, text) => {
  expect(rate(value)).toBe(text);
});

test.each([
  [2.01, [0.0141, 0.856, 2.01], "14 ms, 856 ms, 2,010 ms"],
  [0.0092, [0.0004, 0.0092], "0.4 ms, 9.2 ms"],
  [0.8, [0.0003, 0], "< 1 ms, 0 ms"],
  [30.002, [0.014, 0.002, 30.002], "0.01 s, < 0.01 s, 30.00 s"],
  [902, [0.5, 902], "0.5 s, 902.0 s"],
])("times of a column up to %d s have one unit", (largest, seconds, text) => {
  expect(seconds.map(durationsWith(largest)).map(inWords).join(", ")).toBe(text);
});

test("bytes of a column have one unit", () => {
  const texts = [300, 12_345, 1_500_000].map(bytesWith(1_500_000)).map(inWords);
  expect(texts.join(", ")).toBe("< 0.01 MB, 0.01 MB, 1.50 MB");
});
