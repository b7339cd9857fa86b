/** Compares the totals of each recording with those of its tool. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import { type Summary, summarise } from "../../src/query/open-summary.ts";
import { readRecording, readStatistics } from "../demo/recording.ts";
import { readResults } from "../independent/read-results.mjs";
import { FIXTURE_FOLDER, FIXTURES, readFixture } from "./fixtures.ts";
import { importAndRead, LOAD_TEST_ID } from "./import-and-read.ts";

interface Total {
  readonly count: number;
  readonly errors: number;
  readonly avgMs: number;
}

/** What is known of a JMeter run, from its plan and from `jmeter -g`. */
interface JmeterTruth {
  readonly requests: number;
  readonly transactions: readonly string[];
  /** Rows by label. */
  readonly subResults: Readonly<Record<string, number>>;
  readonly interruptedTransactionRows: number;
  /** Absent if the run was killed. */
  readonly total?: Total;
}

async function summaryOf(bytes: Uint8Array): Promise<Summary> {
  const { points } = await importAndRead(bytes);
  const everything = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
  return summarise(points, { ...everything, loadTestId: LOAD_TEST_ID });
}

function expectedOf(file: string): unknown {
  return JSON.parse(readFileSync(path.join(FIXTURE_FOLDER, file), "utf8"));
}

function labelsOf({ endpoints }: Summary, role: string | undefined): string[] {
  return endpoints.filter((each) => each.role === role).map(({ label }) => label);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

test.each([
  ["jmeter-csv/gen-jmeter-5.6.3-default", ".jtl"],
  ["jmeter-csv/gen-jmeter-5.6.3-all-columns-vars", ".csv"],
  ["jmeter-csv/gen-jmeter-5.6.3-append-twice", ".jtl"],
  ["jmeter-csv/gen-jmeter-5.6.3-killed", ".jtl"],
  ["jmeter-csv/gen-jmeter-5.6.3-semicolon-timestamp-ms", ".csv"],
  ["jmeter-xml/gen-jmeter-5.6.3-default", ".jtl"],
  ["jmeter-xml/gen-jmeter-5.6.3-killed", ".jtl"],
  ["jmeter-xml/gen-jmeter-5.6.3-responsedata-headers-vars", ".jtl"],
])("%s%s: requests without transactions and sub-results", async (stem, extension) => {
  const truth = expectedOf(`${stem}.expected.json`) as JmeterTruth;
  const summary = await summaryOf(readFixture(`${stem}${extension}`));
  expect(summary.overall.count).toBe(truth.requests);
  expect(labelsOf(summary, "transaction").toSorted()).toEqual(truth.transactions.toSorted());
  const subresults = summary.endpoints.filter(({ role }) => role === "subresult");
  const counts = subresults.map(({ label, count }) => [label, count]);
  expect(Object.fromEntries(counts)).toEqual(truth.subResults);
  // JMeter's own Total includes sub-results and interrupted transactions, which took little time.
  if (truth.total === undefined) return;
  const whole = [summary.overall, ...subresults];
  const interrupted = truth.interruptedTransactionRows;
  expect(sum(whole.map(({ count }) => count)) + interrupted).toBe(truth.total.count);
  expect(sum(whole.map(({ errCount }) => errCount))).toBe(truth.total.errors);
});

test.each(FIXTURES.filter(({ file, recorded }) => file.startsWith("jmeter-csv/") && recorded > 0))(
  "$file: the independent reader finds the same transactions and sub-results",
  async ({ file }) => {
    const bytes = readFixture(file);
    const { endpoints } = await summaryOf(bytes);
    const derived = endpoints.flatMap(({ label, role }) =>
      role === undefined ? [] : [[label, role]],
    );
    expect(Object.fromEntries(derived)).toEqual(
      Object.fromEntries(readResults(bytes)?.derived ?? []),
    );
  },
);

test("a redirect whose first hop has neither a message nor a data type is one request", async () => {
  const rows = [
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,bytes",
    "1785999787632,426,Login,200,,TG 1-1,text,true,5430",
    "1785999787632,207,Login-0,302,,TG 1-1,,true,230",
    "1785999787843,215,Login-1,200,,TG 1-1,text,true,5200",
  ];
  const bytes = Buffer.from(`${rows.join("\n")}\n`);
  const { overall, leftOut } = await summaryOf(bytes);
  expect(overall).toMatchObject({ count: 1, avgLoadTime: 0.426, downloadSize: 5430 });
  expect(leftOut).toEqual({ transactions: 0, subresults: 2 });
  const derived = [...(readResults(bytes)?.derived ?? [])];
  expect(derived).toEqual([
    ["Login-0", "subresult"],
    ["Login-1", "subresult"],
  ]);
});

test("the demonstration: JMeter's Total equals the requests and their sub-results", async () => {
  const total = readStatistics().get("Total");
  const summary = await summaryOf(readRecording());
  expect(labelsOf(summary, "transaction")).toEqual(["Buy a product"]);
  const subresults = ["GET /shop (redirect)-0", "GET /shop (redirect)-1"];
  expect(labelsOf(summary, "subresult")).toEqual(subresults);
  const whole = [summary.overall, ...summary.endpoints.filter(({ role }) => role === "subresult")];
  const count = sum(whole.map((each) => each.count));
  expect(count).toBe(total?.sampleCount);
  expect(sum(whole.map(({ errCount }) => errCount))).toBe(total?.errorCount);
  const seconds = sum(whole.map((each) => each.count * (each.avgLoadTime ?? Number.NaN)));
  expect((1000 * seconds) / count).toBeCloseTo(total?.meanResTime ?? 0, 2);
});

const GATLING = ({ total }: ToolTotals): Total | undefined => total;
/** k6 counts no failure where the script disables the check, as for one address here. */
const K6 = ({ overall, computedFromFile }: ToolTotals): Total | undefined => {
  const unjudged = computedFromFile?.endpoints["no-callback"]?.errors ?? 0;
  return overall && { ...overall, errors: overall.errors + unjudged };
};

interface ToolTotals {
  readonly total?: Total;
  readonly overall?: Total;
  readonly computedFromFile?: { readonly endpoints: Readonly<Record<string, Total>> };
}

test.each<[string, string, typeof K6, number]>([
  ["gatling-binary/gen-gatling-3.15.1", ".simulation.log", GATLING, 0.5],
  ["gatling-binary/gen-gatling-3.13.5", ".simulation.log", GATLING, 0.5],
  ["gatling-text/gen-gatling-3.12.0", ".simulation.log", GATLING, 0.5],
  ["k6-csv/gen-k6-1.8.1-main", ".csv", K6, 0.001],
  ["k6-json/gen-k6-1.8.1-main", ".json", K6, 0.001],
])("%s%s: the totals equal the tool's", async (stem, extension, totalOf, toleranceMs) => {
  const total = totalOf(expectedOf(`${stem}.expected.json`) as ToolTotals);
  const { overall, overallOf, leftOut } = await summaryOf(readFixture(`${stem}${extension}`));
  const [count, errors] = [overall.count, overall.errCount];
  expect({ count, errors }).toEqual({ count: total?.count, errors: total?.errors });
  const differenceMs = Math.abs((overall.avgLoadTime ?? Number.NaN) * 1000 - (total?.avgMs ?? NaN));
  expect(differenceMs).toBeLessThanOrEqual(toleranceMs);
  expect(overallOf).toBe("requests");
  expect(leftOut).toEqual({ transactions: 0, subresults: 0 });
});

test("Locust: the totals equal its row Aggregated", async () => {
  const stem = "locust/gen-locust-2.47.0-full-history";
  const table = Buffer.from(readFixture(`${stem}_stats.csv`)).toString();
  const cells = table.trimEnd().split("\n").at(-1)?.split(",") ?? [];
  expect(cells.slice(0, 2)).toEqual(["", "Aggregated"]);
  const { overall } = await summaryOf(readFixture(`${stem}_stats_history.csv`));
  expect([overall.count, overall.errCount].map(String)).toEqual(cells.slice(2, 4));
});
