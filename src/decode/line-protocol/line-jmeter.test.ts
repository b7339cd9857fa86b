import { describe, expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { lineProtocol } from "./line-protocol.ts";

const SECOND = 1_795_266_265;

const decode = (...lines: readonly string[]): Decoded =>
  decodeSource(lineProtocol, lines.map((line) => `${line}\n`).join(""));

/** Returns a JMeter timestamp `ms` after `SECOND`. */
const at = (ms: number): string => `${SECOND * 1000 + ms}000000`;

interface Interval {
  readonly transaction?: string;
  readonly count: number;
  readonly avg?: number;
  readonly min?: number;
  readonly max?: number;
  readonly rb?: number;
  readonly ms?: number;
}

const interval = (status: "all" | "ok" | "ko", given: Interval): string => {
  const { transaction = "a", count, avg = 10, min = 10, max = 10, rb = 100, ms = 0 } = given;
  return (
    `jmeter,application=shop,transaction=${transaction},statut=${status} ` +
    `count=${count},avg=${avg},min=${min.toFixed(1)},max=${max.toFixed(1)},` +
    `hit=${count},sb=7,rb=${rb},pct99.0=1.0 ${at(ms)}`
  );
};

const users = (ms: number, maxAT: number): string =>
  `jmeter,application=shop,transaction=internal minAT=0,maxAT=${maxAT},meanAT=1,startedT=${maxAT},endedT=0 ${at(ms)}`;

const sample = (thread: string, status = "ok"): string =>
  String.raw`jmeter,status=${status},transaction=Home\ page,threadName=${thread} ` +
  `duration=170,ttfb=91,connectTime=32 ${at(999)}`;

describe("aggregated JMeter lines", () => {
  test("the lines of a label and an interval are one row", () => {
    const { windows, rejections } = decode(
      interval("all", { count: 3, avg: 20, min: 10, max: 40, rb: 300 }),
      interval("ok", { count: 2, avg: 10, min: 10, max: 10, rb: 300 }),
      interval("ko", { count: 1, avg: 40, min: 40, max: 40, rb: 300 }),
      interval("all", { transaction: "b", count: 1 }),
      interval("ok", { transaction: "b", count: 1 }),
    );
    expect(rejections).toEqual([]);
    expect(windows).toEqual([
      {
        label: "a",
        second: SECOND - 5,
        windowSeconds: 5,
        requests: 3,
        elapsedMicros: 60_000,
        receivedBytes: 300,
        failedRequests: 1,
        failedElapsedMicros: 40_000,
        failedReceivedBytes: 100,
        minMicros: 10_000,
        maxMicros: 40_000,
        latencies: [],
      },
      expect.objectContaining({ label: "b", requests: 1, failedRequests: 0, receivedBytes: 100 }),
    ]);
  });

  test.each([
    ["all and ok", ["all", "ok"], { requests: 3, failedRequests: 1 }],
    ["all and ko", ["all", "ko"], { requests: 3, failedRequests: 1 }],
    ["ok and ko", ["ok", "ko"], { requests: 3, failedRequests: 1 }],
    ["ko alone", ["ko"], { requests: 1, failedRequests: 1 }],
    ["ok alone", ["ok"], { requests: 2, failedRequests: 0 }],
  ] as const)("the values of a rejected line follow from the others: %s", (_, statuses, counts) => {
    const given = {
      all: interval("all", { count: 3 }),
      ok: interval("ok", { count: 2 }),
      ko: interval("ko", { count: 1 }),
    };
    const lines = (["all", "ok", "ko"] as const).map((status) =>
      statuses.some((each) => each === status) ? given[status] : given[status].slice(0, 60),
    );
    const { windows, rejections } = decode(...lines);
    expect(windows).toMatchObject([{ ...counts, elapsedMicros: counts.requests * 10_000 }]);
    expect(rejections).toHaveLength(3 - statuses.length);
  });

  test("percentiles are those that JMeter reports; its average gives no distribution", () => {
    const line = interval("ok", { count: 9, avg: 30, min: 10, max: 100 });
    const { windows, reported } = decode(line.replace("pct99.0=1.0", "pct90.0=50.0,pct50.0=20.0"));
    expect(windows).toMatchObject([{ minMicros: 10_000, maxMicros: 100_000, latencies: [] }]);
    expect(reported).toEqual([
      {
        label: "a",
        window: { second: SECOND - 5, windowSeconds: 5 },
        percentiles: [
          [0.9, 50_000],
          [0.5, 20_000],
        ],
      },
    ]);
  });

  test("extremes over the last 100 requests are not used for the interval", () => {
    // 9 x 30.03 ms is not a whole number of milliseconds.
    const { windows } = decode(interval("ok", { count: 9, avg: 30.03, min: 10, max: 100 }));
    expect(windows).toMatchObject([{ minMicros: undefined, maxMicros: undefined }]);
  });

  test("separate percentiles of passed and failed requests give none for all", () => {
    const { reported } = decode(
      interval("ok", { count: 2, avg: 10, min: 10, max: 10 }),
      interval("ko", { count: 1, avg: 40, min: 40, max: 40 }),
    );
    expect(reported).toBeUndefined();
  });

  test("the average of one request is its response time", () => {
    const { windows } = decode(interval("ok", { count: 1, avg: 20, min: 20, max: 20 }));
    expect(windows).toMatchObject([{ latencies: [{ elapsedMicros: 20_000, requests: 1 }] }]);
  });

  test("sums over all labels and thread counts are not requests", () => {
    const { windows, users: told } = decode(
      interval("all", { transaction: "all", count: 9 }),
      users(4, 12),
      interval("all", { count: 1 }),
      interval("ok", { count: 1 }),
    );
    expect(windows.map(({ label }) => label)).toEqual(["a"]);
    expect(told).toEqual([{ generator: "", second: SECOND - 5, active: 12 }]);
  });

  test("a note names the setting to change if there are only sums over all labels", () => {
    const { windows, notes } = decode(interval("all", { transaction: "all", count: 9 }));
    expect(windows).toEqual([]);
    expect(notes).toEqual([
      "JMeter sent only sums over all labels: set summaryOnly=false in its listener",
    ]);
  });

  test("an interval starts at the previous send, if that is visible", () => {
    const send = (ms: number) => [
      users(ms, 1),
      interval("all", { count: 1, ms: ms + 240 }),
      interval("ok", { count: 1, ms: ms + 250 }),
    ];
    const { windows, users: told } = decode(
      users(0, 0),
      ...send(10_004),
      ...send(20_000),
      ...send(21_980),
      ...send(200_000),
    );
    expect(windows.map(({ second, windowSeconds }) => [second - SECOND, windowSeconds])).toEqual([
      [0, 10],
      [10, 10],
      // The last send happens when the test ends.
      [20, 2],
      // After such a long gap, a new run has started.
      [195, 5],
    ]);
    expect(told.map(({ second }) => second - SECOND)).toEqual([0, 10, 19, 195]);
  });

  test("failure reasons have a code and a message", () => {
    const tags = String.raw`application=a,transaction=x\ y,responseCode=Non\ HTTP,responseMessage=Read\ timed\ out\,\ 1\=2`;
    const { failures } = decode(
      `jmeter,${tags} count=4 ${at(0)}`,
      `jmeter,application=a,transaction=x\\ y,responseCode=500,responseMessage= count=1 ${at(0)}`,
    );
    expect(failures).toEqual([
      {
        label: "x y",
        second: SECOND - 5,
        kind: { code: "Non HTTP", message: "Read timed out, 1=2" },
        requests: 4,
      },
      { label: "x y", second: SECOND - 5, kind: { code: "500", message: "" }, requests: 1 },
    ]);
  });

  test.each([
    ["an average of its own requests", { count: 4, avg: 12.25, min: 10, max: 15 }, undefined],
    [
      "an average that is no sum of milliseconds",
      { count: 4, avg: 12.3, min: 10, max: 15 },
      "1 of 1",
    ],
    ["one request and two extremes", { count: 1, avg: 12, min: 10, max: 15 }, "1 of 1"],
  ])("a smoothed average is noted: %s", (_, given, note) => {
    const { notes, windows } = decode(interval("all", given), interval("ok", given));
    expect(windows).toMatchObject([{ elapsedMicros: Math.round(given.avg * given.count * 1000) }]);
    expect(notes.find((each) => each.includes("not exact"))?.match(/\d+ of \d+/)?.[0]).toBe(note);
  });

  test.each([
    ["a count of nothing", "count=0,avg=1,min=1,max=1"],
    ["a count in words", 'count="many",avg=1,min=1,max=1'],
    ["a fraction of a request", "count=1.5,avg=1,min=1,max=1"],
    ["no average", "count=1,min=1,max=1"],
    ["an average that is no number", "count=1,avg=NaN,min=1,max=1"],
    ["a negative minimum", "count=1,avg=1,min=-1,max=1"],
    ["a sum beyond what is exact", "count=999999999,avg=99999999999,min=1,max=1"],
  ])("an invalid line is rejected: %s", (_, fields) => {
    const line = `jmeter,transaction=a,statut=ok ${fields} ${at(0)}`;
    const { windows, rejections } = decode(line, interval("ok", { count: 1 }));
    expect(windows).toMatchObject([{ requests: 1 }]);
    expect(rejections).toMatchObject([{ line: 1 }]);
  });
});

describe("single samples", () => {
  test.each([
    "main1-1",
    "Shop,users1-1",
    "a=b,c=d1-1",
    "x\\",
    "API«сервис»2-1",
    "a,transaction=b1-1",
  ])("the thread can have any name: %s", (thread) => {
    const { samples, rejections, notes } = decode(sample(thread), sample(thread, "ko"));
    const row = {
      label: "Home page",
      second: SECOND,
      elapsedMicros: 170_000,
      receivedBytes: 0,
      requests: 1,
    };
    expect(samples).toEqual([
      { ...row, failedRequests: 0 },
      { ...row, failedRequests: 1 },
    ]);
    expect(rejections).toEqual([]);
    expect(notes).toEqual([
      "JMeter's raw listener does not record response sizes: they are unknown",
    ]);
  });

  test("times to the first byte and of connecting are measures", () => {
    const { measured } = decode(sample("t"), sample("t").replace("ttfb=91", "ttfb=93"));
    expect(measured?.all.filter(({ label }) => label === "Home page")).toMatchObject([
      { name: "connect", unit: "ms", count: 2, sum: 64 },
      { name: "latency", unit: "ms", count: 2, sum: 184, min: 91, max: 93 },
    ]);
  });

  test("labels that match a pattern are transactions, as no listener marks them", () => {
    const lines = [
      interval("ok", { transaction: "Checkout\\ 1", count: 2 }),
      interval("ok", { transaction: "cart", count: 3 }),
      sample("t"),
    ];
    const lineProtocolOptions = { transactions: ["Checkout*", "Home page"] };
    const { roles } = decodeSource(lineProtocol, `${lines.join("\n")}\n`, [], {
      timeZone: "UTC",
      lineProtocol: lineProtocolOptions,
    });
    expect(roles).toEqual({
      "Checkout 1": "transaction",
      cart: "request",
      "Home page": "transaction",
    });
  });

  test("a label that is too long and a duration that is no number are repaired", () => {
    const { samples, windows, rejections, repairs } = decode(
      sample("t", "ko").replace("Home", "x".repeat(1025)),
      sample("t", "ko").replace("duration=170", "duration=-170"),
    );
    expect(samples).toMatchObject([
      { label: expect.stringMatching(/^x+…[0-9a-f]{12}$/) as string, failedRequests: 1 },
    ]);
    expect(windows).toMatchObject([{ label: "Home page", untimedFailedRequests: 1 }]);
    expect(rejections).toEqual([]);
    expect(repairs?.map(({ kind, line }) => [kind, line])).toEqual([
      ["label-shortened", 1],
      ["time-unknown", 2],
    ]);
  });
});
