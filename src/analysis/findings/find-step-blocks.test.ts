import { expect, test } from "vitest";
import {
  averageOf,
  errorOfLevels,
  errorOfRise,
  type Block,
  varianceOfAverage,
} from "./find-step.ts";

function blocks(values: readonly number[]): Block[] {
  return values.map((value, index) => ({ second: 10 * index, value, requests: 100 }));
}

test("two levels leave nothing of a step, and a rise of as many seconds nothing of a rise", () => {
  const step = blocks([0.1, 0.1, 0.1, 0.5, 0.5, 0.5]);
  expect(errorOfLevels(step.slice(0, 3), step.slice(3))).toBeCloseTo(0, 12);
  expect(errorOfRise(step, 25, 30)).toBeGreaterThan(1);
  const line = blocks([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
  expect(errorOfRise(line, 25, 30)).toBeCloseTo(0, 12);
  // Each side lies 0.1, 0 and 0.1 off its level.
  expect(errorOfLevels(line.slice(0, 3), line.slice(3))).toBeCloseTo(4 * 100 * 0.1 ** 2, 12);
  expect(errorOfRise(blocks([0, 0, 0.1, 0.3, 0.4, 0.4]), 25, 10)).toBeCloseTo(0, 12);
});

test("averages are weighted by requests, and their variance is that between blocks", () => {
  const uneven = [
    { second: 0, value: 0, requests: 300 },
    { second: 5, value: 1, requests: 100 },
  ];
  expect(averageOf(uneven)).toBe(0.25);
  // (300 x 0.25)^2 + (100 x 0.75)^2, by 400^2, and 2 by 1 for two blocks.
  expect(varianceOfAverage(uneven)).toBeCloseTo((2 * 2 * 75 ** 2) / 400 ** 2, 12);
  expect(varianceOfAverage(uneven.slice(1))).toBe(Infinity);
});
