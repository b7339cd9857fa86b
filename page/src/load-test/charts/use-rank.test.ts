import { expect, test } from "vitest";
import { rankText } from "./use-rank.ts";

test.each([
  [0.24, [0.1, 0.2, 0.3, 0.25], "p95 of minute 7: 240 ms, slower than 2 of 4 earlier runs"],
  [0.24, [0.1, 0.1, 0.2, 0.1], "p95 of minute 7: 240 ms, slower than all 4 earlier runs"],
  [0.24, [0.24, 0.24, 0.24, 0.24], "p95 of minute 7: 240 ms, slower than 0 of 4 earlier runs"],
  [0.24, [0.1, null, 0.2, 0.1], ""],
  [null, [0.1, 0.1, 0.2, 0.1], ""],
])("p95 %s s ranks among %j", (own, others, text) => {
  expect(rankText(6, own, others)).toBe(text);
});
