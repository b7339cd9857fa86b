import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { locustHistory } from "./locust-history.ts";

const HEADER =
  "Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,100%,Total Request Count,Total Failure Count,Total Median Response Time,Total Average Response Time,Total Min Response Time,Total Max Response Time,Total Average Content Size";

interface Row {
  readonly second: number;
  readonly users?: number;
  /** Type and name. Default: the total of the tick. */
  readonly name?: readonly [type: string, name: string];
  readonly count: number;
  readonly failed?: number;
  readonly averageMs?: number | string;
  readonly minMs?: number;
  readonly maxMs?: number;
  readonly averageBytes?: number;
  /** The value of the `50%` column. */
  readonly medianMs?: number;
}

/** Returns a row in the format of Locust 2.47. */
function line(row: Row): string {
  const { second, users = 2, name = ["", "Aggregated"], count, failed = 0 } = row;
  const { averageMs = 10, minMs = 10, maxMs = 10, averageBytes = 100 } = row;
  const median = row.medianMs ?? "N/A";
  const totals = [count, failed, 0, averageMs, minMs, maxMs, averageBytes];
  return [second, users, ...name, "0.0", "0.0", median, "N/A", ...totals].join();
}

function decode(...rows: readonly Row[]): Decoded {
  return decodeSource(locustHistory, [HEADER, ...rows.map(line), ""].join("\r\n"));
}

/** Returns windows as [label, second, requests, failed, elapsed micros, bytes]. */
function windowsOf({ windows }: Decoded): unknown[] {
  return windows.map((window) => [
    window.label,
    window.second,
    window.requests,
    window.failedRequests,
    window.elapsedMicros,
    window.receivedBytes,
  ]);
}

const CART = ["POST", "cart"] as const;
const HOME = ["GET", "/"] as const;

test("a tick holds the increase of the totals, at its own second", () => {
  const decoded = decode(
    { second: 100, users: 0, count: 0, averageMs: "0.0", averageBytes: 0 },
    { second: 101, users: 2, name: CART, count: 2, averageMs: 12.5, minMs: 5, maxMs: 20 },
    { second: 101, users: 2, count: 2, averageMs: 12.5, minMs: 5, maxMs: 20 },
    // Second 102 is missing: ticks drift.
    { second: 103, users: 4, name: HOME, count: 1, averageMs: 7, averageBytes: 0 },
    { second: 103, users: 4, name: CART, count: 5, failed: 2, averageMs: 20, averageBytes: 64 },
    { second: 103, users: 4, count: 6, failed: 2, averageMs: 17.833333333333332 },
    { second: 104, users: 4, name: HOME, count: 1, averageMs: 7, averageBytes: 0 },
    { second: 104, users: 4, name: CART, count: 5, failed: 2, averageMs: 20, averageBytes: 64 },
    { second: 104, users: 4, count: 6, failed: 2, averageMs: 17.833333333333332 },
  );
  expect(windowsOf(decoded)).toEqual([
    ["POST cart", 101, 2, 0, 25_000, 200],
    ["GET /", 103, 1, 0, 7000, 0],
    ["POST cart", 103, 3, 2, 75_000, 120],
  ]);
  // Times and bytes are not recorded by outcome: two failed of three requests get two thirds.
  expect(decoded.windows[2]).toMatchObject({
    failedElapsedMicros: 50_000,
    failedReceivedBytes: 80,
  });
  expect(decoded.windows.every(({ windowSeconds }) => windowSeconds === 1)).toBe(true);
  expect(decoded.users).toEqual([
    { generator: "", second: 100, active: 0 },
    { generator: "", second: 101, active: 2 },
    { generator: "", second: 103, active: 4 },
    { generator: "", second: 104, active: 4 },
  ]);
  expect({ rejections: decoded.rejections, truncatedAt: decoded.truncatedAt }).toEqual({
    rejections: [],
    truncatedAt: undefined,
  });
  expect(decoded.notes).toEqual([
    "the history counts requests at their end, within 1 s (3 s with workers); those of the run's last second may be missing",
    "the history holds averages per second: percentiles are those Locust reported",
    "the history does not say why requests failed: Locust's _failures.csv does",
  ]);
});

test("a tick has no distribution, not even of one request", () => {
  const { windows } = decode(
    { second: 1, count: 4, averageMs: 10, minMs: 4, maxMs: 20 },
    { second: 2, count: 5, averageMs: 15, minMs: 4, maxMs: 35 },
  );
  const unknown = { minMicros: undefined, maxMicros: undefined, latencies: [] };
  expect(windows).toMatchObject([unknown, unknown]);
});

test("without rows per name, the percentiles of the last row are those of the run", () => {
  const { reported } = decode(
    { second: 1, count: 4, minMs: 4, maxMs: 20, medianMs: 9 },
    { second: 2, count: 5, minMs: 3, maxMs: 51, medianMs: 12 },
  );
  const percentiles = [
    [0, 3000],
    [0.5, 12_000],
    [1, 51_000],
  ];
  expect(reported).toEqual([{ label: "Aggregated", window: undefined, percentiles }]);
});

test("with rows per name, percentiles cover the last seconds, and the run has extremes", () => {
  const { reported } = decode(
    { second: 101, name: CART, count: 2, minMs: 5, maxMs: 20, medianMs: 8 },
    { second: 101, count: 2, minMs: 5, maxMs: 20, medianMs: 8 },
  );
  const window = { second: 101, windowSeconds: 10 };
  const run = [
    [0, 5000],
    [1, 20_000],
  ];
  expect(reported).toEqual([
    { label: "POST cart", window, percentiles: [[0.5, 8000]] },
    { label: undefined, window, percentiles: [[0.5, 8000]] },
    { label: "POST cart", window: undefined, percentiles: run },
    { label: undefined, window: undefined, percentiles: run },
  ]);
});

test("after a counter reset, nothing is known of the run", () => {
  const { reported } = decode({ second: 1, count: 4 }, { second: 2, count: 3 });
  expect(reported).toBeUndefined();
});

test("without rows per name, the total of each tick is the only endpoint", () => {
  const decoded = decode({ second: 1, count: 0 }, { second: 2, count: 3 }, { second: 3, count: 4 });
  expect(windowsOf(decoded)).toEqual([
    ["Aggregated", 2, 3, 0, 30_000, 300],
    ["Aggregated", 3, 1, 0, 10_000, 100],
  ]);
  expect(decoded.notes).toContain("the history has no endpoints: record with --csv-full-history");
});

test("all counters restart when their total has decreased, including those that do not show it", () => {
  const decoded = decode(
    { second: 1, name: HOME, count: 2 },
    { second: 1, name: CART, count: 50 },
    { second: 1, count: 52 },
    { second: 2, name: HOME, count: 4 },
    { second: 2, name: CART, count: 20 },
    { second: 2, count: 24 },
    { second: 3, name: HOME, count: 5 },
    { second: 3, name: CART, count: 21 },
    { second: 3, count: 26 },
  );
  const counts = decoded.windows.map(({ label, second, requests }) => [label, second, requests]);
  expect(counts).toEqual([
    ["GET /", 1, 2],
    ["POST cart", 1, 50],
    ["GET /", 2, 4],
    ["POST cart", 2, 20],
    ["GET /", 3, 1],
    ["POST cart", 3, 1],
  ]);
  expect(decoded.notes).toContain("counters reset to zero, as with --reset-stats: 1");
});

test("a reset is detected by a total alone, and by a name in a tick without a total", () => {
  const alone = decode({ second: 1, count: 5 }, { second: 2, count: 3 }, { second: 3, count: 4 });
  expect(alone.windows.map(({ requests }) => requests)).toEqual([5, 3, 1]);
  const lost = decode(
    { second: 1, name: HOME, count: 5 },
    { second: 1, count: 5 },
    { second: 2, name: HOME, count: 3 },
  );
  expect(lost.windows.map(({ requests }) => requests)).toEqual([5, 3]);
});

test("sums that decrease by rounding add nothing until they have increased again", () => {
  const decoded = decode(
    { second: 1, count: 2, averageMs: 10 },
    { second: 2, count: 3, averageMs: 6 },
    { second: 3, count: 4, averageMs: 6 },
  );
  const sums = decoded.windows.map(({ elapsedMicros }) => elapsedMicros);
  expect(sums).toEqual([20_000, 0, 4000]);
});

test("rows of an incomplete last tick are read without their total", () => {
  const whole = [HEADER, line({ second: 1, name: HOME, count: 2 }), ""].join("\n");
  const { windows, users, truncatedAt } = decodeSource(locustHistory, `${whole}1,2,,Aggre`);
  expect(windows).toMatchObject([{ label: "GET /", requests: 2 }]);
  expect({ users, truncatedAt: truncatedAt?.line }).toEqual({ users: [], truncatedAt: 3 });
});

test("names that share a label are still counted separately", () => {
  const rows = [
    { second: 1, name: ["GET", "cart"] as const, count: 5 },
    { second: 1, name: CART, count: 2 },
    { second: 1, count: 7 },
  ];
  const source = [HEADER, ...rows.map(line), ""].join("\n");
  const options = { timeZone: "UTC", labelTemplate: "{Name}" };
  const { windows } = decodeSource(locustHistory, source, [], options);
  expect(windows.map(({ label, requests }) => [label, requests])).toEqual([
    ["cart", 5],
    ["cart", 2],
  ]);
});

test.each([
  [{ second: 0, count: 1 }, 'Timestamp: got "0"'],
  [{ second: 1, count: 1, failed: 2 }, 'Total Failure Count: got "2", want at most the 1 requests'],
  [{ second: 1, count: 1, averageMs: "N/A" }, 'Total Average Response Time: got "N/A"'],
  [{ second: 1, count: 0.5 }, 'Total Request Count: got "0.5"'],
  [{ second: 1, users: -1, count: 1 }, 'User Count: got "-1"'],
])("an invalid row is rejected: %j", (row, reason) => {
  const { rejections, windows } = decode(row, { second: 2, count: 3 });
  expect(rejections).toMatchObject([{ line: 2, byte: HEADER.length + 2 }]);
  expect(rejections[0]?.reason).toContain(reason);
  expect(windows).toMatchObject([{ requests: 3 }]);
});

test("a history without totals, as before Locust 1.0, is refused with the missing column", () => {
  const source = "Timestamp,User Count,Type,Name,# requests\n1,1,,Total,5\n";
  expect(() => decodeSource(locustHistory, source)).toThrow(
    "cannot read this as locust-history: the header has no Total Request Count column",
  );
});

/** The requests between two ticks. */
const anyTick = fc.array(
  fc.record({ ms: fc.double({ min: 0, max: 60_000, noNaN: true }), bytes: fc.nat(1_000_000) }),
  { maxLength: 5 },
);

test("the windows add up to the last totals, rounded once, with any chunk size", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(anyTick, { minLength: 1, maxLength: 30 }), sizes, (ticks, pieces) => {
      const seen: { ms: number; bytes: number }[] = [];
      const rows = ticks.map((tick, index) => {
        seen.push(...tick);
        const times = seen.map(({ ms }) => ms);
        const size = seen.reduce((sum, { bytes }) => sum + bytes, 0);
        return {
          second: index + 1,
          count: seen.length,
          averageMs: seen.length === 0 ? 0 : times.reduce((sum, ms) => sum + ms, 0) / seen.length,
          minMs: Math.min(...times, 60_000),
          maxMs: Math.max(...times, 0),
          averageBytes: seen.length === 0 ? 0 : size / seen.length,
        };
      });
      const source = [HEADER, ...rows.map(line), ""].join("\r\n");
      const { windows } = decodeSource(locustHistory, source, pieces);
      const total = (figure: (window: (typeof windows)[number]) => number): number =>
        windows.reduce((sum, window) => sum + figure(window), 0);
      const last = rows.at(-1) ?? { count: 0, averageMs: 0 };
      expect(total(({ requests }) => requests)).toBe(seen.length);
      expect(total(({ receivedBytes }) => receivedBytes)).toBe(
        seen.reduce((sum, { bytes }) => sum + bytes, 0),
      );
      const exactMicros = last.averageMs * last.count * 1000;
      expect(Math.abs(total(({ elapsedMicros }) => elapsedMicros) - exactMicros)).toBeLessThan(
        0.51,
      );
    }),
    { numRuns: 50 },
  );
});

test("zeros that Locust writes before it has a window are not percentiles", () => {
  const { reported } = decode(
    { second: 100, name: CART, count: 1, medianMs: 0 },
    { second: 100, count: 1, medianMs: 0 },
    { second: 101, name: CART, count: 2, medianMs: 10 },
    { second: 101, count: 2, medianMs: 10 },
  );
  const medians = reported?.filter(({ percentiles }) => percentiles.some(([q]) => q === 0.5));
  expect(medians).toEqual(
    ["POST cart", undefined].map((label) => ({
      label,
      window: { second: 101, windowSeconds: 10 },
      percentiles: [[0.5, 10_000]],
    })),
  );
});
