/**
 * What people reported publicly, in threads and with files: the files were rebuilt or generated for this project. Figures
 * come from the threads or were counted by other programs.
 */

import path from "node:path";
import { expect, test } from "vitest";
import { createFakeProgram } from "../support/fake-program.ts";

const FOLDER = path.join(import.meta.dirname, "../fixtures/reported");

/** Requests, failed requests and endpoints; what else of `overall` is known, in seconds; what the file is about. */
const TABLE = `
k6-long-url.json | 40 10 11 | | names over 1,024 bytes: LeonAdato/xk6-output-statsd #8, grafana/k6 #1474
k6longlive2.lp | 40 10 11 | | the same, live
jmeter-unquoted-commas.csv | 100 10 1 | maxLoadTime 10.004 | commas in messages: bancolombia/distributed-performance-analyzer #62
jmeter-6078-negative-parent.csv | 10 2 2 | | t=-1 of failed transactions: apache/jmeter #6078
jmeter-negative-latency.csv | 10 0 1 | maxLoadTime 0.1 | negative Latency and Connect
k6-588-negative.csv | 10 0 1 | untimedCount 1 | negative duration: grafana/k6 #588
perfmon-in-results.xml | 30 0 1 | p95 0.148 | PerfMon in the results: codecentric/jmeter-graph-maven-plugin #5
h-221-full_stats_history.csv | 1178 0 2 | minLoadTime 0.031592 | percentiles since the start: locustio/locust #1873
locust-0.14.csv | 776 0 1 | maxLoadTime 0.144 | columns of 0.14: locustio/locust #1292
zhaj.csv | 15 0 1 | maxLoadTime 0.088 | quoted header of Locust 1.x
labels-cp1251.csv | 60 0 2 | maxLoadTime 2.004 | labels in windows-1251: johrstrom/jmeter-prometheus-plugin #98
artillery-1874-aggregate-differs.json | 150 0 1 | | the total differs from the windows: artilleryio/artillery #1874
artillery-2018-latency-tuples.json | 27 0 1 | p95 0.1629 | latencies as tuples, Artillery 1.6
artillery-pw.json | 360 60 1 | untimedCount 360 | Playwright: artilleryio/artillery #1899
artillery-sio.json | 0 0 0 | | Socket.IO: artilleryio/artillery #1983
k6-grpc.json | 200 20 2 | | gRPC: grafana/k6 #3164
k6grpc.lp | 40 10 1 | | gRPC, live
mmddyyyy.csv | 2 1 1 | maxLoadTime 0.223 | times that JMeter reads itself: azure-load-testing #67
pd-index.csv | 20 4 1 | | a column of pandas
spaces.csv | 20 4 1 | | blanks in the header
sep.csv | 20 4 1 | | sep=, of Excel
goose-334.json | 2 0 2 | maxLoadTime 0.242 | other order of keys: tag1consulting/goose #334
har-mitmproxy-minus1000.har | 10 0 1 | avgLoadTime 0.049 | timings of -1000: mitmproxy #3627
flood-zero-timestamps.jtl | 3 3 1 | reqPerSec null | timestamps of 0
gatling-4210.log | 10 0 1 | maxLoadTime 0.109 | an incoming message: gatling/gatling #4210
gatling-nuxeo7.log | 2 1 1 | maxLoadTime 1.947 | Gatling 2.2: nuxeo/gatling-report #7
gatling-2.3-nuxeo11.log | 2 0 2 | maxLoadTime 2.292 | Gatling 2.3: nuxeo/gatling-report #11
taurus-kpi-hostnames.jtl | 4 0 2 | maxLoadTime 4.708 | two hosts: jtl-reporter #63
`;

const REFUSED = `
ddmmyyyy.csv | want a month from 1 to 12
x.hlog | give --value-unit ns, us or ms
wrk2.hgrm | looks like percentiles of HdrHistogram
agg-fr.csv | looks like JMeter's aggregate report
viewtable.csv | looks like JMeter's View Results in Table
ghz-222-null-details.json | the report has no details
ruby-jmeter-39.jtl | add JMeter's header line
`;

function rowsOf(table: string): (readonly string[])[] {
  return table
    .trim()
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()));
}

const program = createFakeProgram();

function imported(file: string) {
  return program.run(["import", path.join(FOLDER, `${file}.gz`), "--id", file]);
}

test.each(rowsOf(TABLE).map(([file, counts, figure, about]) => [file, about, counts, figure]))(
  "%s: %s",
  async (file = "", _, counts, figure = "") => {
    expect((await imported(file)).exitCode).toBe(0);
    const { out } = await program.run(["summary", file, "--json"]);
    const { overall, endpoints } = JSON.parse(out);
    expect([overall.count, overall.errCount, endpoints.length].join(" ")).toBe(counts);
    const [name = "", value] = figure.split(" ");
    // Percentiles are within 1 %.
    const known = Number(overall[name] ?? Number.NaN);
    const isClose =
      value === "null" ? Number.isNaN(known) : Math.abs(known / Number(value) - 1) < 0.01;
    expect([name, name === "" || isClose]).toEqual([name, true]);
  },
);

test.each(rowsOf(REFUSED))("%s is refused: %s", async (file = "", message = "") => {
  const { exitCode, error } = await imported(file);
  expect([exitCode, error]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  ["artillery-1874-aggregate-differs.json", "errors > 1%", 4, "notEvaluated"],
  ["jmeter-unquoted-commas.csv", "errors > 1%", 4, "broken"],
  ["jmeter-6078-negative-parent.csv", "Checkout: errors > 10%", 4, "broken"],
  ["k6-588-negative.csv", "p99 > 200ms", 4, "notEvaluated"],
  ["gatling-4210.log", "errors > 1%", 4, "notEvaluated"],
  ["jmeter-negative-latency.csv", "measure latency: max > 1000", 4, "notEvaluated"],
])("%s, checked for %s: exit code %d, %s", async (file, limit, ...expected) => {
  await imported(file);
  const { exitCode, out } = await program.run(["check", file, "--fail-if", limit, "--json"]);
  expect([exitCode, JSON.parse(out)[0].outcome]).toEqual(expected);
});
