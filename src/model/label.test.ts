import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareLabels, labelMatcher, sortLabels } from "./label.ts";

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

test.each([
  ["*", "", true],
  ["GET /cart*", "GET /cart", true],
  ["GET /cart*", "GET /cart/7\n8", true],
  ["GET /cart*", "PUT GET /cart", false],
  ["*cart", "GET /carts", false],
  ["a*b*c", "a1b2c", true],
  ["a*b*c", "a1c2b", false],
  // What stands before and behind `*` does not overlap.
  ["ab*ba", "aba", false],
  ["ab*ba", "abba", true],
  ["GET /?x", "GET /a?x", false],
  ["GET", "GET ", false],
])("pattern %j on %j: %j", (pattern, given, isMatching) => {
  expect(labelMatcher([pattern])(given)).toBe(isMatching);
  expect(labelMatcher(["never", pattern])(given)).toBe(isMatching);
});

test("a pattern of many parts takes no time on a long label that it almost matches", () => {
  const startMs = performance.now();
  expect(labelMatcher([`${"*a".repeat(50)}*b`])("a".repeat(8000))).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(1000);
});

test("a label is found among many whole labels without comparing it with each", () => {
  const labels = Array.from({ length: 20_000 }, (_, index) => `label ${index}`);
  const matches = labelMatcher([...labels, "x*"]);
  const startMs = performance.now();
  expect(labels.every(matches)).toBe(true);
  expect(labels.some((each) => matches(`${each}!`))).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(500);
});
