import { expect, test } from "vitest";
import { LabelNumbers } from "./label-numbers.ts";

test("numbers are known by index as long as the label there is the same", () => {
  const table = new LabelNumbers();
  expect(table.knows(0, "cart")).toBe(false);
  table.learn(200, "pay", 7);
  table.learn(0, "cart", 9);
  expect([table.numbers[0], table.numbers[200]]).toEqual([9, 7]);
  expect(table.knows(0, "cart")).toBe(true);
  expect(table.knows(200, "pay")).toBe(true);
  expect(table.knows(0, "pay")).toBe(false);
  expect(table.knows(100, undefined)).toBe(false);
});

test("what was given stays as it is when the table grows", () => {
  const table = new LabelNumbers();
  table.learn(3, "cart", 5);
  const { numbers } = table;
  table.learn(1000, "pay", 6);
  table.learn(3, "other", 8);
  expect(numbers[3]).toBe(5);
  expect(table.numbers[3]).toBe(8);
});
