import * as fc from "fast-check";
import { expect, test } from "vitest";
import { groupRows } from "./row-groups.ts";

const entry = fc.oneof(fc.nat(3), fc.nat(5000), fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 - 1 }));

/** Enough rows for both ways of sorting. */
const rows = fc.oneof(
  fc.array(fc.tuple(entry, entry), { maxLength: 20 }),
  fc.array(fc.tuple(entry, entry), { minLength: 250, maxLength: 400 }),
);

test("rows are grouped by their keys, in order, whatever order they had", () => {
  fc.assert(
    fc.property(rows, (pairs) => {
      const [left, right] = [0, 1].map((key) => Uint32Array.from(pairs, (pair) => pair[key] ?? 0));
      const groups = groupRows([left as Uint32Array, right as Uint32Array]);
      const numbers = Float64Array.from(pairs.keys());
      const expected = [...Map.groupBy(pairs.keys(), (row) => pairs[row]?.join()).values()]
        .map((own) => ({ pair: pairs[own[0] ?? 0] ?? [0, 0], sum: own.reduce((a, b) => a + b, 0) }))
        .toSorted((a, b) => a.pair[0] - b.pair[0] || a.pair[1] - b.pair[1]);
      expect([...groups.first(left as Uint32Array)]).toEqual(expected.map(({ pair }) => pair[0]));
      expect([...groups.first(right as Uint32Array)]).toEqual(expected.map(({ pair }) => pair[1]));
      expect([...groups.reduce(numbers, (a, b) => a + b)]).toEqual(expected.map(({ sum }) => sum));
    }),
    { numRuns: 60 },
  );
});

test("equal rows are combined in the order they had", () => {
  const key = Uint32Array.from({ length: 300 }, (_, row) => (row % 2 === 0 ? 7 : 1_000_000 - row));
  const numbers = Float64Array.from(key.keys());
  const last = groupRows([key]).reduce(numbers, (_, right) => right);
  expect(last[0]).toBe(298);
});

// From 256 rows on they are sorted digit by digit, of 11 bits each, above the least key.
test.each([
  { keys: "the first row holds the largest key", first: 9_000_000, rest: 7 },
  { keys: "the first row holds the least key", first: 7, rest: 9_000_000 },
  { keys: "the range needs one bit of the second digit", first: 3007, rest: 7 },
  { keys: "the range fits one digit exactly", first: 2054, rest: 7 },
  { keys: "the range needs all three digits", first: 0xffff_ffff, rest: 0 },
])("hundreds of rows are sorted where $keys", ({ first, rest }) => {
  const key = Uint32Array.from({ length: 300 }, (_, row) => {
    if (row === 0) return first;
    return first > rest ? rest + (299 - row) : rest - row;
  });
  const wanted = [...key].toSorted((left, right) => left - right);
  expect([...groupRows([key]).first(key)]).toEqual(wanted);
});

test("no rows make no groups", () => {
  const none = new Uint32Array(0);
  expect([...groupRows([none]).first(none)]).toEqual([]);
  expect([...groupRows([]).first(none)]).toEqual([]);
});
