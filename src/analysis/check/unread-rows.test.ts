import * as fc from "fast-check";
import { expect, test } from "vitest";
import { batchOf, sample } from "../../../test/support/batches.ts";
import type { RowQuality } from "../../model/quality/row-quality.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import { openStoreReader } from "../load-test-reader.ts";
import type { Limit } from "./limit.ts";
import { isMistake, parseLimit } from "./parse-limit.ts";
import { readBounds } from "./unread-rows.ts";
import { memoryStoreWith } from "../../../test/support/stored-runs.ts";

/** A request of a second with whole milliseconds up to 50, which their buckets keep exactly. */
interface Request {
  readonly millis: number;
  readonly failed: boolean;
}

function limitOf(text: string): Limit {
  const limit = parseLimit(text);
  if (isMistake(limit)) throw new Error(limit.message);
  return limit;
}

async function boundsOf(requests: readonly Request[], quality: RowQuality, limit: Limit) {
  const samples = requests.map(({ millis, failed }) => {
    return { ...sample("a", 1_700_000_000, millis * 1000), failed };
  });
  const store = await memoryStoreWith({ ...batchOf(samples), quality });
  const whole = { range: undefined, skipStartSeconds: 0, skipEndSeconds: 0 };
  const query = { loadTestId: "run", selection: ALL_ENDPOINTS, apdexMicros: undefined, ...whole };
  const reader = openStoreReader(store);
  return (
    await readBounds(await reader.summarise(query), [limit], (more) =>
      reader.summarise({ ...query, ...more }),
    )
  )(limit);
}

/** By definition: the smallest value that at least this share of the requests does not exceed. */
function percentileOf(requests: readonly Request[], percent: number): number {
  const times = requests.map(({ millis }) => millis).toSorted((left, right) => left - right);
  return (
    (times[Math.max(1, Math.ceil((percent * times.length) / 100 - 1e-9)) - 1] as number) / 1000
  );
}

const FIGURES: Readonly<Record<string, (requests: readonly Request[]) => number>> = {
  "errors > 1%": (all) => all.filter(({ failed }) => failed).length / all.length,
  "errors > 1": (all) => all.filter(({ failed }) => failed).length,
  "requests < 1": (all) => all.length,
  "throughput < 1/s": (all) => all.length,
  "avg > 1ms": (all) => all.reduce((sum, { millis }) => sum + millis, 0) / all.length / 1000,
  "max > 1ms": (all) => Math.max(...all.map(({ millis }) => millis)) / 1000,
  "min > 1ms": (all) => Math.min(...all.map(({ millis }) => millis)) / 1000,
  "p50 > 1ms": (all) => percentileOf(all, 50),
  "p95 > 1ms": (all) => percentileOf(all, 95),
  "p12.5 > 1ms": (all) => percentileOf(all, 12.5),
};

const request = fc.record({ millis: fc.integer({ min: 1, max: 50 }), failed: fc.boolean() });

test.each(Object.entries(FIGURES))(
  "%s: whatever the rejected rows were, the figure is within its bounds",
  async (text, figureOf) => {
    const limit = limitOf(text);
    const rejected = fc.array(fc.oneof(request, fc.constantFrom({ millis: 0, failed: true })), {
      minLength: 1,
      maxLength: 6,
    });
    const known = fc.array(request, { minLength: 1, maxLength: 30 });
    const property = fc.asyncProperty(known, rejected, async (read, unread) => {
      const bounds = await boundsOf(read, { rejectedRows: unread.length }, limit);
      const [least, most] = bounds ?? [Number.NaN, Number.NaN];
      const figure = figureOf([...read, ...unread]);
      expect(figure).toBeGreaterThanOrEqual(least - 1e-6);
      expect(figure).toBeLessThanOrEqual(most + 1e-6);
    });
    await fc.assert(property, { numRuns: 60 });
  },
);

/** 90 requests of 10 ms and 10 of 40 ms, 5 of them failed. */
const HUNDRED = Array.from({ length: 100 }, (_, index) => {
  return { millis: index < 90 ? 10 : 40, failed: index % 20 === 0 };
});

test.each<[string, RowQuality, readonly [number, number] | undefined]>([
  ["p95 > 1ms", { rejectedRows: 0 }, undefined],
  // Of 110 requests the 99th: with ten slow rows the 99th of these, with ten fast ones the 89th.
  ["p90 > 1ms", { rejectedRows: 10 }, [0.01, 0.04]],
  ["p99 > 1ms", { rejectedRows: 10 }, [0.04, Infinity]],
  ["p1 > 1ms", { rejectedRows: 10 }, [0, 0.01]],
  ["errors > 1%", { rejectedRows: 10 }, [5 / 110, 15 / 110]],
  ["avg > 1ms", { rejectedRows: 10 }, [1.3 / 110, Infinity]],
  ["requests < 1", { rejectedRows: 10 }, [100, 110]],
  ["requests < 1", difference("requests", 90), [90, 100]],
  ["requests < 1", difference("requests", 120), [100, 120]],
  ["errors > 1%", difference("failedRequests", 8), [0.05, 0.08]],
  ["errors > 1%", difference("failedRequests", 1), [0.01, 0.05]],
  ["errors > 1%", difference("requests", 90), [0, 5 / 90]],
  // Up to 10 were counted twice.
  ["requests < 1", repeats(10), [90, 100]],
  ["errors > 1%", repeats(10), [0, 5 / 90]],
  ["p90 > 1ms", repeats(10), [0.01, 0.04]],
])("%s with %j lies within %j", async (text, quality, bounds) => {
  const found = await boundsOf(HUNDRED, quality, limitOf(text));
  expect(found?.map((bound) => Number(bound.toFixed(6)))).toEqual(
    bounds?.map((bound) => Number(bound.toFixed(6))),
  );
});

function difference(figure: "requests" | "failedRequests", reported: number): RowQuality {
  const counted = figure === "requests" ? 100 : 5;
  return { rejectedRows: 0, discrepancies: [{ figure, reported, counted }] };
}

function repeats(rows: number): RowQuality {
  return { rejectedRows: 0, repairedRows: { "repeats-unknown": rows } };
}

test("a share of rows that is allowed counts as if there were none", async () => {
  const limit = limitOf("errors > 1%");
  const quality = { rejectedRows: 10 };
  expect(await boundsOf(HUNDRED, quality, { ...limit, allowRejected: 10 / 110 })).toBeUndefined();
  expect(await boundsOf(HUNDRED, quality, { ...limit, allowRejected: 0.09 })).toBeDefined();
});
