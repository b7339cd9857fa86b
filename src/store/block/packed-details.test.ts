import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { columnsOf } from "../../model/reported-percentiles.ts";
import { packPercentiles, unpackPercentiles } from "./packed-details.ts";

test("every flipped bit of packed percentiles that changes a value is detected", () => {
  const reported = columnsOf(
    [1, 2, 3].map((second) => ({
      endpoint: 0,
      second,
      windowSeconds: 1,
      quantile: 950_000,
      micros: 1_234_567 * second,
    })),
  );
  const packed = packPercentiles(reported);
  expect(unpackPercentiles(packed)).toEqual(reported);
  const misread = Array.from({ length: 8 * packed.length }, (_, bit) => {
    const damaged = Uint8Array.from(packed);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return unpackPercentiles(damaged);
  }).filter((found) => found !== undefined && !isDeepStrictEqual(found, reported));
  expect(misread).toEqual([]);
});
