/** The number of requests and of failures is the same everywhere. */

import { beforeAll, expect, test } from "vitest";
import { report } from "../../test/support/artillery-reports.ts";
import { createFakeProgram } from "../../test/support/fake-program.ts";

const COLUMNS = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success";
const TRANSACTION = '"Number of samples in transaction : 2, number of failing samples : 1"';

/**
 * Ten times: a page of two hops, a payment, and the transaction around them. Three times the second
 * hop fails, and with it the page and the transaction.
 */
function results(): string {
  const rows = Array.from({ length: 10 }, (_, second) => {
    const start = 1_700_000_000_007 + second * 1000;
    const outcome = second < 3 ? "500,Bad,1-1,text,false" : "200,OK,1-1,text,true";
    return [
      `${start},100,page,${outcome}`,
      `${start},40,page-0,302,Found,1-1,text,true`,
      `${start + 40},60,page-1,${outcome}`,
      `${start + 100},300,pay,200,OK,1-1,text,true`,
      `${start},400,buy,,${TRANSACTION},1-1,,${second >= 3}`,
    ];
  });
  return [COLUMNS, ...rows.flat(), ""].join("\n");
}

const program = createFakeProgram();
let imported = "";

async function outOf(...words: readonly string[]): Promise<string> {
  return (await program.run(words)).out;
}

beforeAll(async () => {
  imported = (await program.run(["import", "-", "--id", "run"], results())).out;
});

test("an import reports requests and the rows that repeat them", () => {
  const [first, second] = imported.split("\n");
  expect(first).toMatch(/^standard input: 20 requests, 3 failed, 5 endpoints \(jmeter-csv, /);
  expect(second).toBe("  50 records read, 10 transactions and 20 sub-results among them");
});

test("the list, the load test and its summary count the same requests", async () => {
  const counts = { requests: 20, failedRequests: 3 };
  expect(JSON.parse(await outOf("tests", "list", "--json"))).toMatchObject([counts]);
  expect(await outOf("tests", "list")).toMatch(/^run +.* 5 +20 +3 /m);
  expect(await outOf("tests", "show", "run")).toContain("20 requests, 3 failed");
  const { overall } = JSON.parse(await outOf("summary", "run", "--json"));
  expect(overall).toMatchObject({ count: 20, errCount: 3 });
});

test("failures count requests; others are reported separately", async () => {
  const lines = (await outOf("failures", "run")).trimEnd().split("\n");
  expect(lines.at(-1)).toBe(
    "3 failed requests; 3 transactions and 3 sub-results failed, which repeat requests",
  );
  expect(lines.filter((line) => line.includes("page-1 (sub-result)"))).toHaveLength(1);
  const items = JSON.parse(await outOf("failures", "run", "--json"));
  expect(items).toMatchObject([
    { label: "buy", leftOut: "transaction", failedRequests: 3 },
    { label: "page", failedRequests: 3 },
    { label: "page-1", leftOut: "subresult", failedRequests: 3 },
  ]);
  expect(items[1]).not.toHaveProperty("leftOut");
});

test("explicitly selected rows are counted", async () => {
  const lines = (await outOf("failures", "run", "--filter", "buy")).trimEnd().split("\n");
  expect(lines.at(-1)).toBe("3 failed requests");
});

test("GET /Api/Metrics counts the rows of each label", async () => {
  const [item] = JSON.parse(await outOf("metrics", "run", "--filter", "page-1", "--format", "csv"));
  // A line of names, and ten seconds with a row each.
  expect(item.data.slice(1).map((line: readonly string[]) => line[2])).toEqual(
    Array.from({ length: 10 }, () => "1"),
  );
});

test("windows of many requests are counted as records, not as requests", async () => {
  const times = {
    min: 1,
    max: 9,
    count: 6,
    mean: 5,
    p50: 5,
    median: 5,
    p75: 5,
    p90: 5,
    p95: 9,
    p99: 9,
    p999: 9,
  };
  const window = {
    counters: { "http.requests": 6, "http.responses": 6, "http.codes.200": 4, "http.codes.500": 2 },
    summaries: { "http.response_time": times },
  };
  const out = (await program.run(["import", "-", "--id", "windows"], report(window))).out;
  expect(out).toMatch(
    /^standard input: 6 requests, 2 failed, 1 endpoint \(artillery-json, .*\n {2}1 record read\n/,
  );
});
