import { expect, test } from "vitest";
import { decodeSource, FAULTLESS } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { detectFormat } from "../detect.ts";
import { FORMATS } from "../formats.ts";
import { taurusCsv } from "./taurus-csv.ts";

const APIRITIF =
  "timeStamp,elapsed,Latency,label,responseCode,responseMessage,success,allThreads,bytes";
const LOCUST =
  "allThreads,timeStamp,label,method,elapsed,bytes,responseCode,responseMessage,success,Latency";

const EXPECTED = [
  { label: "http://h/", second: 1_795_233_223, elapsedMicros: 1_500_000, receivedBytes: 640 },
  { label: "http://h/cart", second: 1_795_233_225, elapsedMicros: 0, receivedBytes: 2 },
];

test.each([
  {
    what: "Apiritif",
    header: APIRITIF,
    rows: [
      "1795233225353,1500,0,http://h/,200,OK,true,1,640",
      "1795233225999,0,0,http://h/cart,999,Connection aborted.,false,3,2",
    ],
  },
  {
    what: "Taurus' wrapper around Locust",
    header: LOCUST,
    rows: [
      "1,1795233225353,http://h/,GET,1500,640,200,OK,true,0",
      "3,1795233225999,http://h/cart,POST,0,2,999,Connection aborted.,false,0",
    ],
  },
])("$what: the timestamp is the end; requests count at their start", ({ header, rows }) => {
  const source = [header, ...rows, ""].join("\r\n");
  expect(detectFormat(Buffer.from(source), FORMATS).name).toBe("taurus-csv");
  const { samples, failures, users, ...others } = decodeSource(taurusCsv, source);
  expect(samples).toEqual(
    EXPECTED.map((each, index) => ({ ...each, requests: 1, failedRequests: index })),
  );
  expect(failures).toEqual([
    {
      label: "http://h/cart",
      second: 1_795_233_225,
      kind: { code: "999", message: "Connection aborted." },
      requests: 1,
    },
  ]);
  // The number of active users is that at the end of a request.
  expect(users).toEqual([
    { generator: "", second: 1_795_233_225, active: 1 },
    { generator: "", second: 1_795_233_225, active: 3 },
  ]);
  expect(others).toMatchObject(FAULTLESS);
});

test("the same columns in the order of JMeter are read as JMeter", () => {
  const kpi =
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,grpThreads,allThreads,Latency,Hostname,Connect\n";
  expect(detectFormat(Buffer.from(kpi), FORMATS).name).toBe("jmeter-csv");
});

test.each([
  ["x,1500,0,a,200,OK,true,1,640", 'timeStamp: got "x"'],
  ["1500,1500,0,a,200,OK,true,1,640", 'timeStamp: got "1500", want milliseconds since 1970'],
  ["4294967296000,1500,0,a,200,OK,true,1,640", "until 2106"],
  ["1795233225353,1,0,a,200,OK,maybe,1,640", 'success: got "maybe"'],
  ["1795233225353,1,0,a,200,OK,true,1,", ""],
])("the row %s is rejected if it is invalid", (row, reason) => {
  const { samples, rejections } = decodeSource(taurusCsv, `${APIRITIF}\n${row}\n`);
  expect(rejections).toHaveLength(reason === "" ? 0 : 1);
  expect(samples).toHaveLength(reason === "" ? 1 : 0);
  expect(rejections[0]?.reason ?? "").toContain(reason);
});

test.each([
  ["time-unknown", "1795233225353,-1,0,a,504,late,false,1,640"],
  ["size-unknown", "1795233225353,9,0,a,504,late,false,1,-640"],
  ["fields-misplaced", "1795233225353,9,0,a,504,late, very,false,1,640"],
  ["label-shortened", `1795233225353,9,0,${"a".repeat(1025)},504,late,false,1,640`],
])("a failed request with %s counts", (kind, row) => {
  const decoded = decodeSource(taurusCsv, `${APIRITIF}\n${row}\n`);
  const { samples, windows, rejections, repairs, failures } = decoded;
  expect([samples.length + windows.length, rejections]).toEqual([1, []]);
  expect(failures).toMatchObject([{ kind: { code: "504" }, requests: 1 }]);
  expect(repairs).toMatchObject([{ kind, line: 2 }]);
});

test.each(["50,17,0,a", "5017,,0,a", "1,5017,0,a"])(
  "the response time is unknown if %s has a comma too many in a number",
  (begin) => {
    const row = `1795233225353,${begin},504,late,false,1,640`;
    const { windows, rejections } = decodeSource(taurusCsv, `${APIRITIF}\n${row}\n`);
    expect(rejections).toEqual([]);
    expect(windows).toMatchObject([{ second: 0, untimedRequests: 1, failedRequests: 1 }]);
  },
);

test("a truncated number does not count", () => {
  const row = '1795233225353,1500,0,"http://h/?a,b",200,OK,true,1,640';
  const { samples, truncatedAt } = decodeSource(taurusCsv, `${APIRITIF}\r\n${row}\r\n${row}`);
  expect(samples).toHaveLength(1);
  expect(truncatedAt).toMatchObject({ line: 3, reason: "the source ends inside a line" });
});

formatContract(taurusCsv);
