import { expect, test } from "vitest";
import { LabelNumbers } from "./known-endpoints.ts";

const LABELS = ["home", "cart", "pay"];

test("a number is known by index as long as the label of the index is the same", () => {
  const table = new LabelNumbers(LABELS);
  expect(table.knows(0, "cart")).toBe(false);
  table.learn(200, 2);
  table.learn(0, 1);
  expect([table.numbers[0], table.numbers[200]]).toEqual([1, 2]);
  expect(table.knows(0, "cart")).toBe(true);
  expect(table.knows(200, "pay")).toBe(true);
  expect(table.knows(0, "pay")).toBe(false);
  expect(table.knows(100, undefined)).toBe(false);
});

test.each([
  { index: 100, label: "cart", isKnown: false },
  { index: 5, label: "cart", isKnown: false },
  { index: 5, label: "basket", isKnown: false },
  // Never learned, but the default number is correct.
  { index: 5, label: "home", isKnown: true },
])("index $index is known for $label only if its number fits: $isKnown", (each) => {
  expect(new LabelNumbers(LABELS).knows(each.index, each.label)).toBe(each.isKnown);
});

test("labels that are numbered later are known, too", () => {
  const labels: string[] = [];
  const table = new LabelNumbers(labels);
  expect(table.knows(0, "home")).toBe(false);
  labels.push("home", "cart");
  table.learn(3, 1);
  expect(table.knows(3, "cart")).toBe(true);
});

test("a returned table does not change when the table grows", () => {
  const table = new LabelNumbers(LABELS);
  table.learn(3, 1);
  const { numbers } = table;
  table.learn(1000, 2);
  expect([table.numbers[3], table.numbers[1000]]).toEqual([1, 2]);
  table.learn(3, 0);
  expect(numbers[3]).toBe(1);
  expect(table.numbers[3]).toBe(0);
});
