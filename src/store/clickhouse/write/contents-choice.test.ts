import { expect, test } from "vitest";
import { chosenOf, contentsKey } from "./contents-choice.ts";

const DIRECT = { sequence: 3, contents: 5, isClaimed: false };
const CLAIMED = { sequence: 3, contents: 9, isClaimed: true };
const EARLIER = { sequence: 3, contents: 0, isClaimed: false };
const OTHER = { sequence: 4, contents: 1, isClaimed: false };

test("of several contents with one number, the claimed one counts, in any order", () => {
  for (const rows of [
    [DIRECT, CLAIMED, OTHER],
    [OTHER, CLAIMED, DIRECT],
  ]) {
    const { chosen, setAside } = chosenOf(rows);
    expect(new Set(chosen)).toEqual(new Set([CLAIMED, OTHER]));
    expect(setAside).toEqual([DIRECT]);
  }
});

test("without a claim the smallest key counts; rows of version 1 have key 0", () => {
  const { chosen, setAside } = chosenOf([DIRECT, EARLIER]);
  expect(chosen).toEqual([EARLIER]);
  expect(setAside).toEqual([DIRECT]);
});

test("the key is the lowest 32 bits of the digest", () => {
  expect(contentsKey(0xfedc_ba98_7654_3210n)).toBe(0x7654_3210);
});
