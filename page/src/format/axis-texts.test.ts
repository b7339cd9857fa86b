import { expect, test } from "vitest";
import { logTimeTexts, numberTexts, timeTexts } from "./axis-texts.ts";

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

test("plain numbers are written without trailing zeros", () => {
  expect(numberTexts([0, 2.5, 1500])).toEqual(["0", "2.5", "1,500"]);
});
