import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type PlainSample, pointsOf } from "../../../test/support/plain-points.ts";
import { addSeries, addSums } from "./add-series.ts";

const sample = fc.record({
  endpoint: fc.constant(0),
  second: fc.integer({ min: 1.7e9, max: 1.7e9 + 9 }),
  elapsedMicros: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 ** 40 })),
  receivedBytes: fc.nat(9),
  failed: fc.boolean(),
});
const part = fc.array(sample, { minLength: 3, maxLength: 60 });

test("series of neighbouring seconds add to what all their samples make", () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (split: PlainSample[][]) => {
      const { endpoint: _, outcomes: __, ...series } = pointsOf(split.flat());
      const parts = split.map((samples) => pointsOf(samples));
      expect(addSeries(parts)).toEqual(series);
      expect(series).toMatchObject(addSums(parts) ?? {});
    }),
  );
});

test("a sum beyond 2^53 - 1 is refused", () => {
  const one = pointsOf([
    { endpoint: 0, second: 7, elapsedMicros: 1, receivedBytes: 1, failed: false },
  ]);
  const most = { ...one, elapsedMicros: Float64Array.of(Number.MAX_SAFE_INTEGER) };
  expect(() => addSums([most, one])).toThrow("9007199254740991 + 1 exceeds 2^53 - 1");
});

test("seconds far apart are left to others", () => {
  const [early, late] = [7, 1.7e9].map((second) =>
    pointsOf([{ endpoint: 0, second, elapsedMicros: 1, receivedBytes: 1, failed: false }]),
  );
  expect(addSums([early, late].flatMap((each) => each ?? []))).toBeUndefined();
});
