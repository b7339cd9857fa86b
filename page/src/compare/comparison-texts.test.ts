import { expect, test } from "vitest";
import type { ComparedEndpoint } from "../api/comparison.ts";
import { comparisonCsv, comparisonMarkdown } from "./comparison-texts.ts";

const ROW: ComparedEndpoint = {
  label: 'GET /a|b,"c"',
  hash: "",
  verdict: "slower",
  count: { base: 27_000, value: 27_660 },
  shift: { change: 0.2, low: 0.1, high: 0.3, isSignificant: true },
  errRate: { base: 0, value: 0, change: 0, low: -0.01, high: 0.01, isSignificant: false },
  avgLoadTime: { base: 0.05, value: 0.061, change: 0.22, isSignificant: true },
  p50: { base: 0.05, value: 0.05, change: 0 },
  p95: { base: 0.068, value: 0.152, change: 1.235, low: 1.1, high: 1.3, isSignificant: true },
  p99: { value: 2.12 },
};

const REQUESTS = {
  overallOf: "requests",
  leftOut: { transactions: 0, subresults: 0 },
  quality: { base: [], value: [] },
} as const;

const remark = (message: string) => ({ code: "truncated", message }) as const;

test("a comparison is copied as a table of Markdown in which labels stay text", () => {
  const overall = { ...ROW, verdict: "tooFew" } as const;
  expect(comparisonMarkdown({ ...REQUESTS, overall, endpoints: [ROW] })).toBe(
    [
      "| VERDICT | REQUESTS | FAILED | SHIFT | AVG | P50 | P95 | P99 | ENDPOINT |",
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
      "| ? too few requests | 27,000 → 27,660 | 0 | +20 % * | 50 ms → 61 ms (+22 % *) | 50 ms (0 %) | 68 ms → 152 ms (+124 % *) | – → 2.12 s | (all) |",
      String.raw`| ▲ slower | 27,000 → 27,660 | 0 | +20 % * | 50 ms → 61 ms (+22 % *) | 50 ms (0 %) | 68 ms → 152 ms (+124 % *) | – → 2.12 s | ${"`"}GET /a\|b,"c"${"`"} |`,
      "",
      String.raw`\* beyond noise`,
      "",
    ].join("\n"),
  );
});

test("transactions are marked, and what the total leaves out is listed below", () => {
  const leftOut = { transactions: 1, subresults: 0 };
  const endpoints = [{ ...ROW, label: "buy", role: "transaction" as const }];
  const text = comparisonMarkdown({ ...REQUESTS, leftOut, overall: ROW, endpoints });
  expect(text).toContain("| `buy` (transaction) |\n\n(all) is without 1 transaction\n\n");
});

test("what the figures of each side do not record is listed below", () => {
  const quality = { base: [remark("a"), remark("b")], value: [remark("a"), remark("c|d")] };
  const text = comparisonMarkdown({ ...REQUESTS, quality, overall: ROW, endpoints: [] });
  expect(text).toContain(
    `(all) |\n\n\`a\`\n\n\`b\` (base only)\n\n\`c${String.raw`\|`}d\` (not the base)\n\n`,
  );
});

test("the noise that the verdicts are based on is listed below", () => {
  const earlierRuns = { name: "a", loadTests: 8 };
  const noise = { kind: "between", earlierRuns, message: "measured over 8 runs" } as const;
  const text = comparisonMarkdown({ ...REQUESTS, noise, overall: ROW, endpoints: [] });
  expect(text).toContain("(all) |\n\n`measured over 8 runs`\n\n");
});

test("rows that do not fit into a comment are counted", () => {
  const endpoints = Array.from({ length: 1000 }, (_, at) => ({ ...ROW, label: `endpoint ${at}` }));
  const text = comparisonMarkdown({ ...REQUESTS, overall: ROW, endpoints });
  expect(text.length).toBeLessThan(65_536);
  expect(text.length).toBeGreaterThan(65_000);
  const shown = text.match(/`endpoint \d+`/g)?.length ?? 0;
  expect(text).toContain(`\`endpoint ${shown - 1}\` |\n\n${1000 - shown} rows not shown\n\n`);
});

test("the CSV holds every number exactly as returned", () => {
  const [head, row] = comparisonCsv([{ ...ROW, role: "transaction" }]).split("\r\n");
  expect(head?.split(",").slice(0, 7)).toEqual([
    "label",
    "role",
    "verdict",
    "count base",
    "count value",
    "errRate base",
    "errRate value",
  ]);
  const cells =
    '"GET /a|b,""c""",transaction,slower,27000,27660,0,0,0,-0.01,0.01,false,0.05,0.061,0.22,,,true';
  expect(row).toBe(
    `${cells},0.05,0.05,0,,,,0.068,0.152,1.235,1.1,1.3,true,,2.12,,,,,0.2,0.1,0.3,true`,
  );
});
