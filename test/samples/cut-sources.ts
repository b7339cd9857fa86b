import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { readFixture } from "./fixtures.ts";

/** A source that is cut anywhere. */
export interface CutSource {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Enough to contain every kind of record, and fast enough to read a thousand times. */
const BEGINNING_BYTES = 24_000;

const FIXTURES = [
  "gatling-binary/gen-gatling-3.15.1.simulation.log",
  "gatling-text/gen-gatling-3.12.0.simulation.log",
  "jmeter-csv/gen-jmeter-5.6.3-default.jtl",
  "jmeter-csv/gen-2.13-default-noheader.jtl",
  "jmeter-csv/gen-2.13-comma-header-failuremsg-multiline.jtl",
  "jmeter-csv/gen-jmeter-5.6.3-semicolon-timestamp-ms.csv",
  "jmeter-xml/gen-jmeter-5.6.3-default.jtl",
  "k6-csv/gen-k6-1.8.1-main.csv",
  "k6-json/gen-k6-1.8.1-main.json",
  "har/gen-har-playwright-1.65.1-minimal.har",
  "hey/gen-hey-0.1.5-ok.csv",
  "oha/gen-oha-1.16.0-ok.csv",
  "oha/gen-oha-1.16.0-urls-resets.csv",
  "locust/gen-locust-2.47.0-request-log_requests.csv",
  "locust/gen-locust-2.47.0-full-history_stats_history.csv",
  "goose/gen-goose-0.19.0-csv-requests.csv",
  "goose/gen-goose-0.19.0-json-requests.json",
  "taurus/gen-taurus-1.17.2-apiritif-results.csv",
  "ab/gen-ab-2.3-g.tsv",
  "siege/gen-siege-4.0.7-csv-timestamp.txt",
];

const CORPUS = path.join(import.meta.dirname, "../fuzz/corpus");
/** Formats without a recorded file in the repository, and unusual sources. */
const SEEDS = [
  "artillery-json/seed-window.dat",
  "ghz-json/seed-report.dat",
  "jmeter-csv/seed-success-last.dat",
  "jmeter-xml/seed-small.dat",
  "line-protocol/seed-jmeter-raw.dat",
  "line-protocol/seed-k6.dat",
  "line-protocol/seed-own.dat",
  "phout/seed-rows.dat",
  "tachograph-csv/seed-rows.dat",
  "tachograph-ndjson/seed-rows.dat",
  "tsung-dump/seed-rows.dat",
  "vegeta-csv/seed-results.dat",
  "vegeta-csv/seed-six-columns.dat",
  "vegeta-gob/seed-results.dat",
  "vegeta-json/seed-results.dat",
];

/** At least one source of every supported format, two of them compressed. */
export const CUT_SOURCES: readonly CutSource[] = [
  ...FIXTURES.map((name) => ({ name, bytes: beginningOf(name) })),
  ...SEEDS.map((name) => ({ name, bytes: readFileSync(path.join(CORPUS, name)) })),
  { name: "gzip", bytes: gzipSync(beginningOf("jmeter-csv/gen-jmeter-5.6.3-default.jtl")) },
  { name: "zstd", bytes: zstdCompressSync(beginningOf("k6-csv/gen-k6-1.8.1-main.csv")) },
];

function beginningOf(name: string): Uint8Array {
  return readFixture(name).subarray(0, BEGINNING_BYTES);
}
