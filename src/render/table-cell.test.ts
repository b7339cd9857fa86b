import { expect, test } from "vitest";
import { csvCell, markdownCode } from "./table-cell.ts";

test.each([
  ["GET /cart", "GET /cart"],
  ["a, b", '"a, b"'],
  ["a;=1+1", '"a;\'=1+1"'],
  ['a;"=1+1', '"a;""\'=1+1"'],
  ["a\t=1+1", '"a\t\'=1+1"'],
  ["\t=1+1", "\"'\t'=1+1\""],
  ['say "x"', '"say ""x"""'],
  ["two\nlines", '"two\nlines"'],
  ["", ""],
])("%j is the cell %s", (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

const FORMULAS = [
  "=1+1",
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://a.example","x")',
  "+1",
  "-1",
  "-2+3+cmd|' /C calc'!A0",
  "@SUM(1)",
  "\tx",
  "\rx",
  "＝1+1",
  "＋1",
  "－1",
  "＠SUM(1)",
  "=",
];

// CVE-2021-41270: a recorded label must not run as a formula when the table is opened.
test.each(FORMULAS)("%j is written as text, not as a formula", (text) => {
  const cell = csvCell(text);
  const content = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
  expect(content).toBe(`'${text}`);
});

// By the rules of GitHub Flavored Markdown for code spans and cells of tables.
test.each([
  ["GET /cart", "`GET /cart`"],
  ["a|b", String.raw`\`a\|b\``],
  ["tick ` tock", "`` tick ` tock ``"],
  ["```", "```` ``` ````"],
  ["", "`  `"],
  ["<img src=x> @someone", "`<img src=x> @someone`"],
  ["line\nbreak", String.raw`\`line\x0abreak\``],
])("the label %j is shown as %j", (text, expected) => {
  expect(markdownCode(text)).toBe(expected.replaceAll("\\`", "`"));
});
