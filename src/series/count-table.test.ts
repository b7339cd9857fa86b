import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectedSeries, sample } from "../../test/support/batches.ts";
import { CountTable, tablesOf } from "./count-table.ts";
import { spanOf } from "../model/columns.ts";

const samples = fc.array(
  fc.record({
    label: fc.constant("a"),
    second: fc.integer({ min: 100, max: 120 }),
    elapsedMicros: fc.oneof(fc.nat(300), fc.integer({ min: 4900, max: 5100 }), fc.nat(10_000_000)),
    receivedBytes: fc.constant(0),
    failed: fc.constant(false),
  }),
  { minLength: 1, maxLength: 80 },
);

test("any span gives its counted requests, also in a slice of a series and a slice of that", () => {
  const edge = fc.integer({ min: 95, max: 125 });
  fc.assert(
    fc.property(
      samples,
      edge,
      edge,
      // Ratios of integers: one double above a half, "the first of two" and "the second" are the same quantile.
      fc.nat(10_000),
      (all, one, other, tenThousandths) => {
        const [[, series] = []] = expectedSeries(all);
        if (series === undefined) throw new Error("no series");
        const span = { from: Math.min(one, other), until: Math.max(one, other) };
        const own = all.filter(({ second }) => second >= span.from && second < span.until);
        const times = own.map(({ elapsedMicros }) => elapsedMicros);
        const around = spanOf(series, { from: span.from - 3, until: span.until + 3 });
        for (const part of [series, spanOf(series, span), spanOf(around, span)]) {
          const table = new CountTable(part);
          expect(table.requests(span)).toBe(own.length);
          // The column of 5,000 has the buckets that begin from 4,992 to 5,055; the last one is 5,055 to 5,064.
          const above = times.filter((micros) => micros >= 5065).length;
          expect(table.requestsAbove(span, 5000)).toBe(above);
          const seconds = own.map(({ second }) => second);
          const covered = own.length === 0 ? 0 : Math.max(...seconds) + 1 - Math.min(...seconds);
          expect(table.coveredSeconds(span)).toBe(covered);
          if (own.length === 0) continue;
          const rank = Math.max(1, Math.ceil((tenThousandths * times.length) / 10_000));
          const exact = times.toSorted((left, right) => left - right)[rank - 1] as number;
          const found = table.quantileMicros(span, tenThousandths / 10_000);
          // Half a column is 1/128; a bucket that begins in a column may end 0.1 % beyond it.
          expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.009);
        }
      },
    ),
  );
});

test("the parts of a long series hold each second once, with all points within its reach", () => {
  const seconds = Array.from({ length: 2500 }, (_, index) => 10_000 + 2 * index);
  const all = seconds.map((second) => sample("a", second));
  const [[, series] = []] = expectedSeries(all);
  if (series === undefined) throw new Error("no series");
  const seen: number[] = [];
  for (const part of tablesOf(series, 10)) {
    seen.push(...part.seconds);
    for (const second of part.seconds) {
      const span = { from: second - 10, until: second + 10 };
      const near = seconds.filter((each) => each >= span.from && each < span.until);
      expect(part.table.requests(span)).toBe(near.length);
    }
  }
  expect(seen).toEqual(seconds);
});
