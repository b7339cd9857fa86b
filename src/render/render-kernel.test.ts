import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quotientText } from "./quotient-text.ts";
import { csvRenderer } from "./csv.ts";
import { OutputBuffer } from "./renderer.ts";

const anyInteger = fc.oneof(
  fc.nat(2000),
  fc.nat(2 ** 31 - 1),
  fc.maxSafeNat(),
  fc
    .integer({ min: 0, max: 15 })
    .chain((power) =>
      fc.integer({ min: -2, max: 2 }).map((step) => Math.max(0, 10 ** power + step)),
    ),
);

test("an integer is written as JavaScript writes it", () => {
  fc.assert(
    fc.property(anyInteger, (requests) => {
      expect(cellsOf({ requests }).count).toBe(String(requests));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  [0, 0, "0"],
  [7, 0, "0"],
  [0, 7, "0"],
  [7, 1, "7"],
  [1, 3, "0.333333"],
  [2, 3, "0.666667"],
  [1, 2_000_000, "0.000001"],
  [1, 2_000_001, "0"],
  [3, 2_000_000, "0.000002"],
  [9_999_999, 10_000_000, "1"],
  [19_999_999, 10_000_000, "2"],
  [10, 4, "2.5"],
  [1001, 1000, "1.001"],
  [1_000_100, 1_000_000, "1.0001"],
  [4_000_000_000_000, 3, "1333333333333.333333"],
  [4_000_000_000_001, 3, "1333333333333.666667"],
  [2 ** 53 - 1, 2, "4503599627370495.5"],
  [2 ** 53 - 1, 2 ** 53 - 1, "1"],
  [2 ** 53 - 2, 2 ** 53 - 1, "1"],
])("%d / %d is written as %s", (receivedBytes, requests, text) => {
  expect(cellsOf({ requests, receivedBytes }).size).toBe(text);
  expect(quotientText(BigInt(receivedBytes), BigInt(requests))).toBe(text);
});

test("exactly one half is rounded away from zero, and a little less is not, at any size", () => {
  fc.assert(
    fc.property(fc.nat(999_998), fc.integer({ min: 1, max: 2 ** 31 }), (millionths, scale) => {
      const half = (2 * millionths + 1) * scale;
      const requests = 2_000_000 * scale;
      const [above, below] = [asFraction(millionths + 1), asFraction(millionths)];
      expect(cellsOf({ requests, receivedBytes: half }).size).toBe(above);
      expect(cellsOf({ requests, receivedBytes: half - 1 }).size).toBe(below);
    }),
    { numRuns: 3000 },
  );
});

test("an average of microseconds is the quotient in seconds", () => {
  fc.assert(
    fc.property(anyInteger, anyInteger, (elapsedMicros, requests) => {
      expect(cellsOf({ requests, elapsedMicros }).seconds).toBe(
        quotientText(BigInt(elapsedMicros), BigInt(requests) * 1_000_000n),
      );
    }),
    { numRuns: 3000 },
  );
});

function asFraction(millionths: number): string {
  return (millionths / 1e6).toFixed(6).replace(/\.?0+$/, "");
}

/** The cells of a row of csv. */
function cellsOf({ requests = 1, elapsedMicros = 0, receivedBytes = 0 }) {
  const columns = {
    second: Uint32Array.of(1),
    requests: Float64Array.of(requests),
    elapsedMicros: Float64Array.of(elapsedMicros),
    receivedBytes: Float64Array.of(receivedBytes),
    failedRequests: Float64Array.of(0),
    failedElapsedMicros: Float64Array.of(0),
    failedReceivedBytes: Float64Array.of(0),
  };
  const output = new OutputBuffer();
  const endpoint = { label: "", hash: "", columns, secondsPerPoint: 1 };
  expect([...csvRenderer.render(endpoint, output)]).toEqual([]);
  const { data } = JSON.parse(Buffer.from(output.take()).toString()) as { data: string[][] };
  const [, seconds, count, size] = data[1] ?? [];
  return { seconds, count, size };
}
