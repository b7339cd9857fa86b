import { createFakeProgram } from "../../../test/support/fake-program.ts";
import { describe, expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { artilleryJson } from "./artillery-json.ts";
import {
  decodePeriods,
  endpoint,
  NAMESPACE,
  report as reportOf,
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

const EIGHT_REQUESTS = {
  period: String(SECOND * 1000),
  counters: { "http.codes.200": 8 },
  summaries: { "http.response_time": TIMES },
};

test("the percentiles of the run come from the aggregate", () => {
  const report = {
    aggregate: {
      counters: { "http.codes.200": 8 },
      summaries: { "http.response_time": { min: 1, max: 50, mean: 9, p50: 8.9, p95: 40 } },
    },
    intermediate: [EIGHT_REQUESTS],
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
      EIGHT_REQUESTS,
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
    notes: ["the report counts no requests with an outcome: see its measures"],
  });
});

const MEANLESS = { min: 2, max: 45, count: 4, p50: 8.9, p95: 22 };

test("without means, averages are unknown, and extremes and percentiles are those of the report", () => {
  const { windows, reported, notes, repairs } = decodePeriods(
    endpoint("/a", { "codes.200": 3, "codes.503": 1 }, MEANLESS),
  );
  expect(windows).toMatchObject([
    { requests: 4, failedRequests: 1, untimedRequests: 4, untimedFailedRequests: 1 },
  ]);
  expect(reported?.[0]?.percentiles).toEqual([
    [0, 2000],
    [0.5, 8900],
    [0.95, 22_000],
    [1, 45_000],
  ]);
  expect(notes).toContain("the report has no mean response times: averages are unknown");
  expect(repairs).toBeUndefined();
});

test("percentiles of all requests are unknown if they include redirects that are left out", () => {
  const login = endpoint("login", { "codes.200": 8 }, TIMES);
  const redirected = {
    counters: { ...login.counters, "http.codes.302": 4, "http.codes.200": 8 },
    summaries: { ...login.summaries, "http.response_time": { ...TIMES, count: 12 } },
  };
  expect(decodePeriods(redirected).reported?.map(({ label }) => label)).toEqual(["login", "login"]);
  const direct = { ...redirected, counters: { ...redirected.counters, "http.codes.302": 0 } };
  expect(decodePeriods(direct).reported?.map(({ label }) => label)).toEqual([
    undefined,
    "login",
    "login",
    undefined,
  ]);
});

test("errors are requests only in a report that counts HTTP requests", () => {
  const errors = { "errors.ECONNREFUSED": 6, "errors.connect EAGAIN ::1": 3 };
  const { windows, measured, notes } = decodePeriods({
    counters: { "websocket.messages_sent": 300, "vusers.created": 30, ...errors },
  });
  expect(windows).toEqual([]);
  expect(measured?.all.map(({ name, sum }) => [name, sum])).toEqual(
    expect.arrayContaining([
      ["errors.ECONNREFUSED", 6],
      ["errors.connect EAGAIN ::1", 3],
      ["websocket.messages_sent", 300],
    ]),
  );
  expect(notes).toContain("the report counts no requests with an outcome: see its measures");
  const http = decodePeriods({ counters: { "http.requests": 6, "errors.ECONNREFUSED": 6 } });
  expect(http.windows).toMatchObject([{ requests: 6, failedRequests: 6 }]);
});

// Playwright: artillery #1899, #3750.
test("requests of browser pages count by their codes", () => {
  const { windows, failures, measured } = decodePeriods({
    counters: {
      "browser.http_requests": 120,
      "browser.page.codes.200": 100,
      "browser.page.codes.404": 12,
      "browser.page.codes.503": 8,
      "errors.pw_failed_assertion": 1,
    },
    summaries: { "browser.page.FCP.https://h/": { ...TIMES, count: 5 } },
  });
  expect(windows).toMatchObject([
    { label: "Browser requests", requests: 120, untimedRequests: 120, failedRequests: 20 },
  ]);
  expect(failures.map(({ kind, requests }) => [kind?.code, requests])).toEqual([
    ["404", 12],
    ["503", 8],
  ]);
  expect(measured?.all.map(({ name }) => name)).toContain("browser.page.FCP.https://h/");
});

// artillery #1874: the aggregate counts 30 failed requests that no window has.
test("a total that differs from the sum of the windows is stated", () => {
  const window = endpoint("/cart", { "codes.200": 50 }, TIMES);
  const text = reportOf(window, { ...window, period: `${SECOND * 1000 + 10_000}` });
  const whole = JSON.parse(text) as { aggregate: { counters: Record<string, number> } };
  const { counters } = whole.aggregate;
  Object.assign(counters, { [`${NAMESPACE}./cart.codes.200`]: 100 });
  expect(decodeSource(artilleryJson, JSON.stringify(whole)).quality).toEqual({});
  Object.assign(counters, { [`${NAMESPACE}./cart.codes.503`]: 30 });
  const { quality, notes } = decodeSource(artilleryJson, JSON.stringify(whole));
  expect(quality?.discrepancies).toEqual([
    { figure: "requests", reported: 130, counted: 100 },
    { figure: "failedRequests", reported: 30, counted: 0 },
  ]);
  expect(notes).toContain("the report's total counts 130 requests, its windows 100");
});

test("a name that is too long is shortened", () => {
  const { windows, repairs } = decodePeriods(endpoint("x".repeat(1025), { "codes.200": 1 }, TIMES));
  expect(windows.map(({ label = "" }) => Buffer.byteLength(label))).toEqual([1024]);
  expect(repairs).toMatchObject([{ kind: "label-shortened" }]);
});

test("a run ends where its report says, not where its last window does", async () => {
  const program = createFakeProgram();
  const window = { counters: { "http.requests": 50, "http.codes.200": 50 } };
  const source = {
    aggregate: { ...window, firstMetricAt: 1_795_232_544_002, lastMetricAt: 1_795_232_563_900 },
    intermediate: [1_795_232_540_000, 1_795_232_550_000, 1_795_232_560_000].map((period) => ({
      ...window,
      period: String(period),
      summaries: { "http.response_time": { min: 1, max: 9, mean: 5, count: 50 } },
    })),
  };
  await program.run(["import", "-", "--id", "run"], JSON.stringify(source));
  const { out } = await program.run(["summary", "run", "--json"]);
  // 150 requests from second 44 to second 63.
  expect(JSON.parse(out).overall).toMatchObject({
    count: 150,
    range: 20,
    reqPerSec: 7.5,
    from: 1_795_232_544,
    until: 1_795_232_563,
  });
});
