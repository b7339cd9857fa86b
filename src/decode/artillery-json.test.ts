import { describe, expect, test } from "vitest";
import {
  decodePeriods,
  endpoint,
  NAMESPACE,
  SECOND,
  TIMES,
} from "../../test/support/artillery-reports.ts";

test("a window of an endpoint keeps its sums, its failures, and the ranks that are told", () => {
  const { windows, failures, rejections, cut } = decodePeriods(
    endpoint("/cart", { "codes.200": 6, "codes.404": 2 }, TIMES),
  );
  expect({ rejections, cut }).toEqual({ rejections: [], cut: undefined });
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
      // Ranks of 8: p50 is the 4th, p75 the 6th, all others the 7th; 2 and 3 are not told, nor is 5.
      latencies: [
        { elapsedMicros: 1000, requests: 2 },
        { elapsedMicros: 10_000, requests: 2 },
        { elapsedMicros: 20_000, requests: 2 },
        { elapsedMicros: 30_000, requests: 1 },
        { elapsedMicros: 40_000, requests: 1 },
      ],
    },
  ]);
  const kind = { code: "404", message: "" };
  expect(failures).toEqual([{ label: "/cart", second: SECOND, kind, requests: 2 }]);
});

describe("what belongs to a name is found, whatever it holds", () => {
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

test("an endpoint without any response is known by its errors", () => {
  const { windows, failures } = decodePeriods({
    counters: { [`${NAMESPACE}./a (b.errors.c).errors.ETIMEDOUT`]: 3, "errors.ETIMEDOUT": 3 },
  });
  expect(windows).toMatchObject([
    { label: "/a (b.errors.c)", requests: 3, failedRequests: 3, elapsedMicros: 0, latencies: [] },
  ]);
  expect(failures).toMatchObject([{ kind: { code: "", message: "ETIMEDOUT" }, requests: 3 }]);
});

test("requests without a response count with the average of their window, and with 0 if alone", () => {
  const mixed = endpoint("/a", { "codes.200": 2, "errors.ECONNRESET": 2 }, TIMES);
  const alone = { counters: { [`${NAMESPACE}./a.errors.ECONNRESET`]: 5 } };
  const { windows, notes } = decodePeriods(mixed, { ...alone, period: "1795232550000" });
  expect(windows).toMatchObject([
    {
      second: SECOND,
      requests: 4,
      elapsedMicros: 50_000,
      failedRequests: 2,
      failedElapsedMicros: 25_000,
      latencies: [
        { elapsedMicros: 1000, requests: 1 },
        { elapsedMicros: 40_000, requests: 1 },
        { elapsedMicros: 12_500, requests: 2 },
      ],
    },
    { second: SECOND + 10, requests: 5, elapsedMicros: 0, failedElapsedMicros: 0 },
  ]);
  expect(notes).toContain(
    "requests without a response, counted with the average time of their window: 2",
  );
  expect(notes).toContain("requests in windows without any response, counted with 0 ms: 5");
});

test("without the plugin all requests have one label, and errors of scripts are none of them", () => {
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
  expect(notes).toContain("the report does not tell endpoints apart: all requests have one label");
  expect(notes).toContain(
    'errors that are of no request, not counted: "Failed capture or match" 2',
  );
});

test("hops of redirects are of no endpoint, and are told", () => {
  const own = endpoint("/old", { "codes.200": 1 }, TIMES);
  const { windows, notes } = decodePeriods({
    ...own,
    counters: { ...own.counters, "http.codes.200": 1, "http.codes.302": 2 },
  });
  expect(windows.map(({ requests }) => requests)).toEqual([1]);
  expect(notes.filter((note) => note.includes("redirects"))).toEqual([
    "responses that are of no endpoint (redirects that were followed, requests without a name), not counted: 2",
  ]);
});

test("a window without a mean gets one from its percentiles, and that is told", () => {
  const { mean: _, ...times } = TIMES;
  const { windows, notes } = decodePeriods(endpoint("/a", { "codes.200": 8 }, times));
  expect(windows.map(({ elapsedMicros }) => elapsedMicros)).toEqual([132_000]);
  expect(notes).toContain("windows without a mean, worked out from their percentiles: 1");
});

test("a sum is rounded once, as a sum", () => {
  const { windows } = decodePeriods(endpoint("/a", { "codes.200": 3 }, { ...TIMES, mean: 1.0005 }));
  // Three times 1,000.5 microseconds.
  expect(windows.map(({ elapsedMicros }) => elapsedMicros)).toEqual([3002]);
});

test("percentiles of a sketch do not pass the extremes", () => {
  const times = { ...TIMES, p50: 0.5, p99: 50 };
  const { windows } = decodePeriods(endpoint("/a", { "codes.200": 300 }, times));
  const micros = windows.flatMap(({ latencies }) => latencies.map((each) => each.elapsedMicros));
  expect([Math.min(...micros), Math.max(...micros)]).toEqual([1000, 40_000]);
});

test("users are told at the end of each window: who came less who went", () => {
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

test("a report without HTTP requests is an empty result that says so", () => {
  const { windows, rejections, notes } = decodePeriods({
    counters: { "websocket.messages_sent": 7 },
  });
  expect({ windows, rejections, notes }).toEqual({
    windows: [],
    rejections: [],
    notes: ["the report counts no HTTP requests"],
  });
});
