import { expect, test } from "vitest";
import { formatMarkdownTable, markdownCode } from "./table.ts";

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

test("a table has a head, a rule and rows", () => {
  expect(
    formatMarkdownTable([
      ["A", "B"],
      ["1", "2"],
    ]),
  ).toBe("| A | B |\n| --- | --- |\n| 1 | 2 |\n");
});
