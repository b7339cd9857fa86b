import { expect, test } from "vitest";
import { formatMarkdownTable } from "./table.ts";

test("a table has a head, a rule and rows", () => {
  const rows = [
    ["A", "B"],
    ["1", "2"],
  ];
  expect(formatMarkdownTable(rows, { otherLength: 0 })).toBe(
    "| A | B |\n| --- | --- |\n| 1 | 2 |\n",
  );
});

test("rows that do not fit into a comment are omitted and counted, least important first", () => {
  const rows = Array.from({ length: 10_000 }, (_, at) => [String(at).padStart(6, "0")]);
  const otherLength = 1000;
  // Lines of 11 characters.
  const table = formatMarkdownTable([["A"], ...rows], { otherLength });
  const lines = table.split("\n");
  const shown = lines.filter((line) => /^\| \d/.test(line));
  expect(shown).toEqual(rows.slice(0, shown.length).map(([cell]) => `| ${cell} |`));
  expect(table.length + otherLength).toBeLessThan(60_000);
  expect(table.length + otherLength).toBeGreaterThan(60_000 - 100);
  const hidden = new Intl.NumberFormat("en").format(10_000 - shown.length);
  expect(lines.slice(-3)).toEqual(["", `${hidden} rows not shown`, ""]);
  const others = formatMarkdownTable([["A"], ...rows], {
    otherLength,
    importanceOf: ([cell = ""]) => (cell.endsWith("7") ? 1 : 0),
  });
  expect(others.match(/7 \|$/gm)).toHaveLength(1000);
  expect(others.indexOf("000006")).toBeLessThan(others.indexOf("000007"));
  expect(others.length).toBe(table.length);
});
