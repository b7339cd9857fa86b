import { expect, test } from "vitest";
import { decodeSource } from "../../test/support/decode-source.ts";
import type { Format } from "./decoder.ts";
import { binaryLog, type GatlingRequest, textLog } from "../../test/support/gatling-log.ts";
import { gatlingBinary } from "./gatling/gatling-binary.ts";
import { gatlingText } from "./gatling/gatling-text.ts";
import { jmeterCsv } from "./jmeter/jmeter-csv.ts";
import { jmeterXml } from "./jmeter/jmeter-xml.ts";
import { k6Csv } from "./k6/k6-csv.ts";
import { k6Json } from "./k6/k6-json.ts";

const JMETER = [
  "timeStamp,elapsed,label,responseCode,threadName,success,URL,team",
  "1795232610052,100,cart,200,Shop 1-1,true,http://h/cart,a",
  '1795232610052,100,"pay ""now""",503,"Shop, users 2-14",false,,"b',
  'c"',
  "",
].join("\n");

const OLD_JMETER =
  "1795232610052,100,cart,200,OK,Shop 1-1,text,true,10,5\n1795232610052,100,pay,200,OK,Shop 1-2,text,true,10,5\n";

const JMETER_XML = `<testResults version="1.2">
<httpSample t="10" ts="1795232610052" s="true" lb="cart &amp; &quot;more&quot;" rc="200" rm="OK" tn="Shop 1-1" hn="h1"/>
<httpSample t="10" ts="1795232610052" s="false" lb="pay" rc="503" tn="main"/>
</testResults>`;

const K6 = [
  "metric_name,timestamp,metric_value,expected_response,group,method,name,status",
  "http_reqs,1795232665,1,true,,GET,home,200",
  "http_req_duration,1795232665,12.5,true,,GET,home,200",
  'http_req_duration,1795232665,12.5,true,::a::b,POST,"x, ""y""",201',
  "http_req_failed,1795232665,0,true,::a::b,POST,other,201",
  "",
].join("\n");

const K6_JSON = [
  point("http_req_duration", { name: "home", method: "GET", group: "" }),
  point("http_req_failed", { name: "home", method: "GET", group: "" }),
  point("http_req_duration", { name: 'x "y"', method: "POST", team: "é" }),
  "",
].join("\n");

function point(metric: string, tags: Readonly<Record<string, string>>): string {
  const data = { time: "2026-11-21T03:43:30.052Z", value: 0, tags };
  return JSON.stringify({ metric, type: "Point", data });
}

const GATLING: readonly GatlingRequest[] = [
  { groups: ["a", "b"], name: "x\ty", startMs: 0, elapsedMs: 1, failure: undefined },
  { groups: [], name: "home", startMs: 0, elapsedMs: 1, failure: "no" },
];

function labelsOf(format: Format, source: string | Uint8Array, labelTemplate?: string): string[] {
  const { samples, rejections } = decodeSource(format, source, [7], {
    timeZone: "UTC",
    labelTemplate,
  });
  expect(rejections).toEqual([]);
  return samples.map(({ label }) => label ?? "none");
}

test.each([
  { format: jmeterCsv, source: JMETER, template: undefined, labels: ["cart", 'pay "now"'] },
  { format: jmeterCsv, source: JMETER, template: "{label}", labels: ["cart", 'pay "now"'] },
  {
    format: jmeterCsv,
    source: JMETER,
    template: "{threadGroup}/{label} {url}{team}",
    labels: ["Shop/cart http://h/carta", 'Shop, users/pay "now" b\nc'],
  },
  { format: jmeterCsv, source: JMETER, template: "all", labels: ["all", "all"] },
  {
    format: jmeterCsv,
    source: OLD_JMETER,
    template: "{threadName}: {label}",
    labels: ["Shop 1-1: cart", "Shop 1-2: pay"],
  },
  {
    format: jmeterXml,
    source: JMETER_XML,
    template: "{threadGroup}/{label} {responseCode} {hostname}",
    labels: ['Shop/cart & "more" 200 h1', "main/pay 503 "],
  },
  {
    format: k6Csv,
    source: K6,
    template: "{method} {name} {group}",
    labels: ["GET home ", 'POST x, "y" ::a::b'],
  },
  {
    format: k6Json,
    source: K6_JSON,
    template: "{method} {name} {team}",
    labels: ["GET home ", 'POST x "y" é'],
  },
  {
    format: gatlingText,
    source: textLog(GATLING, "3.12"),
    template: "{name} in {group}",
    labels: ["x\ty in a / b", "home in "],
  },
  {
    format: gatlingBinary,
    source: binaryLog(GATLING),
    template: "{name} in {group}",
    labels: ["x\ty in a / b", "home in "],
  },
])("$format.name with $template: $labels", ({ format, source, template, labels }) => {
  expect(labelsOf(format, source, template)).toEqual(labels);
});

test.each([
  {
    format: jmeterCsv,
    source: JMETER,
    known: '"timeStamp", "elapsed", "label", "responseCode", "threadName", "success", "URL"',
  },
  { format: jmeterXml, source: JMETER_XML, known: '"label", "threadName", "responseCode"' },
  {
    format: k6Csv,
    source: K6,
    known: '"expected_response", "group", "method", "name", "status"',
  },
  { format: k6Json, source: K6_JSON, known: '"name", "url", "method"' },
  { format: gatlingText, source: textLog(GATLING, "3.12"), known: '"group", "name"' },
  { format: gatlingBinary, source: binaryLog(GATLING), known: '"group", "name"' },
])("$format.name lists the fields available for labels", ({ format, source, known }) => {
  expect(() => labelsOf(format, source, "{nothing}")).toThrow(`known are ${known}`);
});

test("the outcome after a k6 request is matched under the chosen label", () => {
  const failed = K6_JSON.split("\n").map((line) =>
    line.includes("http_req_failed") ? line.replace('"value":0', '"value":1') : line,
  );
  const { samples } = decodeSource(k6Json, failed.join("\n"), [], {
    timeZone: "UTC",
    labelTemplate: "{method}",
  });
  expect(samples.map(({ label, failedRequests }) => [label, failedRequests])).toEqual([
    ["GET", 1],
    ["POST", 0],
  ]);
});

test("a tag that no request of a k6 run has is not an error", () => {
  expect(labelsOf(k6Json, "", "{nothing}")).toEqual([]);
  expect(labelsOf(k6Json, K6_JSON, "{scenario}")).toEqual(["", ""]);
});
