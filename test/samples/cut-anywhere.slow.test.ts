import { expect, test } from "vitest";
import { readResults } from "../independent/read-results.mjs";
import { readingDifferences } from "./check-file.ts";
import { readFixture } from "./fixtures.ts";
import { importAndRead } from "./import-and-read.ts";

/** Far enough apart to be quick, and prime, so that they fall on every part of a record. */
const STEP_BYTES = 37;

// Each beginning holds several records, among them labels with line breaks and nested elements.
test.each([
  { file: "gatling-binary/gen-gatling-3.15.1.simulation.log", from: 200, until: 2500 },
  { file: "gatling-text/gen-gatling-3.12.0.simulation.log", from: 300, until: 2300 },
  { file: "jmeter-csv/gen-jmeter-5.6.3-default.jtl", from: 300, until: 4000 },
  { file: "jmeter-csv/gen-2.13-default-noheader.jtl", from: 300, until: 2000 },
  { file: "jmeter-xml/gen-jmeter-5.6.3-default.jtl", from: 300, until: 6000 },
  { file: "k6-csv/gen-k6-1.8.1-main.csv", from: 300, until: 5000 },
  { file: "k6-json/gen-k6-1.8.1-main.json", from: 9000, until: 14_000 },
  {
    file: "artillery/gen-artillery-2.0.34-metrics-by-endpoint.json",
    from: 21_000,
    until: 25_000,
  },
  { file: "har/gen-har-playwright-1.65.1-minimal.har", from: 300, until: 5000 },
  { file: "hey/gen-hey-0.1.5-ok.csv", from: 92, until: 2000 },
  { file: "oha/gen-oha-1.16.0-ok.csv", from: 76, until: 2000 },
  { file: "locust/gen-locust-2.47.0-request-log_requests.csv", from: 90, until: 3500 },
  { file: "locust/gen-locust-2.47.0-full-history_stats_history.csv", from: 400, until: 4500 },
  { file: "goose/gen-goose-0.19.0-csv-requests.csv", from: 230, until: 3000 },
  { file: "goose/gen-goose-0.19.0-json-requests.json", from: 500, until: 4000 },
  { file: "taurus/gen-taurus-1.17.2-apiritif-results.csv", from: 90, until: 2500 },
  { file: "ab/gen-ab-2.3-g.tsv", from: 42, until: 2000 },
  { file: "siege/gen-siege-4.0.7-csv-timestamp.txt", from: 250, until: 4200 },
])("$file cut anywhere is read up to the cut", async ({ file, from, until }) => {
  const bytes = readFixture(file);
  for (let end = from; end < until; end += STEP_BYTES) {
    const part = bytes.subarray(0, end);
    const imported = await importAndRead(part);
    const reading = readResults(part);
    expect({ end, ...imported.outcome }).toEqual({
      refusal: undefined,
      end,
      recorded: reading?.samples.length,
      rejected: 0,
      ending: reading?.cut === true ? "cut" : "whole",
    });
    expect(readingDifferences(imported, reading)).toEqual([]);
  }
});
