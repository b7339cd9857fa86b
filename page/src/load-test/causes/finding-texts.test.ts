import { expect, test } from "vitest";
import type { Finding } from "../../api/figures.ts";
import { findingText, type FindingWords } from "./finding-texts.ts";

const WORDS: FindingWords = {
  formatTime: (second) => `14:${String(second).padStart(2, "0")}:00`,
  endpoints: 148,
  isShort: false,
};
const STEP: Extract<Finding, { kind: "step" }> = {
  kind: "step",
  at: 20,
  p95Before: 0.126,
  p95After: 0.277,
  backAt: 30,
  endpoints: [],
};
const BURST: Extract<Finding, { kind: "burst" }> = {
  kind: "burst",
  from: 24,
  until: 26,
  errCount: 1398,
  allErrCount: 1484,
  endpoints: [],
};

function endpointsWith(...labels: readonly string[]) {
  return labels.map((label) => ({ label, hash: label }));
}

function sentence(finding: Finding, words: Partial<FindingWords> = {}): string {
  const { when, text, strong, rest } = findingText(finding, { ...WORDS, ...words });
  return [when, text, strong, rest].filter((part) => part !== "").join(" ");
}

test.each<[string, Partial<typeof STEP>, Partial<FindingWords>]>([
  ["p95 rises from 126 ms to 277 ms (×2.2) and is back after 10 s", {}, {}],
  [
    "p95 rises from 126 ms to 277 ms (×2.2) and is back after 10 s; 3 endpoints under /cart and /checkout, POST /checkout/pay most",
    { endpoints: endpointsWith("POST /checkout/pay", "GET /cart", "/cart/x?y") },
    {},
  ],
  [
    "p95 rises from 126 ms to 277 ms (×2.2) and is back after 10 s; 3 endpoints, login most",
    { endpoints: endpointsWith("login", "GET /cart", "GET /a") },
    {},
  ],
  [
    "p95 rises from 126 ms to 277 ms (×2.2) and is back after 10 s; both endpoints, b most",
    { endpoints: endpointsWith("b", "a") },
    { endpoints: 2 },
  ],
  [
    "p95 rises from 126 ms to 277 ms (×2.2) and is back after 10 s; GET /a alone",
    { endpoints: endpointsWith("GET /a") },
    {},
  ],
  [
    "p95 rises from 126 ms to 277 ms (×2.2) and is back after 10 s",
    { endpoints: endpointsWith("GET /a") },
    { endpoints: 1 },
  ],
])("a step: %s", (text, step, words) => {
  expect(sentence({ ...STEP, ...step }, words)).toBe(`14:20:00 ${text}`);
});

test("a step that does not come back lasts to the end", () => {
  const { backAt: _, ...step } = STEP;
  expect(sentence(step)).toBe(
    "14:20:00 p95 rises from 126 ms to 277 ms (×2.2) to the end of the range",
  );
});

test.each<[string, Partial<typeof BURST>]>([
  ["in 3 s", {}],
  [
    "in 3 s: mostly 503 Service Unavailable on POST /cart and 1 more",
    {
      failure: { code: "503", message: "Service Unavailable", count: 1200 },
      endpoints: endpointsWith("POST /cart", "GET /cart"),
    },
  ],
  [
    "in 3 s: 504 on POST /pay",
    {
      failure: { code: "504", message: "", count: 1398 },
      endpoints: endpointsWith("POST /pay"),
    },
  ],
  ["in 3 s: on POST /pay", { endpoints: endpointsWith("POST /pay") }],
  ["in 3 s: on reset", { endpoints: endpointsWith("(none) › reset") }],
])("a burst: 1,398 of 1,484 failures %s", (text, burst) => {
  const said = sentence({ ...BURST, ...burst });
  expect(said).toBe(`14:24:00 to 14:26:00 1,398 of 1,484 failures ${text}`);
});

test.each<[string, Finding]>([
  [
    "pay and 1 endpoint more fail throughout · 190 of 200 requests",
    { ...failing(2, false), endpoints: endpointsWith("pay", "cart") },
  ],
  ["pay fails throughout · 190 of 200 requests", failing(1, false)],
  ["all endpoints fail throughout · 190 of 200 requests", failing(2, true)],
  [
    "throughput falls from 80 to 1.3 requests/s with 40 users still active",
    { kind: "drop", from: 1, until: 2, reqPerSecBefore: 80, reqPerSec: 1.25, users: 40 },
  ],
  [
    "p95 rises slowly from 120 ms to 240 ms (×2.0) under steady load",
    { kind: "drift", from: 1, until: 2, p95Before: 0.12, p95After: 0.24 },
  ],
])("%s", (text, finding) => {
  expect(sentence(finding)).toBe(`14:01:00 to 14:03:00 ${text}`);
});

function failing(endpointCount: number, isAll: boolean): Extract<Finding, { kind: "failing" }> {
  const figures = { from: 1, until: 2, count: 200, errCount: 190, isAll, endpointCount };
  return { kind: "failing", ...figures, endpoints: endpointsWith("pay") };
}

test("the step of one endpoint names it", () => {
  const of = { label: "GET /a", hash: "a" };
  expect(sentence({ ...STEP, of, endpoints: [of] })).toBe(
    "14:20:00 p95 of GET /a rises from 126 ms to 277 ms (×2.2) and is back after 10 s",
  );
});

test("a burst of one endpoint counts its failures only", () => {
  const of = { label: "GET /a", hash: "a" };
  expect(sentence({ ...BURST, of, endpoints: [of] })).toBe(
    "14:24:00 to 14:26:00 1,398 of 1,484 failures of GET /a in 3 s",
  );
});

test("a narrow screen shows only the most important part", () => {
  const words = { ...WORDS, isShort: true };
  const step = findingText({ ...STEP, endpoints: endpointsWith("a", "b") }, words);
  expect(`${step.when} ${step.text}${step.rest}`).toBe(
    "14:20 p95 from 126 to 277 ms (×2.2), 2 endpoints",
  );
  const burst = findingText(BURST, words);
  expect(`${burst.when} ${burst.text} ${burst.rest}`).toBe("14:24 1,398 of 1,484 failures in 3 s");
});
