import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Duration, readDuration } from "./k6-metrics.ts";

function read(text: string): Duration | undefined {
  const into: Duration = { micros: 0, nanos: 0 };
  const bytes = Buffer.from(`1,${text},1`);
  return readDuration(bytes, 2, bytes.length - 2, into) ? into : undefined;
}

test.each([
  ["0", 0, 0],
  ["0.000000", 0, 0],
  ["25.502433", 25_502, 25_502_433],
  ["0.000499", 0, 499],
  ["0.000500", 1, 500],
  ["0.0005", 1, 500],
  ["0.0004999999", 0, 500],
  ["0.0000000001", 0, 1],
  ["1.0000000000", 1000, 1_000_000],
  ["007.5", 7500, 7_500_000],
  ["9007199254.740991", 9_007_199_254_741, 9_007_199_254_740_991],
])("%s milliseconds are read exactly", (text, micros, nanos) => {
  expect(read(text)).toEqual({ micros, nanos });
});

test.each([
  "",
  ".5",
  "5.",
  "1.2.3",
  "-1",
  "+1",
  "1e3",
  "1,5",
  " 1",
  "NaN",
  "0x1",
  "9007199254.740992",
  "9007199254.7409910001",
  "9".repeat(400),
])("%j is not a k6 duration", (text) => {
  expect(read(text)).toBeUndefined();
});

test("digits are rounded as decimals, never as a binary fraction", () => {
  const digits = fc.stringMatching(/^\d{0,12}$/);
  fc.assert(
    fc.property(fc.nat(10 ** 9), digits, (whole, fraction) => {
      const scale = 10n ** BigInt(fraction.length);
      const value = BigInt(whole) * scale + BigInt(fraction === "" ? 0 : fraction);
      expect(read(fraction === "" ? `${whole}` : `${whole}.${fraction}`)).toEqual({
        micros: Number((value * 2000n + scale) / (2n * scale)),
        nanos: Number((value * 1_000_000n + scale - 1n) / scale),
      });
    }),
    { numRuns: 1000 },
  );
});
