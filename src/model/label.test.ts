import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareLabels, sortLabels } from "./label.ts";

const label = fc.string({ unit: "binary", maxLength: 4 });

test("labels are ordered by their UTF-8 bytes", () => {
  fc.assert(
    fc.property(label, label, (left, right) => {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      expect(Math.sign(compareLabels(left, right))).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

test("an emoji comes after a full-width tilde, unlike in the order of UTF-16 units", () => {
  expect(compareLabels("\u{1f600}", "\uff5e")).toBeGreaterThan(0);
});

test("sorting many labels agrees with comparing them in pairs", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(label, fc.string({ maxLength: 4 }))), (labels) => {
      expect(sortLabels(labels)).toEqual(labels.toSorted(compareLabels));
    }),
  );
});
