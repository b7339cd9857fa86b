import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readScaled, readWhole } from "./exact-number.ts";

const encoder = new TextEncoder();

function scaled(text: string, scale: number): number | undefined {
  const bytes = encoder.encode(`7${text}7`);
  return readScaled(bytes, 1, bytes.length - 1, scale);
}

function whole(text: string): number | undefined {
  const bytes = encoder.encode(`7${text}7`);
  return readWhole(bytes, 1, bytes.length - 1);
}

test.each([
  ["0", 0],
  ["12", 12_000],
  ["12.3", 12_300],
  ["0.0004", 0],
  ["0.0005", 1],
  ["1.23449999", 1_234],
  ["0.1", 100],
  ["1.005", 1_005],
  ["9007199254740.991", Number.MAX_SAFE_INTEGER],
  ["9007199254740.9914", Number.MAX_SAFE_INTEGER],
  ["9007199254740.9915", undefined],
  ["9007199254741", undefined],
  ["99999999999999999999", undefined],
  ["", undefined],
  [".", undefined],
  ["1.", undefined],
  [".5", undefined],
  ["1.2.3", undefined],
  ["-1", undefined],
  ["+1", undefined],
  ["1e3", undefined],
  ["1,5", undefined],
  [" 1", undefined],
  ["١", undefined],
])("%j milliseconds are %j microseconds", (text, micros) => {
  expect(scaled(text, 3)).toBe(micros);
});

test.each([
  ["12", 12],
  ["12.000", 12],
  ["12.5", undefined],
  ["12.", undefined],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["9007199254740992", undefined],
  ["9007199254740993", undefined],
  ["", undefined],
  ["12x", undefined],
  ["true", undefined],
])("%j as a whole number is %j", (text, value) => {
  expect(whole(text)).toBe(value);
});

test("any decimal is scaled as by exact arithmetic", () => {
  const digits = fc.stringMatching(/^\d{1,14}$/);
  fc.assert(
    fc.property(digits, digits, fc.integer({ min: 0, max: 6 }), (integer, fraction, scale) => {
      const kept = BigInt(integer + fraction.padEnd(scale, "0").slice(0, scale));
      const exact = kept + ((fraction[scale] ?? "0") >= "5" ? 1n : 0n);
      const fits = exact <= BigInt(Number.MAX_SAFE_INTEGER);
      expect(scaled(`${integer}.${fraction}`, scale)).toBe(fits ? Number(exact) : undefined);
    }),
  );
});
