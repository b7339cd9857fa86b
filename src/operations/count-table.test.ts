import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectedSeries } from "../../test/support/batches.ts";
import { exactPercentile } from "../../test/support/exact-percentile.ts";
import { bucketOf } from "../model/histogram.ts";
import { CountTable } from "./count-table.ts";
import { spanOf } from "./series-span.ts";

const samples = fc.array(
  fc.record({
    label: fc.constant("a"),
    second: fc.integer({ min: 100, max: 120 }),
    elapsedMicros: fc.oneof(fc.nat(300), fc.nat(10_000_000)),
    receivedBytes: fc.constant(0),
    failed: fc.constant(false),
  }),
  { minLength: 1, maxLength: 80 },
);

test("any span is answered as its requests are counted, also of a part of a series", () => {
  const edge = fc.integer({ min: 95, max: 125 });
  fc.assert(
    fc.property(
      samples,
      edge,
      edge,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (all, one, other, q) => {
        const [[, series] = []] = expectedSeries(all);
        if (series === undefined) throw new Error("no series");
        const span = { from: Math.min(one, other), until: Math.max(one, other) };
        const own = all.filter(({ second }) => second >= span.from && second < span.until);
        const times = own.map(({ elapsedMicros }) => elapsedMicros);
        for (const table of [new CountTable(series), new CountTable(spanOf(series, span))]) {
          expect(table.requests(span)).toBe(own.length);
          const above = times.filter((micros) => bucketOf(micros) > bucketOf(5000)).length;
          expect(table.requestsAbove(span, bucketOf(5000))).toBe(above);
          const seconds = own.map(({ second }) => second);
          const covered = own.length === 0 ? 0 : Math.max(...seconds) + 1 - Math.min(...seconds);
          expect(table.coveredSeconds(span)).toBe(covered);
          if (own.length === 0) continue;
          const exact = exactPercentile(times, q * 100);
          expect(Math.abs(table.quantileMicros(span, q) - exact)).toBeLessThanOrEqual(
            exact * 0.008,
          );
        }
      },
    ),
  );
});
