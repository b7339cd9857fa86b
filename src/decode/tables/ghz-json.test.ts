import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { ghzJson } from "./ghz-json.ts";

const FIRST = {
  timestamp: "2026-11-21T04:43:30.5+01:00",
  latency: 500_000_000,
  error: "",
  status: "OK",
};
const FAILED = {
  timestamp: "2026-11-21T03:43:30.499999999Z",
  latency: 500_000_500,
  error: "rpc error: code = Unavailable",
  status: "Unavailable",
};

function report(details: unknown, count = 2): string {
  const options = { call: "helloworld.Greeter.SayHello", data: { call: "x", details: [1] } };
  return JSON.stringify(
    { date: "2026-11-21T03:43:30Z", endReason: "normal", options, count, histogram: [{}], details },
    undefined,
    1,
  );
}

test("a request starts its latency before its timestamp", () => {
  const source = report([FIRST, FAILED]);
  expect(ghzJson.recognises(Buffer.from(source))).toBe(true);
  const { samples, failures, rejections, truncatedAt, notes } = decodeSource(ghzJson, source);
  const common = { label: "All requests", receivedBytes: 0, requests: 1 };
  expect(samples).toEqual([
    { ...common, second: 1_795_232_610, elapsedMicros: 500_000, failedRequests: 0 },
    { ...common, second: 1_795_232_609, elapsedMicros: 500_001, failedRequests: 1 },
  ]);
  expect(failures).toEqual([
    {
      label: "All requests",
      second: 1_795_232_609,
      kind: { code: "Unavailable", message: "rpc error: code = Unavailable" },
      requests: 1,
    },
  ]);
  expect({ rejections, truncatedAt, notes }).toEqual({
    rejections: [],
    truncatedAt: undefined,
    notes: ["ghz does not record response sizes: they are unknown"],
  });
});

test("a label can combine the call and the status", () => {
  const options = { timeZone: "UTC", labelTemplate: "{call} {status}" };
  expect(
    decodeSource(ghzJson, report([FIRST]), [], options).samples.map(({ label }) => label),
  ).toEqual(["helloworld.Greeter.SayHello OK"]);
});

test("requests missing in the details are noted", () => {
  expect(decodeSource(ghzJson, report([FIRST, FAILED], 5)).notes).toContain(
    "ghz counts 5 requests, its details list 2",
  );
});

test.each([
  [{ ...FIRST, timestamp: "yesterday" }, 'cannot read timestamp: got "yesterday", want RFC 3339'],
  [17, 'the request is not an object: got "17"'],
])("the detail %j is rejected: %s", (detail, reason) => {
  const { samples, rejections } = decodeSource(ghzJson, report([FIRST, detail]));
  expect(samples.length).toBe(1);
  expect(rejections).toEqual([
    { line: expect.any(Number), byte: expect.any(Number), reason: expect.stringContaining(reason) },
  ]);
});

test.each([-1, null, undefined])("a failed request with the latency %s counts", (latency) => {
  const { windows, rejections, repairs } = decodeSource(ghzJson, report([{ ...FAILED, latency }]));
  expect(windows).toMatchObject([{ second: 1_795_232_610, untimedRequests: 1, failedRequests: 1 }]);
  expect(rejections).toEqual([]);
  expect(repairs).toMatchObject([{ kind: "time-unknown" }]);
});

// ghz #222: no request was made.
test("a report with details that are null is refused with the setting to use", () => {
  const source = `{"options": {"call": "a.B.C"}, "count": 0, "statusCodeDistribution": {}, "details": null}`;
  expect(ghzJson.recognises(Buffer.from(source))).toBe(true);
  expect(() => decodeSource(ghzJson, source)).toThrow("the report has no details");
});

test("a report without details is refused with the setting to use", () => {
  expect(() => decodeSource(ghzJson, report(undefined))).toThrow(
    "the report has no details, record with --format json",
  );
});

formatContract(ghzJson);
