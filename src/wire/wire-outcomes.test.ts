import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pointsOf, samplesArbitrary } from "../../test/support/plain-points.ts";
import { UserError } from "../model/errors.ts";
import type { DataPoints, Outcomes } from "../model/data-points.ts";
import { base64OfOutcomes, outcomesIn } from "./batch.ts";
import { randomCases } from "../../test/support/random-cases.ts";

const [failed, passed] = [true, false].map((each) => (elapsedMicros: number) => ({
  endpoint: 0,
  second: 7,
  elapsedMicros,
  receivedBytes: 0,
  failed: each,
}));
const points = pointsOf(
  [failed?.(100), failed?.(900), passed?.(300)].flatMap((each) => each ?? []),
);

test("outcomes survive a round trip", () => {
  expect(outcomesIn(base64OfOutcomes(outcomesOf(points)), points)).toEqual(points.outcomes);
});

test("two counts without their columns are refused", () => {
  expect(() => outcomesIn(Buffer.alloc(8, 1).toString("base64"), points)).toThrow("whole columns");
});

test.each<[string, (outcomes: Outcomes) => Partial<Outcomes>]>([
  ["a minimum below that of the point", () => ({ passedMinMicros: Float64Array.of(50) })],
  ["a minimum above the maximum", () => ({ passedMinMicros: Float64Array.of(500) })],
  [
    "a histogram of more requests than failed",
    ({ failed: own }) => ({ failed: { ...own, bucketCount: Float64Array.of(1, 2) } }),
  ],
  [
    "a bucket that the point does not have",
    ({ failed: own }) => ({ failed: { ...own, bucket: Uint16Array.of(100, 101) } }),
  ],
  [
    "extremes that are not those of the point",
    ({ failed: own }) => ({ failed: { ...own, minMicros: Float64Array.of(200) } }),
  ],
])("%s is refused", (_, change) => {
  const own = outcomesOf(points);
  const base64 = base64OfOutcomes({ ...own, ...change(own) });
  expect(() => outcomesIn(base64, points)).toThrow("invalid batch");
});

test("any bytes are read or refused", () => {
  fc.assert(
    fc.property(samplesArbitrary, fc.uint8Array({ maxLength: 60 }), (samples, bytes) => {
      expect(["read", "bad-batch"]).toContain(outcomeOf(bytes, pointsOf(samples)));
    }),
    { numRuns: randomCases(2000) },
  );
});

function outcomesOf({ outcomes }: DataPoints): Outcomes {
  if (outcomes === undefined) throw new Error("no outcomes");
  return outcomes;
}

function outcomeOf(bytes: Uint8Array, own: DataPoints): unknown {
  try {
    outcomesIn(Buffer.from(bytes).toString("base64"), own);
    return "read";
  } catch (error) {
    return error instanceof UserError ? error.code : error;
  }
}
