import { expect, test } from "vitest";
import type { Anomaly } from "../../api/findings.ts";
import { findingLines } from "./summary.ts";

const endpoints = ["GET /a\u001b", "GET /b", "GET /c"].map((label) => ({ label, hash: "" }));
const step = {
  kind: "step",
  at: 60,
  p95Before: 0.1,
  p95After: 0.25,
  backAt: 120,
  endpoints,
} as const;
const counts = { errCount: 9, allErrCount: 11 };
const burst = { kind: "burst", from: 60, until: 61, ...counts, endpoints: [] } as const;

/** Each an incident of its own. */
function linesOf(...anomalies: readonly Anomaly[]): string {
  const times = { kind: "incident", from: 60, until: 61 } as const;
  return findingLines({
    incidents: anomalies.map((each) => ({ ...times, findings: [each], causes: [] })),
  });
}

test("without findings, there are no anomalies", () => {
  expect(findingLines({ incidents: [] })).toBe("");
});

test("a step that ends is described with the endpoint that waits most", () => {
  expect(linesOf(step)).toBe(
    "p95 rises from 100 ms to 250 ms (×2.5) at 1970-01-01 00:01:00 UTC and is back at " +
      "1970-01-01 00:02:00 UTC; 3 endpoints, GET /a\\x1b most\n",
  );
});

test("a burst is described even without a known kind or endpoint", () => {
  expect(linesOf(burst)).toBe(
    "9 of 11 failures from 1970-01-01 00:01:00 UTC to 1970-01-01 00:01:01 UTC\n",
  );
});

test("a burst of one endpoint counts its failures only", () => {
  const [of] = endpoints.slice(1);
  const ofOne = { ...burst, ...(of && { of, endpoints: [of] }) };
  expect(linesOf(ofOne)).toBe(
    "9 of 11 failures of GET /b from 1970-01-01 00:01:00 UTC to 1970-01-01 00:01:01 UTC\n",
  );
});

test.each([
  [
    { kind: "failing", from: 60, until: 99, count: 20, errCount: 19, isAll: false },
    ["GET /a and 2 more endpoints fail throughout: 19 of 20 requests", 3],
  ],
  [
    { kind: "failing", from: 60, until: 99, count: 2000, errCount: 2000, isAll: true },
    ["all 3 endpoints fail throughout: 2,000 of 2,000 requests", 3],
  ],
  [
    { kind: "failing", from: 60, until: 99, count: 20, errCount: 19, isAll: false },
    ["GET /a fails throughout: 19 of 20 requests", 1],
  ],
] as const)("endpoints that fail throughout are counted: %j", (figures, [text, endpointCount]) => {
  const some = ["GET /a", "GET /b", "GET /c"].slice(0, endpointCount);
  const named = some.map((label) => ({ label, hash: "" }));
  const failing = { ...figures, endpointCount, endpoints: named };
  expect(linesOf(failing)).toBe(`${text}\n`);
});

test("drops and slow rises are printed with their times", () => {
  const times = { from: 3600, until: 7199 };
  const drop = { kind: "drop", ...times, reqPerSecBefore: 80, reqPerSec: 1.25, users: 40 } as const;
  const drift = { kind: "drift", ...times, p95Before: 0.12, p95After: 1.2 } as const;
  expect(linesOf(drop, drift)).toBe(
    "throughput falls from 80 to 1.25 requests/s between 01:00:00 and 02:00:00 UTC, with 40 users still active\n" +
      "p95 rises slowly from 120 ms to 1.2 s (×10.0) between 01:00:00 and 02:00:00 UTC, under steady load\n",
  );
});

test("a step of one endpoint names it once", () => {
  const [of] = endpoints.slice(1);
  expect(linesOf({ ...step, of, endpoints: of ? [of] : [] })).toBe(
    "p95 of GET /b rises from 100 ms to 250 ms (×2.5) at 1970-01-01 00:01:00 UTC and is back at 1970-01-01 00:02:00 UTC\n",
  );
});
