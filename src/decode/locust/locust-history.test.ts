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
  /** The value of the `100%` column. */
  readonly mostMs?: number;
}

/** Returns a row in the format of Locust 2.47. */
function line(row: Row): string {
  const { second, users = 2, name = ["", "Aggregated"], count, failed = 0 } = row;
  const { averageMs = 10, minMs = 10, maxMs = 10, averageBytes = 100 } = row;
  const [median, most] = [row.medianMs ?? "N/A", row.mostMs ?? "N/A"];
  const totals = [count, failed, 0, averageMs, minMs, maxMs, averageBytes];
  return [second, users, ...name, "0.0", "0.0", median, most, ...totals].join();
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
    "the history counts requests at their end, within 1 s (3 s with workers), and ends before the run: the table that Locust prints at its end also has those of the last seconds",
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
  ["grouped", { grouping: { ids: true, rules: [] } }],
  ["over the limit", { labelsMax: 0 }],
])("names that are %s have no percentiles of one of them", (_, labels) => {
  const names = ["/cart/11", "/cart/12"].map((name, at) => ({
    second: 1,
    name: ["GET", name] as const,
    count: 10,
    maxMs: at === 0 ? 9000 : 20,
  }));
  const source = [HEADER, ...[...names, { second: 1, count: 20, maxMs: 9000 }].map(line), ""];
  const options = { timeZone: "UTC", labels };
  const { reported, windows } = decodeSource(locustHistory, source.join("\n"), [], options);
  expect(windows).toHaveLength(2);
  expect(new Set(windows.map(({ label }) => label)).size).toBe(1);
  expect(reported?.map(({ label, percentiles }) => [label, percentiles.at(-1)])).toEqual([
    [undefined, [1, 9_000_000]],
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

test("a history without totals is refused with the missing columns", () => {
  const source = "Timestamp,User Count,Type,Name,requests\n1,1,,Total,5\n";
  expect(() => decodeSource(locustHistory, source)).toThrow(
    "the header has none of the columns Total Request Count, # requests",
  );
});

// Locust 0.13 and 0.14: other columns, no users, "None" for no type.
test("a history of Locust 0.14 is read", () => {
  const source = `"Type","Name","Timestamp","# requests","# failures","Requests/s","Requests Failed/s","Median response time","Average response time","Min response time","Max response time","Average Content Size","50%","99.999","100%"
"None","Aggregated","1585134213",0,0,0.00,0.00,0,0,0,0.00,0.00,"N/A","N/A","N/A"
"GET","Get 1","1585134215",776,3,0.00,0.00,20,28,11,144.00,3154.00,0,0,0
"None","Aggregated","1585134215",776,3,0.00,0.00,20,28,11,144.00,3154.00,0,0,0
`;
  expect(locustHistory.recognises(Buffer.from(source))).toBe(true);
  const decoded = decodeSource(locustHistory, source);
  expect(windowsOf(decoded)).toEqual([
    ["GET Get 1", 1_585_134_215, 776, 3, 776 * 28_000, 776 * 3154],
  ]);
  expect([decoded.users, decoded.rejections]).toEqual([[], []]);
});

test("a header in quotes, as of Locust 1.0 and 1.1, is recognised", () => {
  const source = `${HEADER.replaceAll(/[^,]+/g, '"$&"')}\n`;
  expect(locustHistory.recognises(Buffer.from(source))).toBe(true);
});

// Locust 1.2.0 to 2.2.1 (PR#1873) with rows per name: percentiles since the start, as their maximum says.
test("percentiles since the start are those of the run, not of the last seconds", () => {
  const { reported } = decode(
    { second: 101, name: CART, count: 2, minMs: 5, maxMs: 74.2, medianMs: 8, mostMs: 74 },
    { second: 101, count: 2, minMs: 5, maxMs: 74.2, medianMs: 8, mostMs: 74 },
    { second: 102, name: CART, count: 4, minMs: 5, maxMs: 402.9, medianMs: 50, mostMs: 400 },
    { second: 102, count: 4, minMs: 5, maxMs: 402.9, medianMs: 50, mostMs: 400 },
  );
  const percentiles = [
    [0, 5000],
    [0.5, 50_000],
    [1, 402_900],
  ];
  expect(reported).toEqual([
    { label: "POST cart", window: undefined, percentiles },
    { label: undefined, window: undefined, percentiles },
  ]);
});

// Locust 1.0 and 1.1 without rows per name: of the last 10 s, and the run has another maximum.
test("percentiles of the last seconds are not those of the run", () => {
  const { reported } = decode(
    { second: 101, count: 2, minMs: 5, maxMs: 402.9, medianMs: 50, mostMs: 400 },
    { second: 112, count: 4, minMs: 5, maxMs: 402.9, medianMs: 8, mostMs: 20 },
  );
  expect(reported?.map(({ window, percentiles }) => [window?.second, percentiles])).toEqual([
    [
      101,
      [
        [0.5, 50_000],
        [1, 400_000],
      ],
    ],
    [
      112,
      [
        [0.5, 8000],
        [1, 20_000],
      ],
    ],
    [
      undefined,
      [
        [0, 5000],
        [1, 402_900],
      ],
    ],
  ]);
});

// locust #254, #1563: rounded percentiles exceed the maximum.
test("percentiles are at most the maximum", () => {
  const { reported } = decode({
    second: 101,
    count: 2,
    minMs: 5,
    maxMs: 467,
    medianMs: 470,
    mostMs: 470,
  });
  expect(reported?.map(({ percentiles }) => percentiles)).toEqual([
    [
      [0, 5000],
      [0.5, 467_000],
      [1, 467_000],
    ],
  ]);
});

test("names that do not add up to the total are stated", () => {
  const { quality, notes } = decode(
    { second: 101, name: CART, count: 5, failed: 1 },
    { second: 101, count: 7, failed: 3 },
  );
  expect(quality?.discrepancies).toEqual([
    { figure: "requests", reported: 7, counted: 5 },
    { figure: "failedRequests", reported: 3, counted: 1 },
  ]);
  expect(notes).toContain("Aggregated counts 7 requests, the names 5");
});

test("a name that is too long is shortened in each row", () => {
  const name = ["GET", "x".repeat(1025)] as const;
  const { windows, rejections, repairs } = decode(
    { second: 101, name, count: 5 },
    { second: 101, count: 5 },
    { second: 102, name, count: 6 },
    { second: 102, count: 6 },
  );
  expect(windows.map(({ label = "" }) => Buffer.byteLength(label))).toEqual([1024, 1024]);
  expect(rejections).toEqual([]);
  expect(repairs?.map((repair) => [repair.kind, repair.line])).toEqual([
    ["label-shortened", 2],
    ["label-shortened", 4],
  ]);
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
