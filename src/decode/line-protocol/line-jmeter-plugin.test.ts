import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { lineProtocol } from "./line-protocol.ts";

const SECOND = 1_795_266_265;

/** As SampleResultPointProvider of mderevyanko's plug-in writes a sample that ends 0.5 s after `SECOND`. */
const sampleOf = (name: string, code: string, errors: number, message = "noData"): string =>
  `requestsRaw,errorMessage=${message},errorResponseBody=noData,nodeName=node1,requestName=${name},` +
  `responseCode=${code},result=${errors === 0 ? "pass" : "fail"},runId=r1,testName=shop ` +
  `connectTime=12i,count=1i,errorCount=${errors}i,latency=40i,processingTime=28i,` +
  `receivedBytes=1000i,responseTime=600i,sentBytes=120i ${SECOND}500123456\n`;

test("samples of mderevyanko's plug-in are requests with code, message, size and phases", () => {
  const source =
    sampleOf(String.raw`Home\ page`, "200", 0) +
    sampleOf("cart", "500", 1, String.raw`Test\ failed:\ code`);
  const { samples, failures, measured, rejections, notes } = decodeSource(lineProtocol, source);
  const request = {
    second: SECOND - 1,
    elapsedMicros: 600_000,
    receivedBytes: 1000,
    requests: 1,
  };
  expect(samples).toEqual([
    { ...request, label: "Home page", failedRequests: 0 },
    { ...request, label: "cart", failedRequests: 1 },
  ]);
  expect(failures).toEqual([
    {
      label: "cart",
      second: SECOND - 1,
      kind: { code: "500", message: "Test failed: code" },
      requests: 1,
    },
  ]);
  expect(measured?.all.filter(({ label }) => label === "cart")).toMatchObject([
    { name: "connect", unit: "ms", sum: 12 },
    { name: "latency", unit: "ms", sum: 40 },
  ]);
  expect([...rejections, ...notes]).toEqual([]);
});

/** As JMeterInfluxDBBackendListenerClient of NovaTec's writer. */
test("NovaTec's writer sends requests without sizes, and users of each node", () => {
  const tags = "runId=R001,testName=Test";
  const source =
    `requestsRaw,requestName=Home,${tags} errorCount=0i,nodeName="n1",responseTime=35i,threadName="tg 1-1" ${SECOND}000000001\n` +
    `requestsRaw,requestName=Home,${tags} errorCount=1i,nodeName="n1",responseTime=35i,threadName="tg 1-2" ${SECOND}999000001\n` +
    `virtualUsers,nodeName=n1,${tags} finishedThreads=0i,maxActiveThreads=7i,meanActiveThreads=6i,minActiveThreads=5i,startedThreads=7i ${SECOND}000\n`;
  const { samples, users, measures, rejections } = decodeSource(lineProtocol, source);
  expect(samples).toMatchObject([
    { label: "Home", second: SECOND - 1, elapsedMicros: 35_000, failedRequests: 0 },
    { label: "Home", second: SECOND, elapsedMicros: 35_000, failedRequests: 1 },
  ]);
  expect(users).toEqual([{ generator: "n1", second: SECOND, active: 7 }]);
  expect(measures).toBeUndefined();
  expect(rejections).toEqual([]);
});

test("a sample without a readable time or with a long name keeps its outcome", () => {
  const source =
    sampleOf("a", "500", 1).replace("responseTime=600i", 'responseTime="x"') +
    sampleOf("n".repeat(1100), "500", 1);
  const { samples, windows, rejections, repairs } = decodeSource(lineProtocol, source);
  expect(windows).toMatchObject([
    { label: "a", second: SECOND, untimedFailedRequests: 1, receivedBytes: 1000 },
  ]);
  expect(samples).toMatchObject([{ failedRequests: 1 }]);
  expect(rejections).toEqual([]);
  expect(repairs?.map(({ kind, reason }) => [kind, reason.slice(0, 33)])).toEqual([
    ["time-unknown", 'cannot read responseTime: got "x"'],
    ["label-shortened", "the label is too long: want at mo"],
  ]);
});

test("a row of several samples counts them", () => {
  const source = sampleOf("a", "200", 3).replace("count=1i", "count=10i");
  expect(decodeSource(lineProtocol, source).samples).toMatchObject([
    { requests: 10, failedRequests: 3, elapsedMicros: 600_000 },
  ]);
});

test.each([
  ["errorCount=0i", "errorCount=2i", 'cannot read errorCount: got "2i", want a number from 0 to 1'],
  ["errorCount=0i,", "", "cannot read errorCount: got nothing"],
  [",count=1i", ",count=0i", 'cannot read count: got "0i", want a number from 1'],
])("%s replaced by %j is rejected", (given, by, reason) => {
  const { samples, rejections } = decodeSource(
    lineProtocol,
    sampleOf("a", "200", 0).replace(given, by),
  );
  expect(samples).toEqual([]);
  expect(rejections.map((each) => each.reason)).toEqual([expect.stringContaining(reason)]);
});
