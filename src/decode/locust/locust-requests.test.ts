import { expect, test } from "vitest";
import { type Decoded, decodeSource, FAULTLESS } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { locustRequests } from "./locust-requests.ts";

const HEADER = "timestamp,request_type,name,response_time_ms,response_length,status_code,exception";
const ROW = "1795232784.999999,GET,/cart,126.23,8393,200,";

function decode(...rows: readonly string[]): Decoded {
  return decodeSource(locustRequests, [HEADER, ...rows, ""].join("\r\n"));
}

test("a row is a request at its start; it failed if it has an exception", () => {
  const { samples, failures, ...others } = decode(
    ROW,
    '1795232842.430447,POST,"Cart ""A, B""\nline 2",68.97,120,500,"500 Server Error: ""A""\nline 2"',
    "1795232785,GET,/reset,18.0,0,0,Remote end closed connection without response",
    "1795232786.1,GET,/missing,7.01,20,404,",
  );
  const common = { requests: 1, failedRequests: 0 };
  expect(samples).toEqual([
    {
      ...common,
      label: "GET /cart",
      second: 1_795_232_784,
      elapsedMicros: 126_230,
      receivedBytes: 8393,
    },
    {
      label: 'POST Cart "A, B"\nline 2',
      second: 1_795_232_842,
      elapsedMicros: 68_970,
      receivedBytes: 120,
      requests: 1,
      failedRequests: 1,
    },
    {
      label: "GET /reset",
      second: 1_795_232_785,
      elapsedMicros: 18_000,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 1,
    },
    {
      ...common,
      label: "GET /missing",
      second: 1_795_232_786,
      elapsedMicros: 7010,
      receivedBytes: 20,
    },
  ]);
  expect(failures.map(({ label, kind }) => ({ label, ...kind }))).toEqual([
    { label: 'POST Cart "A, B"\nline 2', code: "500", message: '500 Server Error: "A"\nline 2' },
    // Locust writes status 0 for a missing response.
    { label: "GET /reset", code: "", message: "Remote end closed connection without response" },
  ]);
  expect(others).toMatchObject(FAULTLESS);
});

test("a request without a type has its name as label", () => {
  expect(decode("1795232785,,sendMail,18.0,,,").samples).toMatchObject([{ label: "sendMail" }]);
});

test("a label can combine columns", () => {
  const options = { timeZone: "UTC", labelTemplate: "{name} ({request_type})" };
  const { samples } = decodeSource(locustRequests, `${HEADER}\n${ROW}\n`, [], options);
  expect(samples).toMatchObject([{ label: "/cart (GET)" }]);
});

test.each([
  ["5232784.17,GET,/,1.0,0,200,", 'timestamp: got "5232784.17"'],
  ["17951795232898.73999,GET,/,1.0,0,200,", 'timestamp: got "17951795232898.73999"'],
  ["1795232898.1795232898.73999,GET,/,1.0,0,200,", "timestamp: got"],
  ["1795232898.7,GET1795232898.8,GET,/,1.0,5,200,", "got 8 fields, want 7"],
  ['"1795232898.7,GET\r\n1795232898.8,GET"', "got 1 field in 2 lines, want 7"],
])("remains of overwritten rows are rejected: %s", (row, reason) => {
  const { samples, rejections } = decode(row, ROW);
  expect(rejections).toMatchObject([{ line: 2, byte: HEADER.length + 2 }]);
  expect(rejections[0]?.reason).toContain(reason);
  expect(samples).toMatchObject([{ elapsedMicros: 126_230 }]);
});

test.each([
  ["time-unknown", ",0,200,no", 'response_time_ms: got ""'],
  ["time-unknown", "51795232901.503508.1,0,200,no", "response_time_ms: got"],
  ["size-unknown", "1.0,-5,200,no", 'response_length: got "-5"'],
  ["fields-misplaced", "1.0,5,OK,no", 'status_code: got "OK"'],
])("a failed request with %s counts: %s", (kind, rest, fault) => {
  const { samples, windows, rejections, failures, repairs } = decode(
    `1795232898.7,GET,/,${rest}`,
    ROW,
  );
  expect([samples.length + windows.length, rejections]).toEqual([2, []]);
  expect(failures).toMatchObject([{ kind: { message: "no" }, requests: 1 }]);
  expect(repairs).toMatchObject([{ kind, line: 2 }]);
  expect(repairs?.[0]?.reason).toContain(fault);
});

test("two carriage returns, as written in text mode on Windows, count as one", () => {
  const source = [HEADER, ROW, `${ROW}"500: ""A"""`, ""].join("\r\r\n");
  const { samples, failures } = decodeSource(locustRequests, source);
  expect(samples.map(({ failedRequests }) => failedRequests)).toEqual([0, 1]);
  expect(failures.map(({ kind }) => kind?.message)).toEqual(['500: "A"']);
});

test("a last line without a line end is cut, as its exception may be missing", () => {
  const { samples, truncatedAt } = decodeSource(locustRequests, `${HEADER}\r\n${ROW}\r\n${ROW}`);
  expect(samples).toHaveLength(1);
  expect(truncatedAt).toEqual({
    line: 3,
    byte: HEADER.length + ROW.length + 4,
    reason: "the source ends inside a line",
  });
});

formatContract(locustRequests);
