import { expect, test } from "vitest";
import { lastingChangeOf, withoutLevels } from "./compare-noise.ts";

/** Thirty values: 10 inside, 0 outside, each a little off. */
function levels(from: number, until: number): Float64Array {
  return Float64Array.from({ length: 30 }, (_, block) => {
    const level = block >= from && block < until ? 10 : 0;
    return level + (block % 2 === 0 ? 0.5 : -0.5);
  });
}

test.each([
  [12, 30],
  [0, 7],
  [17, 27],
])("a level from block %d to before %d is found and removed without its noise", (from, until) => {
  const values = levels(from, until);
  const change = lastingChangeOf(values, 3);
  // The first blocks on one level are the last ones on the other.
  expect([
    { from, until },
    { from: until % 30, until: from === 0 ? 30 : from },
  ]).toContainEqual(change);
  const left = withoutLevels(values, change ?? { from: 0, until: 0 });
  expect(Math.max(...left.map(Math.abs))).toBeLessThan(0.7);
});

test("a change shorter than requested is ignored", () => {
  expect(lastingChangeOf(levels(12, 14), 3)).toBe(undefined);
  expect(lastingChangeOf(levels(12, 14), 2)).toEqual({ from: 12, until: 14 });
});

test.each([
  ["a drift", (block: number) => block],
  ["a wave", (block: number) => Math.sin(block / 2)],
  ["noise", (block: number) => ((block * 7919) % 30) - 15],
  ["nothing", () => 0],
])("%s does not have two levels", (_, valueAt) => {
  const values = Float64Array.from({ length: 30 }, (__, block) => valueAt(block));
  expect(lastingChangeOf(values, 3)).toBe(undefined);
});

test("too few blocks have no levels", () => {
  expect(lastingChangeOf(levels(9, 19).subarray(0, 19), 3)).toBe(undefined);
});

// Half of the blocks 5 above and half 5 below the average: levels explain 25 / (25 + noise^2) of the squares.
test.each([
  { noise: 2.1, share: 0.85, isFound: true },
  { noise: 2.75, share: 0.77, isFound: false },
])("two levels that explain $share of what differs are found: $isFound", ({ noise, isFound }) => {
  const values = Float64Array.from(
    { length: 32 },
    (_, block) => (block < 16 ? -5 : 5) + (block % 2 === 0 ? noise : -noise),
  );
  expect(lastingChangeOf(values, 3) !== undefined).toBe(isFound);
});
