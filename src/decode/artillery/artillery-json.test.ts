import { describe, expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { artilleryJson } from "./artillery-json.ts";
import {
  decodePeriods,
  endpoint,
  NAMESPACE,
  SECOND,
  TIMES,
} from "../../../test/support/artillery-reports.ts";

test("a window of an endpoint has its sums, its failures and the reported percentiles", () => {
  const { windows, failures, rejections, truncatedAt, reported } = decodePeriods(
    endpoint("/cart", { "codes.200": 6, "codes.404": 2 }, TIMES),
  );
  expect({ rejections, truncatedAt }).toEqual({ rejections: [], truncatedAt: undefined });
  expect(windows).toEqual([
    {
      label: "/cart",
      second: SECOND,
      windowSeconds: 10,
      requests: 8,
      elapsedMicros: 100_000,
      receivedBytes: 0,
      failedRequests: 2,
      failedElapsedMicros: 25_000,
      failedReceivedBytes: 0,
      minMicros: 1000,
      maxMicros: 40_000,
      untimedRequests: 0,
      untimedFailedRequests: 0,
      latencies: [],
    },
  ]);
  // The reported values, converted from milliseconds.
  const percentiles = [
    [0.5, 10_000],
    [0.75, 20_000],
    [0.9, 30_000],
    [0.95, 30_000],
    [0.99, 30_000],
    [0.999, 30_000],
  ];
  expect(reported?.[0]).toEqual({
    label: "/cart",
    window: { second: SECOND, windowSeconds: 10 },
    percentiles,
  });
  const kind = { code: "404", message: "" };
  expect(failures).toEqual([{ label: "/cart", second: SECOND, kind, requests: 2 }]);
});

describe("the metrics of an endpoint are found, whatever its name contains", () => {
  test.each([
    ["/", NAMESPACE],
    ["/missing.codes.404", NAMESPACE],
    ["/search?q=a.b.codes.200", NAMESPACE],
    ["/checkout (checkout.v1.errors.count)", NAMESPACE],
    ['/cart (Корзина "A, B"\nстрока 2)', NAMESPACE],
    ["a.response_time.b", NAMESPACE],
    ["__proto__", NAMESPACE],
    ["/old", "мои.метрики"],
    ["/old.errors.x", "a.errors.b"],
    ["/old", "a.response_time.b"],
  ])("%j in the namespace %j", (name, space) => {
    const own = endpoint(name, { "codes.200": 1, "errors.E.errors.X": 2 }, TIMES, space);
    const { windows, failures, notes } = decodePeriods(own);
    expect(windows.map(({ label, requests }) => ({ label, requests }))).toEqual([
      { label: name, requests: 3 },
    ]);
    expect(failures.map(({ kind }) => kind)).toEqual([{ code: "", message: "E.errors.X" }]);
    expect(notes.join()).not.toContain("does not tell endpoints apart");
  });
});

test("an endpoint without any response is found by its errors", () => {
  const { windows, failures } = decodePeriods({
    counters: { [`${NAMESPACE}./a (b.errors.c).errors.ETIMEDOUT`]: 3, "errors.ETIMEDOUT": 3 },
  });
  expect(windows).toMatchObject([
    { label: "/a (b.errors.c)", requests: 3, failedRequests: 3, elapsedMicros: 0, latencies: [] },
  ]);
  expect(failures).toMatchObject([{ kind: { code: "", message: "ETIMEDOUT" }, requests: 3 }]);
});

test("requests without a response have no response time", () => {
  const mixed = endpoint("/a", { "codes.200": 2, "errors.ECONNRESET": 2 }, TIMES);
  const alone = { counters: { [`${NAMESPACE}./a.errors.ECONNRESET`]: 5 } };
  const { windows, notes } = decodePeriods(mixed, { ...alone, period: "1795232550000" });
  expect(windows).toMatchObject([
    {
      second: SECOND,
      requests: 4,
      untimedRequests: 2,
      // Two responses of 12.5 ms on average; none of them failed.
      elapsedMicros: 25_000,
      failedRequests: 2,
      untimedFailedRequests: 2,
      failedElapsedMicros: 0,
      minMicros: 1000,
      maxMicros: 40_000,
    },
    {
      second: SECOND + 10,
      requests: 5,
      untimedRequests: 5,
      failedRequests: 5,
      untimedFailedRequests: 5,
      elapsedMicros: 0,
      minMicros: undefined,
      maxMicros: undefined,
    },
  ]);
  expect(notes).toContain("requests without a response time: 7");
});

test("responses in excess of the recorded response times have none", () => {
  const { windows } = decodePeriods(
    endpoint("/a", { "codes.200": 6, "codes.500": 2 }, { ...TIMES, count: 4 }),
  );
  expect(windows).toMatchObject([
    // Four responses of 12.5 ms; untimed ones are spread proportionally over failed and passed ones.
    { requests: 8, untimedRequests: 4, elapsedMicros: 50_000, untimedFailedRequests: 1 },
  ]);
});

test("without the plugin all requests share one label, and script errors do not count", () => {
  const { windows, notes } = decodePeriods({
    counters: {
      "http.requests": 5,
      "http.codes.200": 3,
      "http.codes.503": 1,
      "errors.ECONNREFUSED": 1,
      "errors.Failed capture or match": 2,
    },
    summaries: { "http.response_time": TIMES, "http.response_time.5xx": TIMES },
  });
  expect(windows).toMatchObject([{ label: "All requests", requests: 5, failedRequests: 2 }]);
  expect(notes).toContain("the report does not distinguish endpoints: all requests have one label");
  expect(notes).toContain('errors without a request, not counted: "Failed capture or match" 2');
});

test("hops of redirects count for no endpoint and are noted", () => {
  const own = endpoint("/old", { "codes.200": 1 }, TIMES);
  const { windows, notes } = decodePeriods({
    ...own,
    counters: { ...own.counters, "http.codes.200": 1, "http.codes.302": 2 },
  });
  expect(windows.map(({ requests }) => requests)).toEqual([1]);
  expect(notes.filter((note) => note.includes("redirects"))).toEqual([
    "responses without an endpoint (followed redirects, unnamed requests), not counted: 2",
  ]);
});

test("a sum is rounded once", () => {
  const { windows } = decodePeriods(endpoint("/a", { "codes.200": 3 }, { ...TIMES, mean: 1.0005 }));
  // Three times 1,000.5 microseconds.
  expect(windows.map(({ elapsedMicros }) => elapsedMicros)).toEqual([3002]);
});

test("the percentiles of the run come from the aggregate", () => {
  const report = {
    aggregate: {
      counters: { "http.codes.200": 8 },
      summaries: { "http.response_time": { min: 1, max: 50, mean: 9, p50: 8.9, p95: 40 } },
    },
    intermediate: [
      {
        period: String(SECOND * 1000),
        counters: { "http.codes.200": 8 },
        summaries: { "http.response_time": TIMES },
      },
    ],
  };
  const { reported } = decodeSource(artilleryJson, JSON.stringify(report));
  expect(reported?.at(-1)).toEqual({
    label: "All requests",
    window: undefined,
    percentiles: [
      [0.5, 8900],
      [0.95, 40_000],
    ],
  });
});

test("a rejected window with endpoints leaves the percentiles of the run to all requests", () => {
  const report = {
    intermediate: [
      {
        period: String(SECOND * 1000),
        counters: { "http.codes.200": 8 },
        summaries: { "http.response_time": TIMES },
      },
      { ...endpoint("/cart", { "codes.200": 6 }, TIMES), period: "soon" },
    ],
    aggregate: {
      counters: { "http.codes.200": 8 },
      summaries: { "http.response_time": { min: 1, max: 50, mean: 9, p50: 8.9 } },
    },
  };
  const { reported, rejections } = decodeSource(artilleryJson, JSON.stringify(report));
  expect(rejections).toHaveLength(1);
  const percentiles = [[0.5, 8900]];
  expect(reported?.at(-1)).toEqual({ label: "All requests", window: undefined, percentiles });
});

test("active users are those created minus those ended, at the end of each window", () => {
  const { users } = decodePeriods(
    { counters: { "vusers.created": 5, "vusers.completed": 1 } },
    { counters: { "vusers.completed": 3, "vusers.failed": 1 }, period: "1795232550000" },
    { counters: {}, period: "1795232560000" },
  );
  expect(users).toEqual([
    { generator: "", second: SECOND + 9, active: 4 },
    { generator: "", second: SECOND + 19, active: 0 },
  ]);
});

test("a report without HTTP requests is an empty result with a note", () => {
  const { windows, rejections, notes } = decodePeriods({
    counters: { "websocket.messages_sent": 7 },
  });
  expect({ windows, rejections, notes }).toEqual({
    windows: [],
    rejections: [],
    notes: ["the report counts no HTTP requests"],
  });
});
