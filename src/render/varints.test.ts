import * as fc from "fast-check";
import { expect, test } from "vitest";
import { VarintReader, VarintWriter } from "./report-points.ts";

const whole = fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.constantFrom(0, 127, 128, 2 ** 31));

test("numbers are read back as written", () => {
  fc.assert(
    fc.property(fc.array(whole), fc.array(fc.maxSafeInteger()), (numbers, signed) => {
      const out = new VarintWriter();
      for (const number of numbers) out.write(number);
      for (const number of signed) out.writeSigned(number);
      const bytes = out.take();
      const reader = new VarintReader(bytes);
      expect(numbers.map(() => reader.read())).toEqual(numbers);
      expect(signed.map(() => reader.readSigned() + 0)).toEqual(signed.map((each) => each + 0));
      expect(reader.at).toBe(bytes.length);
    }),
  );
});

test.each([
  [0, [0]],
  [127, [0x7f]],
  [128, [0x80, 0x01]],
  [300, [0xac, 0x02]],
  [2 ** 31, [0x80, 0x80, 0x80, 0x80, 0x08]],
  [Number.MAX_SAFE_INTEGER, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f]],
])("%d is written as LEB128", (number, bytes) => {
  const out = new VarintWriter();
  out.write(number);
  expect([...out.take()]).toEqual(bytes);
});

test("bytes that end within a number are refused", () => {
  expect(() => new VarintReader(Uint8Array.of(0x80)).read()).toThrow(RangeError);
});
