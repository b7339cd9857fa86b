import { expect, test } from "vitest";
import { inOrder, ticksIn, toggled } from "./ticks.ts";

test.each([
  [undefined, []],
  ["", []],
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  ["a,a,,b,c", ["a", "b"]],
])("the address %j has the ticks %j", (text, ticks) => {
  expect(ticksIn(text)).toEqual(ticks);
});

test.each([
  [[], "a", ["a"]],
  [["a"], "b", ["a", "b"]],
  [["a", "b"], "c", ["b", "c"]],
  [["a", "b"], "a", ["b"]],
])("to the ticks %j one more of %j makes %j", (ticks, id, after) => {
  expect(toggled(ticks, id)).toEqual(after);
});

const MADE = "2026-11-21T13:00:00.000Z";
const [old, young] = [
  { from: 1_000, createdAt: MADE },
  { from: 2_000, createdAt: MADE },
];
const UNTIMED = { from: null, createdAt: MADE };

test.each([
  ["the older is the base", [old, young], false, old],
  ["whichever was ticked first", [young, old], false, old],
  ["but not where they are swapped", [young, old], true, young],
  ["without a known time the making counts", [UNTIMED, young], false, young],
] as const)("of two, %s", (_, pair, isSwapped, base) => {
  const ordered = inOrder<typeof old | typeof UNTIMED>([pair[0], pair[1]], isSwapped);
  expect(ordered.base).toBe(base);
  expect(new Set(Object.values(ordered))).toEqual(new Set(pair));
});
