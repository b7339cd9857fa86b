import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, COMPLETE, published, sample } from "../../../test/support/batches.ts";
import type { Extent } from "../../model/source-quality.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { type LoadTestReader, openStoreReader } from "../load-test-reader.ts";
import { checkThresholds } from "../thresholds/check-thresholds.ts";
import type { CheckedLimit } from "./limit.ts";
import { isMistake, parseLimit } from "./parse-limit.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

/** Whole milliseconds up to 50, which their buckets keep exactly. */
interface Request {
  readonly second: number;
  readonly millis: number;
  readonly failed: boolean;
  readonly label?: string;
}

const START = 1_700_000_000;

interface Given {
  /** What the file says of the first and the last second of the run. */
  readonly extent?: Extent;
  /** How long the point at a second is. @default 1 */
  readonly pointSeconds?: (second: number) => number;
  readonly watched?: (reader: LoadTestReader) => LoadTestReader;
}

async function check(
  requests: readonly Request[],
  text: string,
  { pointSeconds, extent, watched = (reader) => reader }: Given = {},
): Promise<CheckedLimit> {
  const samples = requests.map(({ second, millis, failed, label = "a" }) => {
    return { ...sample(label, START + second, millis * 1000), failed };
  });
  const { points, ...batch } = batchOf(samples);
  const windowSeconds =
    pointSeconds && Uint16Array.from(points.second, (at) => pointSeconds(at - START));
  const store = await memoryStoreWith({
    ...batch,
    ...(extent && { visibility: "staged" }),
    points: { ...points, ...(windowSeconds && { windowSeconds }) },
  });
  const source = published(batch.sourceId);
  if (extent) await store.points.publish({ ...source, quality: { ...COMPLETE, extent } });
  const limit = parseLimit(text);
  if (isMistake(limit)) throw new Error(limit.message);
  const whole = { range: undefined, skipStartSeconds: 0, skipEndSeconds: 0 };
  const later = { loadTestId: "run", selection: ALL_ENDPOINTS, ...whole };
  const query = { later, base: undefined, history: undefined, limits: [limit] };
  const checked: CheckedLimit[] = [];
  await checkThresholds(watched(openStoreReader(store)), query, (each) => void checked.push(each));
  return checked[0] as CheckedLimit;
}

/** By definition: the smallest value that at least this share of the requests does not exceed. */
function percentileOf(requests: readonly Request[], percent: number): number {
  const times = requests.map(({ millis }) => millis).toSorted((left, right) => left - right);
  return (times[Math.ceil((percent * times.length) / 100 - 1e-9) - 1] ?? 0) / 1000;
}

const FIGURES: Readonly<Record<string, (requests: readonly Request[], seconds: number) => number>> =
  {
    "errors > 40%": (all) => all.filter(({ failed }) => failed).length / all.length,
    "errors >= 2": (all) => all.filter(({ failed }) => failed).length,
    "requests < 3": (all) => all.length,
    "throughput <= 0.5/s": (all, seconds) => all.length / seconds,
    "p50 > 20ms": (all) => percentileOf(all, 50),
    "p90 > 30ms": (all) => percentileOf(all, 90),
  };

function comparisonOf(text: string): (value: number) => boolean {
  const [, sign, bound = ""] = text.split(" ");
  const limit =
    Number.parseFloat(bound) * (bound.endsWith("%") ? 0.01 : bound.endsWith("ms") ? 0.001 : 1);
  if (sign === ">") return (value) => value > limit;
  if (sign === ">=") return (value) => value >= limit;
  return sign === "<" ? (value) => value < limit : (value) => value <= limit;
}

const request = fc.record({
  second: fc.nat(14),
  millis: fc.integer({ min: 1, max: 50 }),
  failed: fc.boolean(),
});

const cases = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 25 }),
  text: fc.constantFrom(...Object.keys(FIGURES)),
  seconds: fc.integer({ min: 1, max: 6 }),
  after: fc.nat(4),
  fewest: fc.nat(3),
  inARow: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
});

test("a limit is broken by the chosen number of windows in a row, each with the figures of its requests", async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (wanted) => {
      const { requests, text, seconds, after, fewest, inARow } = wanted;
      const seconds0 = requests.map(({ second }) => second);
      const [first, last] = [Math.min(...seconds0), Math.max(...seconds0)];
      const isBeyond = comparisonOf(text);
      const measure = FIGURES[text] as (typeof FIGURES)[string];
      const ownOf = (from: number): readonly Request[] =>
        requests.filter(({ second }) => second >= from && second < from + seconds);
      const isJudged = (from: number): boolean => {
        const { length } = ownOf(from);
        // The first and the last second may be incomplete.
        const cut = /[<]/.test(text) ? 1 : 0;
        const end = last + 1 - cut;
        if (from < first + Math.max(after, cut) || from + seconds > end) return false;
        if (length < fewest) return false;
        return length > 0 || /^(requests|throughput)/.test(text);
      };
      const breaks = (from: number): boolean => {
        return isJudged(from) && isBeyond(measure(ownOf(from), seconds));
      };
      const begins = Array.from({ length: 20 }, (_, at) => at);
      const row = Array.from({ length: inARow ?? 2 }, (_, before) => before * seconds);
      const from = begins.find((at) => row.every((before) => breaks(at - before)));
      const checked = await check(
        requests,
        `${text} over ${seconds}s${inARow === undefined ? "" : ` for ${inARow} windows`} after ${after}s at least ${fewest} requests`,
      );
      expect(checked.outcome === "broken").toBe(from !== undefined);
      const latest = begins.findLast(isJudged) ?? -START;
      const keeps = (begin: number): boolean => isJudged(begin) && !breaks(begin);
      expect(checked.newest?.window.from ?? 0).toBe(START + latest);
      expect(checked.newest?.isBroken === true).toBe(
        row.every((before) => breaks(latest - before)),
      );
      expect(checked.newest?.isKept === true).toBe(row.every((before) => keeps(latest - before)));
      if (from === undefined) return;
      const own = ownOf(from);
      expect(checked.measured).toBeCloseTo(measure(own, seconds), 12);
      expect(checked.window).toEqual({
        from: START + from,
        until: START + from + seconds,
        requests: own.length,
        failedRequests: own.filter(({ failed }) => failed).length,
      });
    }),
    { numRuns: 300 },
  );
});

function everySecond(seconds: number, change: (second: number) => Partial<Request> = () => ({})) {
  return Array.from({ length: seconds }, (_, second) => {
    return { second, millis: 10, failed: false, ...change(second) };
  });
}

test("one bad second breaks nothing", async () => {
  const requests = everySecond(60, (second) => ({ failed: second === 30 }));
  expect(await check(requests, "errors > 5% over 10s")).toMatchObject({
    outcome: "kept",
    measured: 0.1,
    window: { requests: 10, failedRequests: 1 },
  });
});

test("few requests in the first and the last second, which are incomplete, break nothing", async () => {
  // 10 per second, from 0.9 s after a full second until 0.1 s after a later one.
  const requests = Array.from({ length: 12 }, (_, second) =>
    Array.from({ length: second === 0 || second === 11 ? 1 : 10 }, () => {
      return { second, millis: 10, failed: false };
    }),
  ).flat();
  for (const text of ["throughput < 9/s over 6s", "requests <= 50 over 6s"]) {
    expect((await check(requests, text)).outcome).not.toBe("broken");
  }
  expect(await check(requests, "throughput < 9/s over 5s")).toMatchObject({
    outcome: "kept",
    measured: 10,
  });
  expect((await check(requests, "throughput < 11/s over 5s")).outcome).toBe("broken");
});

test("each endpoint is judged by its own windows", async () => {
  const requests = [
    ...everySecond(60),
    ...everySecond(60, (second) => ({ label: "b", failed: second >= 40 })),
  ];
  expect(await check(requests, "a: errors > 5% over 5s")).toMatchObject({ outcome: "kept" });
  expect(await check(requests, "b: errors > 5% over 5s")).toMatchObject({ outcome: "broken" });
  expect(await check(requests, "c: errors > 5% over 5s")).toMatchObject({ outcome: "unmeasured" });
});

test("a run that is shorter than a window, or without one that has enough requests, is not evaluated", async () => {
  const requests = everySecond(20);
  expect((await check(requests, "errors > 5% over 21s")).outcome).toBe("notEvaluated");
  expect((await check(requests, "errors > 5% over 20s")).outcome).toBe("kept");
  const few = "errors > 5% over 10s at least 11 requests";
  expect((await check(requests, few)).outcome).toBe("notEvaluated");
});

test("a window that breaks a limit is not evaluated if the run has none before or after it", async () => {
  const requests = everySecond(45, () => ({ failed: true }));
  expect(await check(requests, "errors > 5% over 30s")).toMatchObject({
    outcome: "notEvaluated",
    measured: 1,
  });
  expect((await check(requests, "errors > 5% over 22s")).outcome).toBe("broken");
});

test("seconds without a request between points of several seconds are empty", async () => {
  const requests = [0, 10, 20, 60, 70].map((second) => {
    return { second, millis: 1, failed: second >= 60 };
  });
  const given = { pointSeconds: () => 10 };
  expect(await check(requests, "requests < 1 over 10s", given)).toMatchObject({
    outcome: "broken",
    window: { from: START + 40, requests: 0, failedRequests: 0 },
  });
  expect((await check(requests, "requests < 1 over 20s", given)).outcome).toBe("kept");
  expect(await check(requests, "errors > 5% over 10s", given)).toMatchObject({
    outcome: "broken",
    window: { from: START + 70, until: START + 80 },
  });
});

test("points of several seconds at the ends of a run are judged, unless few requests break the limit", async () => {
  // Artillery: from second 3 to second 64, in points of ten seconds.
  const requests = [0, 10, 20, 30, 40, 50, 60].flatMap((second) =>
    everySecond(second % 60 === 0 ? 5 : 10, () => ({ failed: second >= 50 })).map((each) => {
      return { ...each, second };
    }),
  );
  const given = { pointSeconds: () => 10, extent: { from: START + 3, until: START + 64 } };
  expect(await check(requests, "errors > 50% over 10s", given)).toMatchObject({
    outcome: "broken",
    window: { from: START + 60, until: START + 70, requests: 5 },
  });
  const few = "throughput < 0.6/s over 10s for 1 windows";
  expect(await check(requests, few, given)).toMatchObject({ outcome: "kept", measured: 1 });
  expect(await check(requests, "errors > 50% over 10s after 30s", given)).toMatchObject({
    outcome: "broken",
  });
});

test("points that no window holds may break a limit", async () => {
  const requests = everySecond(300, (second) => ({ failed: second === 100 })).filter(
    ({ second }) => second <= 100 || second >= 150,
  );
  const given = { pointSeconds: (second: number) => (second === 100 ? 50 : 1) };
  expect((await check(requests, "errors > 10% over 10s", given)).outcome).toBe("notEvaluated");
  expect((await check(requests, "errors > 10% over 60s", given)).outcome).toBe("kept");
});

test("judging days of windows leaves turns to others", async () => {
  const requests = [0, 500_000].map((second) => ({ second, millis: 1, failed: false }));
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  const checking = check(requests, "requests > 2 over 1s");
  count();
  expect((await checking).outcome).toBe("kept");
  isDone = true;
  expect(turns).toBeGreaterThan(20);
});

test("of many endpoints in a long run, windows are read of a few at a time", async () => {
  const requests = Array.from({ length: 60 }, (_, at) => [at, at + 40_000]).flatMap((seconds, at) =>
    seconds.map((second) => ({ second, millis: 1, failed: true, label: `label ${at}` })),
  );
  const asked: number[] = [];
  const watched = (reader: LoadTestReader): LoadTestReader => ({
    ...reader,
    windows(query) {
      const { selection, range = { from: START, until: START + 40_060 } } = query;
      const labels = selection.by === "hashes" ? selection.hashes.length : 1;
      asked.push(labels * (range.until - range.from));
      return reader.windows(query);
    },
  });
  await check(requests, "each: errors > 5% over 1s", { watched });
  expect(Math.max(...asked)).toBeLessThan(600_000);
});
