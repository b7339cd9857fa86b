import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import { measured, seriesWith } from "../../../test/support/measures.ts";
import { measureTable, type PlainValue } from "../../../test/support/plain-measures.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { openStoreReader } from "../load-test-reader.ts";
import { checkThresholds } from "../thresholds/check-thresholds.ts";
import type { CheckedLimit } from "./limit.ts";
import { isMistake, parseLimit } from "./parse-limit.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

const START = 1_700_000_000;

function gauge(host: string, valueAt: (second: number) => number | undefined): PlainValue[] {
  const series = seriesWith({ name: "cpu", unit: "%", kind: "gauge", tags: [["host", host]] });
  return Array.from({ length: 120 }, (_, second) => second).flatMap((second) => {
    const value = valueAt(second);
    return value === undefined ? [] : [measured(START + second, value, series)];
  });
}

/** Two minutes with a request and an order each second. db-1 is busy for 25 s from second 40 on, web-1 for 10 s. */
const VALUES = [
  ...gauge("db-1", (second) => (second >= 40 && second < 65 ? 99 : 20)),
  ...gauge("web-1", (second) => (second >= 40 && second < 50 ? 99 : 20)),
  // Every tenth second alone.
  ...gauge("slow-1", (second) => (second % 10 === 0 ? 50 : undefined)),
  // Every tenth second, high at first.
  ...Array.from({ length: 12 }, (_, tenth) => {
    const own = seriesWith({ name: "threads", unit: "", kind: "gauge" });
    return measured(START + 10 * tenth, tenth < 2 ? 50 : 20, own);
  }),
  ...Array.from({ length: 120 }, (_, second) => {
    const own = seriesWith({ name: "orders", unit: "", kind: "counter" });
    return measured(START + second, second < 80 ? 3 : 1, own);
  }),
  ...Array.from({ length: 120 }, (_, second) => {
    const own = seriesWith({ name: "ratio", kind: "gauge" });
    return { series: own, unixMillis: (START + second) * 1000, nanos: 99_900_000_000n };
  }),
  ...[0, 60].map((second) => {
    const own = seriesWith({ label: 0, name: "waiting" });
    return measured(START - (START % 60) + second, 900, own);
  }),
];

async function check(...texts: string[]) {
  const requests = Array.from({ length: 120 }, (_, second) => sample("home", START + second));
  const store = await memoryStoreWith(batchOf(requests, { measures: measureTable(VALUES) }));
  const limits = texts.map((text) => {
    const limit = parseLimit(text);
    if (isMistake(limit)) throw new Error(limit.message);
    return limit;
  });
  const whole = { range: undefined, skipStartSeconds: 0, skipEndSeconds: 0 };
  const later = { loadTestId: "run", selection: ALL_ENDPOINTS, ...whole };
  const checked: CheckedLimit[] = [];
  const query = { later, base: undefined, history: undefined, limits };
  await checkThresholds(openStoreReader(store), query, (each) => void checked.push(each));
  return checked.map(({ outcome, measured: value, window }) => ({
    outcome,
    value,
    from: window && window.from - START,
    count: window?.requests,
  }));
}

test("two windows of a measure in a row break a limit", async () => {
  expect(
    await check(
      "measure cpu{host=db-1}: avg > 95 over 10s",
      "measure cpu{host=web-1}: avg > 95 over 10s",
      "measure cpu{host=db-1}: avg > 95% over 10s after 55s",
    ),
  ).toEqual([
    // From 40 to 50, then to 60.
    { outcome: "broken", value: 99, from: 50, count: 10 },
    { outcome: "kept", value: 99, from: 40, count: 10 },
    { outcome: "kept", value: 0.99, from: 55, count: 10 },
  ]);
});

test("series that a selector keeps apart have windows of their own", async () => {
  const found = await check("measure cpu by host: avg > 95 over 10s");
  expect(found.map(({ outcome }) => outcome)).toEqual(["broken", "kept", "kept"]);
});

test("windows with a value are judged, others are not", async () => {
  // Every window of ten seconds has one value.
  expect(await check("measure cpu{host=slow-1}: count < 1 over 10s")).toMatchObject([
    { outcome: "kept", value: 1 },
  ]);
  expect(await check("measure cpu{host=slow-1}: last < 50 over 1s")).toMatchObject([
    { outcome: "kept", value: 50 },
  ]);
  expect(await check("measure none: avg > 1 over 10s")).toMatchObject([{ outcome: "unmeasured" }]);
});

test("a limit that values break is not evaluated if they are too rare for two windows in a row", async () => {
  expect(
    await check(
      "measure cpu{host=slow-1}: avg > 40 over 4s",
      "measure cpu{host=slow-1}: avg > 40 over 4s for 1 windows",
      "measure cpu{host=slow-1}: avg > 60 over 4s",
      "measure cpu{host=slow-1}: avg > 40 over 6s",
    ),
  ).toMatchObject([
    { outcome: "notEvaluated", value: 50 },
    { outcome: "broken" },
    { outcome: "kept" },
    { outcome: "broken" },
  ]);
});

test("rare values before the first window of a limit do not matter to it", async () => {
  expect(
    await check("measure threads: avg > 40 over 4s", "measure threads: avg > 40 over 4s after 20s"),
  ).toMatchObject([{ outcome: "notEvaluated" }, { outcome: "kept" }]);
});

test("sums of decimals in a window have no rounding errors", async () => {
  expect(
    await check(
      "measure ratio: avg >= 99.9 over 10s",
      "measure ratio: sum >= 999 over 10s",
      "measure ratio: avg < 99.9 over 10s",
    ),
  ).toMatchObject([
    { outcome: "broken", value: 99.9 },
    { outcome: "broken", value: 999 },
    { outcome: "kept", value: 99.9 },
  ]);
});

test("counters have a sum and a rate in a window", async () => {
  expect(
    await check(
      "measure orders: rate < 2/s over 10s",
      "measure orders: sum < 10 over 10s",
      "measure orders: rate < 1/s over 10s",
    ),
  ).toEqual([
    // From 76 on fewer than 20: 4 * 3 + 6 = 18, then from 86.
    { outcome: "broken", value: 1, from: 86, count: 10 },
    { outcome: "kept", value: 10, from: 80, count: 10 },
    { outcome: "kept", value: 1, from: 80, count: 10 },
  ]);
});

test("a measure of an endpoint, which is stored by minute, has no windows", async () => {
  expect(
    await check(
      "measure waiting{endpoint=home}: avg > 500 over 10s",
      "measure waiting by endpoint: avg > 500 over 10s",
    ),
  ).toMatchObject([{ outcome: "notEvaluated" }, { outcome: "notEvaluated" }]);
});

test.each([
  ["measure cpu: p95 > 1 over 1m", "all statistics but min, max and percentiles"],
  ["measure cpu: max > 1 over 1m", "all statistics but min, max and percentiles"],
  ["measure cpu: avg > 1 over 1m at least 3 requests", "expected nothing more"],
])("%s is not supported", (text, message) => {
  expect(parseLimit(text)).toMatchObject({ message: expect.stringContaining(message) as string });
});
