import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { atTurnEnd } from "./at-turn-end.ts";

test("runs once per event loop turn, after the last request of the turn", async () => {
  let answer = 1;
  let asked = 0;
  const got: unknown[] = [];
  const withAnswer = atTurnEnd(() => {
    asked += 1;
    return answer;
  });
  withAnswer((first) => {
    got.push(first);
    withAnswer((later) => got.push(later));
  });
  answer = 2;
  withAnswer((second) => got.push(second));
  expect(got).toEqual([]);
  await setImmediate();
  expect([got, asked]).toEqual([[2, 2], 1]);
  answer = 3;
  await setImmediate();
  expect([got, asked]).toEqual([[2, 2, 3], 2]);
});

test("a failed call gives undefined", async () => {
  const withAnswer = atTurnEnd(() => {
    throw new Error("no");
  });
  const got: unknown[] = [];
  withAnswer((answer) => got.push(answer));
  await setImmediate();
  expect(got).toEqual([undefined]);
});
