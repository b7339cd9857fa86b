import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plainBucket } from "../../../test/support/plain-measures.ts";
import { VALUE_BUCKETS, valueBucketMiddle, valueBucketOf, ZERO_BUCKET } from "./value-buckets.ts";

const value = fc.double({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1, noNaN: true });

test("the bucket is that of the definition, and fits its range", () => {
  fc.assert(
    fc.property(value, (each) => {
      const bucket = valueBucketOf(each);
      expect(bucket).toBe(plainBucket(each));
      expect(bucket).toBeGreaterThanOrEqual(0);
      expect(bucket).toBeLessThan(VALUE_BUCKETS);
    }),
  );
});

test("the middle of a bucket is within 1/128 of each of its values", () => {
  fc.assert(
    fc.property(value, (each) => {
      const middle = valueBucketMiddle(valueBucketOf(each));
      const distance = Math.abs(middle - each);
      expect(distance).toBeLessThanOrEqual(Math.max(2 ** -30, Math.abs(each) / 128));
    }),
  );
});

test.each([
  [0, ZERO_BUCKET],
  [-0, ZERO_BUCKET],
  [2 ** -31, ZERO_BUCKET],
  [2 ** -30, ZERO_BUCKET + 1],
  [-(2 ** -30), ZERO_BUCKET - 1],
  [2 ** 53 - 1, VALUE_BUCKETS - 1],
  [-(2 ** 53) + 1, 0],
])("%s is in bucket %i", (each, bucket) => {
  expect(valueBucketOf(each)).toBe(bucket);
});
