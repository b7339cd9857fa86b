import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashOf, KnownEndpoints } from "./known-endpoints.ts";

function knowing(labels: readonly string[]): KnownEndpoints {
  const known = new KnownEndpoints(() => []);
  known.remember(labels.map((label, number) => ({ number, label })));
  return known;
}

test("labels have the numbers that a Map returns, however many there are", () => {
  const label = fc.oneof(fc.string({ maxLength: 3 }), fc.nat(2000).map(String));
  fc.assert(
    fc.property(fc.uniqueArray(label, { maxLength: 600 }), fc.array(label), (labels, others) => {
      const known = knowing(labels);
      const numbers = new Map(labels.map((each, number) => [each, number]));
      for (const each of [...labels, ...others]) {
        expect(known.numberOf(each)).toBe(numbers.get(each));
      }
      expect(known.labels).toEqual(labels);
    }),
  );
});

test("labels with the same hash are distinct", () => {
  const labels = Array.from({ length: 200_000 }, (_, number) => `/${(number * 7919).toString(36)}`);
  const known = knowing(labels);
  expect(labels.every((label, number) => known.numberOf(label) === number)).toBe(true);
});

test("a missing number is damage, as later labels would get the numbers before theirs", () => {
  const rows = [0, 1, 3].map((number) => ({ number, label: `/${number}` }));
  const known = new KnownEndpoints((after = -1) => rows.filter(({ number }) => number > after));
  expect(() => known.catchUp()).toThrow(expect.objectContaining({ code: "damaged-store" }));
  expect(known.numberOf("/3")).toBeUndefined();
});

test("labels that had one hash, with the numbers that everybody knew, do not have one", () => {
  const pairs = [
    ["/m82caa", "/dqa0aa"],
    ["/m02caa", "/dya0aa"],
    ["/qz0eaa", "/z1e0aa"],
    ["/qx0eaa", "/z3e0aa"],
  ] as const;
  const isOne = ([one, other]: (typeof pairs)[number]) => hashOf(one) === hashOf(other);
  expect(pairs.filter(isOne)).toEqual([]);
});
