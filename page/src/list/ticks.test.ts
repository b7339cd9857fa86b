import { expect, test } from "vitest";
import { baseFirst, TICKS_MAX, ticksIn, toggled } from "./ticks.ts";

test.each([
  [undefined, []],
  ["", []],
  ["a", ["a"]],
  ["a,b", ["a", "b"]],
  ["a,a,,b,c", ["a", "b", "c"]],
])("the address %j has the ticks %j", (text, ticks) => {
  expect(ticksIn(text)).toEqual(ticks);
});

test.each([
  [[], "a", ["a"]],
  [["a"], "b", ["a", "b"]],
  [["a", "b"], "c", ["a", "b", "c"]],
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
  ["the older is the base", [old, young], false, [old, young]],
  ["whichever was ticked first", [young, old], false, [old, young]],
  ["but not where they are swapped", [old, young], true, [young, old]],
  ["without a known time the making counts", [UNTIMED, young, old], false, [old, young, UNTIMED]],
] as const)("of several, %s", (_, ticked, isSwapped, ordered) => {
  expect(baseFirst<typeof old | typeof UNTIMED>(ticked, isSwapped)).toEqual(ordered);
});

test("a tick beyond the maximum changes nothing", () => {
  const all = Array.from({ length: TICKS_MAX }, (_, at) => `run-${at}`);
  expect(toggled(all, "another")).toEqual(all);
  expect(toggled(all, "run-3")).toHaveLength(TICKS_MAX - 1);
  expect(ticksIn([...all, "another"].join())).toEqual(all);
});
