import { expect, test } from "vitest";
import { createFakeProgram } from "../../test/support/fake-program.ts";

/** hey records neither sizes nor active users. */
const HEY =
  "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n" +
  "0.0120,0.0010,0.0000,0.0000,0.0100,0.0000,200,0.0010\n";

test("sizes that the tool does not record are unknown, not 0", async () => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "hey"], HEY);
  const { out } = await program.run(["summary", "hey"]);
  const [, all = ""] = out.split("\n");
  // REQ/S is 0.0 without a start; BYTES is the last figure before the label.
  expect(all.trim().split(/\s+/).slice(-2)).toEqual(["–", "(all)"]);
  expect(out).toContain("response sizes are not recorded\n");
  expect(out).toContain("active users are not recorded\n");
  const { overall, quality } = JSON.parse((await program.run(["summary", "hey", "--json"])).out);
  expect(overall).toMatchObject({
    receivedBytes: null,
    downloadSize: null,
    receivedBytesPerSec: null,
  });
  expect(quality.map(({ code }: { code: string }) => code)).toEqual([
    "sizes-not-recorded",
    "users-not-recorded",
  ]);
});

const JMETER = "timeStamp,elapsed,label,success";
const JMETER_ROW = "1790000000000,20,GET /,true";
const XML = '<testResults version="1.2"><httpSample t="20" ts="1790000000000" lb="GET /" s="true"';
const K6_CSV =
  "metric_name,timestamp,metric_value,expected_response,name,status\n" +
  "http_req_duration,1790000000,20.5,true,GET /,200\n";
const K6_JSON =
  '{"type":"Point","data":{"time":"2026-09-21T14:13:20Z","value":20.5,"tags":{"name":"GET /",' +
  '"status":"200","expected_response":"true"}},"metric":"http_req_duration"}\n';
const K6_USERS =
  '{"type":"Point","data":{"time":"2026-09-21T14:13:20Z","value":3,"tags":{}},"metric":"vus"}\n';
const RAW =
  "jmeter,status=ok,transaction=GET\\ /,threadName=t duration=20i,ttfb=9i,connectTime=1i 1790000000000000000\n";
const INTERVAL =
  "jmeter,application=a,statut=all,transaction=GET count=2i,avg=20,min=10,max=30,rb=0i 1790000005000000000\n";

const [SIZES, USERS] = ["sizes-not-recorded", "users-not-recorded"];
const REASONS = "failure-reasons-not-recorded";

test.each([
  ["JMeter CSV", `${JMETER}\n${JMETER_ROW}\n`, [SIZES, USERS]],
  ["JMeter CSV with bytes of 0", `${JMETER},bytes\n${JMETER_ROW},0\n`, [USERS]],
  ["JMeter CSV with threads", `${JMETER},allThreads\n${JMETER_ROW},3\n`, [SIZES]],
  ["JMeter CSV with both", `${JMETER},bytes,allThreads\n${JMETER_ROW},9,3\n`, []],
  ["JMeter XML", `${XML}/></testResults>`, [SIZES, USERS]],
  ["JMeter XML with bytes of 0", `${XML} by="0"/></testResults>`, [USERS]],
  ["JMeter XML with both", `${XML} by="9" na="3"/></testResults>`, []],
  ["k6 CSV", K6_CSV, [SIZES, USERS]],
  ["k6 CSV with users", `${K6_CSV}vus,1790000000,3,,,\n`, [SIZES]],
  ["k6 JSON", K6_JSON, [SIZES, USERS]],
  ["k6 JSON with users", K6_JSON + K6_USERS, [SIZES]],
  ["JMeter's raw listener", RAW, [SIZES, USERS]],
  ["JMeter's listener", INTERVAL, ["no-distribution", "windows", USERS]],
  [
    "JMeter's listener before rb",
    INTERVAL.replace(",rb=0i", ""),
    ["no-distribution", "windows", SIZES, USERS],
  ],
  ["our own CSV", "timestamp,label,elapsedMs\n1790000000,a,1\n", [SIZES, USERS]],
  [
    "our own CSV with sizes",
    "timestamp,label,elapsedMs,receivedBytes\n1790000000,a,1,0\n",
    [USERS],
  ],
  [
    "failures without reasons",
    "timestamp,label,elapsedMs,success\n1790000000,a,1,false\n",
    [SIZES, REASONS, USERS],
  ],
])("%s leaves unknown what its own columns lack", async (_, source, codes) => {
  const program = createFakeProgram();
  await program.run(["import", "-", "--id", "run"], source);
  const { overall, quality } = JSON.parse((await program.run(["summary", "run", "--json"])).out);
  expect(quality.map(({ code }: { code: string }) => code)).toEqual(codes);
  expect(overall.receivedBytes === null).toBe(codes.includes(SIZES));
});

test("entries of HAR without an elapsed time have no response time, not one of 0 ms", async () => {
  const program = createFakeProgram();
  const entry = {
    startedDateTime: "2026-11-21T03:52:49.828Z",
    time: 12.5,
    request: { method: "GET", url: "http://shop/cart" },
    response: { status: 200, statusText: "OK", bodySize: -1, content: { size: -1 } },
  };
  const source = JSON.stringify({ log: { creator: {}, entries: [{ ...entry, time: -1 }, entry] } });
  const { out: report } = await program.run(["import", "-", "--id", "run"], source);
  expect(report).toContain("1 record recorded without a readable response time");
  const { overall } = JSON.parse((await program.run(["summary", "run", "--json"])).out);
  const unknown = { untimedCount: 1, receivedBytes: null };
  expect(overall).toMatchObject({ count: 2, ...unknown, minLoadTime: 0.0125 });
});
