import { describe, expect, test } from "vitest";
import {
  decodePeriods,
  endpoint,
  NAMESPACE,
  PERIOD,
  report,
  TIMES,
} from "../../../test/support/artillery-reports.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { UserError } from "../../model/errors.ts";
import { artilleryJson } from "./artillery-json.ts";

const MOST = Number.MAX_SAFE_INTEGER;

test("Artillery 1 records every response time, the end of a window, and its users", () => {
  const text = JSON.stringify({
    aggregate: { timestamp: "2021-03-06T08:07:42.443Z", scenariosCreated: 3 },
    intermediate: [
      {
        timestamp: "2021-03-06T07:57:51.864Z",
        scenariosCreated: 3,
        latency: { min: 1, max: 2, median: 2, p95: 2, p99: 2 },
        codes: { 200: 2, 500: 1 },
        errors: { ENOTFOUND: 1 },
        latencies: [1_000_500, 2_000_000, 999_000],
        counters: {},
        concurrency: 2,
      },
    ],
  });
  const { windows, failures, users } = decodeSource(artilleryJson, text);
  const second = Date.UTC(2021, 2, 6, 7, 57, 41) / 1000;
  expect(windows).toMatchObject([
    {
      label: "All requests",
      second,
      requests: 4,
      // 3,999.5 µs of three requests; the fourth had no response.
      elapsedMicros: 4000,
      untimedRequests: 1,
      failedRequests: 2,
      untimedFailedRequests: 1,
      minMicros: 999,
      maxMicros: 2000,
    },
  ]);
  expect(failures.map(({ kind, requests }) => ({ ...kind, requests }))).toEqual([
    { code: "500", message: "", requests: 1 },
    { code: "", message: "ENOTFOUND", requests: 1 },
  ]);
  expect(users).toEqual([{ generator: "", second: second + 9, active: 2 }]);
});

test.each([
  ["its windows", { "http.codes.200": MOST, "http.codes.500": 1 }, {}],
  ["its total", { "http.codes.200": 1 }, { "http.codes.200": MOST, "errors.ECONNRESET": 1 }],
])("a report with sums over 2^53 - 1 in %s is refused", (_, counters, whole) => {
  const text = JSON.stringify({
    aggregate: { counters: whole },
    intermediate: [{ period: PERIOD, counters }],
  });
  expect(() => decodeSource(artilleryJson, text)).toThrow(
    new UserError("sum-too-large", `${MOST} + 1 exceeds 2^53 - 1`),
  );
});

describe("an invalid window is rejected, and others are read", () => {
  const fine = endpoint("/fine", { "codes.200": 1 }, TIMES);

  test.each([
    [{ ...fine, period: "soon" }, 'cannot read when the window begins: got "soon"'],
    [{ counters: { [`${NAMESPACE}./a.codes.200`]: 1.5 } }, "cannot read a counter: got 1.5"],
  ])("%#: %j", (period, reason) => {
    const { windows, rejections } = decodePeriods(period, fine);
    expect(rejections.map((rejection) => rejection.reason)).toEqual([
      expect.stringContaining(reason),
    ]);
    expect(windows.map(({ label }) => label)).toEqual(["/fine"]);
    expect(rejections[0]?.line).toBeGreaterThan(5);
  });
});

test("a window without readable times counts", () => {
  const { windows, rejections, repairs } = decodePeriods(
    endpoint("/a", { "codes.503": 1 }, { min: 1, mean: 2 }),
  );
  expect(windows).toMatchObject([{ requests: 1, untimedRequests: 1, failedRequests: 1 }]);
  expect(rejections).toEqual([]);
  expect(repairs).toMatchObject([{ kind: "time-unknown" }]);
});

// Artillery up to 1.6: time of the response, id, nanoseconds, code.
test("response times of Artillery before 1.7 come with their id and code", () => {
  const text = JSON.stringify({
    aggregate: { timestamp: "2018-03-12T15:40:39.730Z", codes: { 200: 1, 500: 1 }, errors: {} },
    intermediate: [
      {
        timestamp: "2018-03-12T15:39:49.223Z",
        latency: { min: 76.3, max: 163.9, median: 120.1, p95: null },
        codes: { 200: 1, 500: 1 },
        errors: {},
        latencies: [
          [1_520_869_180_223, "00000000-0000-4000-8000-000000000000", 76_300_000, 200],
          [1_520_869_181_123, "00000000-0000-4000-8000-000000000001", 163_900_499, 500],
        ],
      },
    ],
  });
  const { windows, rejections, quality } = decodeSource(artilleryJson, text);
  expect(windows).toMatchObject([
    { requests: 2, failedRequests: 1, untimedRequests: 0, minMicros: 76_300, maxMicros: 163_900 },
  ]);
  expect({ rejections, quality }).toEqual({ rejections: [], quality: {} });
});

test("endpoints that are grouped have no percentiles of one of them", () => {
  const [slow, fast] = [
    endpoint("/cart/11", { "codes.200": 1 }, TIMES),
    endpoint("/cart/12", { "codes.200": 1 }, { ...TIMES, p99: 1 }),
  ];
  const period = {
    counters: { ...slow.counters, ...fast.counters },
    summaries: { ...slow.summaries, ...fast.summaries },
  };
  const options = { timeZone: "UTC", labels: { grouping: { ids: true, rules: [] } } };
  const { reported, windows } = decodeSource(artilleryJson, report(period), [], options);
  expect(windows.map(({ label }) => label)).toEqual(["/cart/{id}", "/cart/{id}"]);
  expect(reported).toBeUndefined();
});

test("windows before the aggregate are read as well", () => {
  const period = { period: PERIOD, ...endpoint("/a", { "codes.200": 1 }, TIMES, "own.space") };
  const text = JSON.stringify({ intermediate: [period], aggregate: {} });
  const { windows } = decodeSource(artilleryJson, text);
  expect(windows.map(({ label }) => label)).toEqual(["/a"]);
});

formatContract(artilleryJson);
