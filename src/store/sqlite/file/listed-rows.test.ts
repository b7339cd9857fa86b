import { expect, test } from "vitest";
import { requireAscending, requireDeleted } from "./listed-rows.ts";

const rowsOf = (numbers: readonly number[]) => numbers.map((number) => ({ number }));

test.each([
  { numbers: [3, 4, 9], behind: 2 },
  { numbers: [], behind: 2 },
])("rows $numbers behind $behind are in order", ({ numbers, behind }) => {
  const rows = rowsOf(numbers);
  expect(requireAscending("the table", behind, rows)).toBe(rows);
});

test.each([
  { numbers: [2, 3], behind: 2, at: "number 2 after 2" },
  { numbers: [3, 5, 4], behind: 2, at: "number 4 after 5" },
])("of rows $numbers behind $behind, $at is damage", ({ numbers, behind, at }) => {
  const found = () => requireAscending("the table", behind, rowsOf(numbers));
  expect(found).toThrow(`the table lists ${at}`);
});

test("a listed row that is not found to be deleted is damage", () => {
  expect(() => requireDeleted("contents", { changes: 1 })).not.toThrow();
  expect(() => requireDeleted("contents", { changes: 0 })).toThrow("contents lists");
});
