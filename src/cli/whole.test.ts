import { beforeAll, expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";

const COLUMNS =
  "timeStamp,elapsed,label,responseMessage,threadName,dataType,success,allThreads,bytes";
const TRANSACTION = '"Number of samples in transaction : 2, number of failing samples : 0"';

/** Two minutes; in each second a page of two hops, a payment, and the transaction around them. */
function results(): string {
  const rows = Array.from({ length: 120 }, (_, second) => {
    const start = 1_700_000_000_007 + second * 1000;
    return [
      `${start},100,page,OK,1-1,text,true,5,30`,
      `${start},40,page-0,Found,1-1,text,true,5,10`,
      `${start + 40},60,page-1,OK,1-1,text,true,5,20`,
      `${start + 100},300,pay,OK,1-1,text,true,5,50`,
      `${start},400,buy,${TRANSACTION},1-1,,true,5,80`,
    ];
  });
  return [COLUMNS, ...rows.flat(), ""].join("\n");
}

const program = createFakeProgram();

beforeAll(async () => {
  for (const id of ["run", "same"]) await program.run(["import", "-", "--id", id], results());
});

async function linesOf(words: string): Promise<string[]> {
  const { exitCode, out, error } = await program.run(words.split(" "));
  expect({ exitCode, error }).toEqual({ exitCode: 0, error: "" });
  return out.trimEnd().split("\n");
}

test("summary marks transactions and sub-results and leaves them out of the total", async () => {
  const lines = await linesOf("summary run");
  expect(lines.slice(1).map((line) => line.replace(/^(\S+) .* {2}(?=\S)/, "$1 "))).toEqual([
    "240 (all)",
    "120 buy (transaction)",
    "120 page",
    "120 page-0 (sub-result)",
    "120 page-1 (sub-result)",
    "120 pay",
    "(all) is without 1 transaction and 2 sub-results",
  ]);
  expect(lines[1]).toMatch(/^240 +0 +200 ms .* 9\.60 kB +\(all\)$/);
});

test("summary says when the total includes them because they were selected", async () => {
  const lines = await linesOf("summary run --filter buy");
  expect(lines[1]).toMatch(/^120 .*\(all\)$/);
  expect(lines.slice(3)).toEqual(["(all) includes transactions or sub-results"]);
  expect((await linesOf("summary run --filter pay")).slice(3)).toEqual([]);
});

test("so does the JSON", async () => {
  const { out } = await program.run(["summary", "run", "--json"]);
  expect(JSON.parse(out)).toMatchObject({
    overall: { count: 240, avgLoadTime: 0.2 },
    overallOf: "requests",
    leftOut: { transactions: 1, subresults: 2 },
    endpoints: [{ label: "buy", role: "transaction" }, { label: "page" }, {}, {}, {}],
  });
});

test("compare says so, too", async () => {
  const lines = await linesOf("compare run same");
  expect(lines[1]).toMatch(/ 240 .*\(all\)$/);
  expect(lines.find((line) => line.includes("buy"))).toMatch(/ 120 .* buy \(transaction\)$/);
  expect(lines).toContain("(all) is without 1 transaction and 2 sub-results");
  const markdown = await linesOf("compare run same --markdown");
  expect(markdown.find((line) => line.includes("buy"))).toContain("| `buy` (transaction) |");
});

test("a limit without a label measures requests; one with a label measures what it names", async () => {
  const limits = ["requests > 240", "max > 300ms", "buy: max > 400ms", "page-0: avg > 40ms"];
  const words = limits.flatMap((limit) => ["--fail-if", limit]);
  expect(await program.run(["check", "run", ...words])).toMatchObject({ exitCode: 0 });
  const broken = await program.run(["check", "run", "--fail-if", "buy: max > 399ms"]);
  expect(broken.exitCode).toBe(4);
});
