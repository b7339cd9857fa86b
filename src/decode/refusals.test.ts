import { expect, test } from "vitest";
import { unsupportedFormat } from "./detect.ts";

const TOTALS = "it holds totals of the whole run, not its requests";

/** The first bytes that the tools write. */
test.each([
  [
    "k6 1.x, printed",
    "  TOTAL RESULTS\n\n    http_req_duration..............: avg=117.1ms",
    "--out csv=",
  ],
  ["k6, without HTTP", "     iteration_duration...: avg=1s min=1s", "--out csv=FILE"],
  ["OpenTelemetry", '{"resource_metrics":[{"resource"', "k6 --out csv=FILE"],
  [
    "JMeter's console",
    "Creating summariser <summary>\nsummary =   1293 in 00:00:21 =   60.8/s",
    "-l FILE.jtl",
  ],
  ["hey", "\nSummary:\n  Total:\t4.0628 secs\n", `${TOTALS}: record with -o csv`],
  ["oha", "Summary:\n  Success rate:\t100.00%\n  Total:\t8.0 sec", "--output-format csv"],
  ["ghz", "\nSummary:\n  Count:\t200\n  Total:\t181.57 ms", "--format json"],
  ["ghz with a name", "Summary:\n  Name:\t\tGreeter\n  Count:", "--format json"],
  ["the CSV of ghz", "\nduration (ms),status,error\n26.85,OK,\n", "--format json"],
  [
    "autocannon",
    "Running 10s test @ http://127.0.0.1:8080\n10 connections\n\n┌──",
    "docs/tools/autocannon.md",
  ],
  [
    "wrk",
    "Running 3s test @ http://127.0.0.1:18080/\n  2 threads and 8 connections\n",
    "wrk writes nothing else",
  ],
  ["ab", "This is ApacheBench, Version 2.3 <$Revision: 1913912 $>\n", "record with -g FILE"],
  ["siege", '\n{\t"transactions":\t\t\t          60,\n', "csv = true in siege.conf"],
  [
    "siege 3",
    "Transactions:\t\t          15 hits\nAvailability:\t\t      25.00 %",
    "csv = true in siege.conf",
  ],
  [
    "siege without csv",
    "** SIEGE 4.0.7\nHTTP/1.1 200     0.01 secs:    1037 bytes ==> GET  /\n",
    "csv = true",
  ],
  ["Fortio", "Fortio 1.75.2 running at 8 queries per second, 2->2 procs, for 5s", "tachograph-csv"],
  [
    "Fortio's log",
    '{"latency":0.0012,"timestamp":1795232610052000000,"thread":0,"iter":0,"ok":true}',
    "tachograph-csv",
  ],
  [
    "NBomber",
    "test_suite,test_name,scenario,duration,step_name,request_count,ok,failed\n",
    "tachograph-csv",
  ],
  [
    "drill",
    "---\n- name: Fetch users\n  duration: 12.3\n  status: 200\n",
    "oha --output-format csv",
  ],
  [
    "Vegeta",
    "Requests      [total, rate, throughput]         500, 100.20, 100.18\n",
    "vegeta encode",
  ],
  [
    "the percentiles of wrk2",
    "\n       Value     Percentile TotalCount 1/(1-Percentile)\n\n       0.921     0.000000000000\n",
    "oha --output-format csv",
  ],
  [
    "Locust's statistics, which name percentiles as JMeter's report does",
    "Type,Name,Request Count,Failure Count,50%,66%,75%,80%,90%,95%,98%,99%,99.9%\n",
    "--csv-full-history",
  ],
  [
    "OpenTelemetry of k6, which names k6's metrics",
    '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"http_req_duration"}]}]}]}',
    "totals of intervals",
  ],
  ["Vegeta in JSON", '{"latencies":{"total":237119463,"mean":2371194},"bytes_in"', "vegeta encode"],
  [
    "Artillery",
    "Test run id: t1\n--------\nMetrics for period to: 12:00:10(+0000)",
    "--output FILE",
  ],
  [
    "Gatling",
    "Simulation computerdatabase.BasicSimulation started...\n",
    "give the simulation.log",
  ],
  [
    "Locust",
    "Type     Name          # reqs      # fails |    Avg     Min\n--------|",
    "--csv-full-history",
  ],
  [
    "bombardier",
    "Bombarding http://localhost:8080 for 10s using 125 connection(s)\n",
    "writes nothing else",
  ],
  [
    "JMeter's aggregate report in French",
    "Libellé,# Echantillons,Moyenne,Médiane,90% centile,95% centile,99% centile,Min,Max,% Erreur\n",
    "give the JTL file",
  ],
  [
    "JMeter's aggregate report in Chinese",
    "标签,样本,平均值,中位数,90% 百分位,95% 百分位,99% 百分位,最小值,最大值,异常 %\n",
    "give the JTL file",
  ],
  [
    "JMeter's View Results in Table",
    "Sample #,Start Time,Thread Name,Label,Sample Time(ms),Status,Bytes,Sent Bytes\n",
    "give the JTL file",
  ],
  [
    "renamed columns of JMeter",
    "timestamp,response_time,url,responseCode,success,threadName,failureMessage,grpThreads\n",
    "timeStamp, elapsed, label",
  ],
  ["h2load", "starting benchmark...\nspawning thread #0: 1 total client(s).\n", "--log-file"],
])(
  "the error about %s, which has only totals, says what to record instead",
  (_what, head, cure) => {
    const description = unsupportedFormat(Buffer.from(head));
    expect(description).toMatch(/^it looks like /);
    expect(description).toContain(cure);
  },
);

test("columns of an aggregate report over and over are read in linear time", () => {
  const beganMs = performance.now();
  expect(unsupportedFormat(Buffer.from("x,90%,95%".repeat(1000)))).toBeUndefined();
  expect(performance.now() - beganMs).toBeLessThan(500);
});
