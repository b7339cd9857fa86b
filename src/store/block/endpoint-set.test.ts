import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeEndpointSet, numbersIn, setHas, sizeOfSet, uniteSets } from "./endpoint-set.ts";

const numbers = fc
  .uniqueArray(fc.oneof(fc.nat(40), fc.nat(2 ** 21)), { maxLength: 40 })
  .map((set) => set.toSorted((left, right) => left - right));

test("a set holds each added number once", () => {
  fc.assert(
    fc.property(numbers, fc.nat(40), (ascending, other) => {
      const set = encodeEndpointSet(ascending.flatMap((number) => [number, number]));
      expect([...numbersIn(set)]).toEqual(ascending);
      expect(sizeOfSet(set)).toBe(ascending.length);
      expect(setHas(set, other)).toBe(ascending.includes(other));
    }),
  );
});

test("a union holds the numbers of all its sets", () => {
  fc.assert(
    fc.property(fc.array(numbers, { maxLength: 5 }), (lists) => {
      const all = new Set(lists.flat());
      const united = uniteSets(lists.map((list) => encodeEndpointSet(list)));
      expect([...numbersIn(united)]).toEqual([...all].toSorted((left, right) => left - right));
      expect(united).toEqual(encodeEndpointSet(numbersIn(united)));
    }),
  );
});

test("any number of consecutive endpoints takes three bytes", () => {
  const thousand = Array.from({ length: 1000 }, (_, number) => number);
  expect(encodeEndpointSet(thousand)).toHaveLength(3);
});
