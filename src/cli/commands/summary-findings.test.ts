import { expect, test } from "vitest";
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

const NONE = { step: undefined, burst: undefined, omission: undefined, generator: undefined };

test("without findings, there are no anomalies", () => {
  expect(findingLines({ ...NONE })).toBe("");
});

test("a step that ends is described with the endpoint that waits most", () => {
  expect(findingLines({ ...NONE, step })).toBe(
    "p95 rises from 100 ms to 250 ms (×2.5) at 1970-01-01 00:01:00 UTC and is back at " +
      "1970-01-01 00:02:00 UTC; 3 endpoints, GET /a\\x1b most\n",
  );
});

test("a burst is described even without a known kind or endpoint", () => {
  expect(findingLines({ ...NONE, burst })).toBe(
    "9 of 11 failures from 1970-01-01 00:01:00 UTC to 1970-01-01 00:01:01 UTC\n",
  );
});
