import * as fc from "fast-check";
import { expect, test } from "vitest";
import { HashSlots } from "./hash-slots.ts";

/** Few values in all bits, so that hashes share places, other bits or both. */
const hashes = fc.array(
  fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fc.tuple(fc.nat(3), fc.nat(3)).map(([high, low]) => (high << 30) | low),
  ),
  { maxLength: 600 },
);

test("every hash finds all its numbers in order, and none that differs above the bits of its place", () => {
  fc.assert(
    fc.property(hashes, hashes, (added, others) => {
      const slots = new HashSlots();
      for (const [number, hash] of added.entries()) expect(slots.add(hash)).toBe(number);
      for (const hash of new Set([...added, ...others])) {
        const numbers = [...added.keys()].filter((number) => added[number] === hash);
        const found: number[] = [];
        for (let at = slots.first(hash); at >= 0; at = slots.next()) found.push(at);
        expect(found.filter((number) => numbers.includes(number))).toEqual(numbers);
        // Others differ only in the bits of their place.
        expect(found.every((number) => ((added[number] as number) ^ hash) >>> 11 === 0)).toBe(true);
      }
    }),
  );
});

test("cleared slots are empty and count from 0", () => {
  const slots = new HashSlots();
  for (let hash = 0; hash < 1000; hash++) slots.add(hash);
  slots.clear();
  expect([slots.count, slots.first(7), slots.add(7), slots.first(7)]).toEqual([0, -1, 0, 0]);
});
