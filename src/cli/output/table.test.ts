import { expect, test } from "vitest";
import { formatFittedTable, formatTable } from "./table.ts";

const ROWS = [
  ["REQUESTS", "MIN", "AVG", "ENDPOINT"],
  ["12", "1 ms", "20 ms", "GET /a/very/long/path/that/goes/on/and/on"],
  ["3", "2 ms", "30 ms", "GET /商品推荐"],
];
const OPTIONAL = ["MIN", "AVG"];

test("a table that fits stays unchanged", () => {
  const fitted = formatFittedTable(ROWS, { terminalColumns: 100, optional: OPTIONAL });
  expect(fitted).toBe(formatTable(ROWS));
  expect(fitted).toBe(
    "REQUESTS  MIN   AVG    ENDPOINT\n" +
      "12        1 ms  20 ms  GET /a/very/long/path/that/goes/on/and/on\n" +
      "3         2 ms  30 ms  GET /商品推荐\n",
  );
});

// 10 columns for requests, 6 for MIN, 7 for AVG, and 41 for the longest label.
test.each([
  [60, []],
  [53, []],
  [52, ["MIN"]],
  [46, ["MIN", "AVG"]],
  [40, ["MIN", "AVG"]],
])(
  "at %i columns, %j are left out before the last column is truncated",
  (terminalColumns, leftOut) => {
    const text = formatFittedTable(ROWS, { terminalColumns, optional: OPTIONAL });
    const lines = text.trimEnd().split("\n");
    for (const line of lines.slice(0, 3)) expect(line.length).toBeLessThanOrEqual(terminalColumns);
    expect(lines[1]).toMatch(/GET \/a\/very.*….*on\/and\/on$/);
    expect(lines.slice(3)).toEqual(
      leftOut.length === 0
        ? []
        : [`hidden at a width of ${terminalColumns} characters: ${leftOut.join(", ")}`],
    );
  },
);

test("width counts terminal columns: some characters take two and some none", () => {
  const rows = [
    ["商品", "b"],
    ["e\u0301", "d"],
    ["1234", "f"],
  ];
  expect(formatTable(rows)).toBe("商品  b\ne\u0301     d\n1234  f\n");
  const cut = formatFittedTable([["商品推荐".repeat(10)]], { terminalColumns: 31, optional: [] });
  // 15 characters of two columns and the dots.
  expect(cut).toMatch(/^[商品推荐]{8}…[商品推荐]{7}\n$/u);
});
