import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CumulativeSeries } from "./cumulative.ts";
import type { ExponentialBuckets, MetricPoint } from "./metric-points.ts";

const SECOND = 1_000_000_000n;

function pointAt(timeNanos: bigint, name = "a"): MetricPoint {
  return {
    origin: { service: "s", scope: "", tags: [], process: "p" },
    name,
    unit: "",
    tags: [],
    startNanos: 5n * SECOND,
    timeNanos,
    isCumulative: true,
    data: { kind: "gauge", value: 0 },
  };
}

const bucketsOf = (index: number, count: number): ExponentialBuckets => ({
  scale: 3,
  zeroCount: count,
  positive: new Map([[index, count]]),
  negative: new Map([[-index, 1]]),
});

test("another process goes on with all that is known of totals", () => {
  const first = new CumulativeSeries(false);
  first.advance(pointAt(9n * SECOND), { count: 3, sum: 4.5, buckets: bucketsOf(7, 3) }, false);
  first.advance(pointAt(9n * SECOND, "b"), { count: 1, sum: undefined, buckets: undefined }, false);
  first.advance(pointAt(9n * SECOND, "c"), { count: 0, sum: Infinity, buckets: undefined }, false);
  const next = CumulativeSeries.read(first.write());
  const now = { count: 5, sum: 6, buckets: bucketsOf(7, 5) };
  expect(next?.advance(pointAt(9n * SECOND), now, false)).toBe("repeated");
  expect(next?.advance(pointAt(10n * SECOND), now, false)).toEqual({
    count: 2,
    sum: 1.5,
    buckets: { scale: 3, zeroCount: 2, positive: new Map([[7, 2]]), negative: new Map() },
    sinceNanos: 9n * SECOND,
  });
  for (const name of ["b", "c"]) {
    const increase = next?.advance(
      pointAt(10n * SECOND, name),
      { ...now, buckets: undefined },
      false,
    );
    expect(increase).toMatchObject({ sum: undefined, sinceNanos: 9n * SECOND });
  }
  // It started after everything that is known, and is counted from its start.
  const late = { ...pointAt(11n * SECOND, "d"), startNanos: 10n * SECOND };
  expect(next?.advance(late, now, false)).toMatchObject({ count: 5, sinceNanos: 10n * SECOND });
  // Its process has exported before, without it.
  const own = { count: 5, sinceNanos: 10n * SECOND };
  expect(next?.advance(pointAt(11n * SECOND, "e"), now, false)).toMatchObject(own);
  const other = { ...pointAt(11n * SECOND, "e"), startNanos: 6n * SECOND };
  expect(next?.advance(other, now, false)).toBe("first");
});

test("of processes with equal attributes each counts to the end, whenever it starts", () => {
  const process = fc.record({
    startsAfter: fc.integer({ min: 0, max: 20 }),
    exportsEvery: fc.constantFrom(2n, 60n),
    added: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 8 }),
  });
  fc.assert(
    fc.property(fc.array(process, { minLength: 1, maxLength: 25 }), (processes) => {
      let startSecond = 1;
      const exports = processes.flatMap(({ startsAfter, exportsEvery, added }, index) => {
        startSecond += startsAfter;
        const startNanos = BigInt(startSecond) * SECOND + BigInt(index) * 7_000_000n;
        let sum = 0;
        return added.map((value, each) => {
          sum += value;
          return {
            sum,
            startNanos,
            timeNanos: startNanos + BigInt(each + 1) * exportsEvery * SECOND,
          };
        });
      });
      const inOrder = exports.toSorted((left, right) =>
        left.timeNanos < right.timeNanos ? -1 : 1,
      );
      let [series, got] = [new CumulativeSeries(true), 0];
      for (const { sum, startNanos, timeNanos } of inOrder) {
        series = series.next();
        const point = { ...pointAt(timeNanos), startNanos };
        const increase = series.advance(point, { count: 0, sum, buckets: undefined }, true);
        got += typeof increase === "string" ? Number.NaN : (increase.sum ?? Number.NaN);
      }
      const want = processes.flatMap(({ added }) => added).reduce((sum, value) => sum + value, 0);
      expect(got).toBe(want);
    }),
    { numRuns: 300 },
  );
});

test("processes without number are remembered in bounded memory", () => {
  let series = new CumulativeSeries(false);
  for (let body = 0; body < 4; body++) {
    series = series.next();
    for (let each = 0; each < 5000; each++) {
      const point = pointAt(9n * SECOND);
      const origin = { ...point.origin, process: `${body} ${each}` };
      series.advance({ ...point, origin }, { count: 0, sum: 1, buckets: undefined }, false);
    }
  }
  expect(series.write().length).toBeLessThan(3_500_000);
});

test("of many series, those that are gone make room", () => {
  let series = new CumulativeSeries(false);
  const sum = { count: 0, sum: 1, buckets: undefined };
  for (let body = 0n; body < 30n; body++) {
    for (let each = 0; each < 900; each++) {
      const point = pointAt((1n + body * 1800n) * SECOND, `${body} ${each}`);
      expect(series.advance({ ...point, startNanos: 0n }, sum, false)).toBe("first");
    }
    series = series.next();
    const again = pointAt((2n + body * 1800n) * SECOND, `${body} 899`);
    expect(series.advance({ ...again, startNanos: 0n }, sum, false)).toMatchObject({ sum: 0 });
    series = series.next();
  }
});

const wide = (count: number): ExponentialBuckets => ({
  scale: 3,
  zeroCount: 0,
  positive: new Map(Array.from({ length: 10_000 }, (_, index) => [index, count])),
  negative: new Map(),
});

test("of 200,000 buckets in all, others are forgotten, but not what was counted", () => {
  const first = new CumulativeSeries(false);
  for (let each = 0; each < 30; each++) {
    const totals = { count: 10_000, sum: 1, buckets: wide(1) };
    first.advance(pointAt(9n * SECOND, `wide ${each}`), totals, false);
  }
  expect(first.bytes).toBeLessThan(12e6);
  expect(first.write().length).toBeLessThan(4e6);
  const next = first.next();
  const later = { count: 20_000, sum: 3, buckets: wide(2) };
  const grown = { count: 10_000, sum: 2, sinceNanos: 9n * SECOND };
  expect(next.advance(pointAt(10n * SECOND, "wide 0"), later, false)).toEqual({
    ...grown,
    buckets: wide(1),
  });
  expect(next.advance(pointAt(10n * SECOND, "wide 29"), later, false)).toEqual({
    ...grown,
    buckets: undefined,
  });
});

test("buckets that moved into the zero bucket, which widened, are no new beginning", () => {
  const series = new CumulativeSeries(false);
  const before = { ...bucketsOf(7, 10), zeroCount: 0, negative: new Map() };
  series.advance(pointAt(9n * SECOND), { count: 10, sum: 1, buckets: before }, false);
  const now = { scale: 3, zeroCount: 12, positive: new Map(), negative: new Map() };
  const increase = series.advance(
    pointAt(10n * SECOND),
    { count: 12, sum: 3, buckets: now },
    false,
  );
  expect(increase).toMatchObject({ count: 2, sum: 2 });
});
