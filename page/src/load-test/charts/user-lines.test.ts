import { expect, test } from "vitest";
import { gridOf } from "../../charts/grid.ts";
import { userLines } from "./chart-lines.ts";

/** Four seconds, then the end. */
const GRID = gridOf(10, 14, 1);
const USERS: [number, number][] = [
  [10, 3],
  [12, 0],
];

test("users are gone once a run ended", () => {
  expect(userLines(GRID, USERS, false)[0]?.values.slice(0, 4)).toEqual([3, 3, 0, 0]);
});

test("while a run grows, users are unknown after the last answer", () => {
  const growing = { ...GRID, isGrowing: true };
  expect(userLines(growing, USERS, false)[0]?.values.slice(0, 4)).toEqual([3, 3, null, null]);
});
