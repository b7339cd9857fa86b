import { expect, test } from "vitest";
import { studentT } from "./student-t.ts";

// Printed tables: Abramowitz and Stegun, table 26.10.
test.each([
  [0.5, 1, 1],
  [0.05, 1, 12.706],
  [0.05, 2, 4.303],
  [0.01, 5, 4.032],
  [0.001, 9, 4.781],
  [0.002, 10, 4.144],
  [0.05, 29, 2.045],
  [0.001, 29, 3.659],
])("of probability %d and %d degrees of freedom is %d", (probability, degrees, expected) => {
  expect(studentT(probability, degrees)).toBeCloseTo(expected, 3);
});
