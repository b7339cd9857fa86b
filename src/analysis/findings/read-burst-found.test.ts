import { expect, test } from "vitest";
import { findBurst } from "./read-burst.ts";

/** 1,000 s with ten requests each, and failures in those from 500 on; `far` of them 100 s apart. */
function isBurst(failures: readonly number[], { far = 0, crowd = 10 } = {}): boolean {
  const second = Uint32Array.from({ length: 1000 }, (_, index) => index + 1);
  const requests = new Float64Array(1000).fill(10);
  const failedRequests = new Float64Array(1000);
  for (const [index, count] of failures.entries()) {
    failedRequests[500 + index] = count;
    requests[500 + index] = crowd;
  }
  for (let index = 0; index < far; index++) failedRequests[(index % 4) * 100] = Math.ceil(far / 4);
  return findBurst({ second, requests, failedRequests }) !== undefined;
}

const each = (seconds: number, count: number): number[] =>
  Array.from({ length: seconds }, () => count);

test.each([
  ["10 failures", isBurst(each(5, 2)), isBurst([...each(4, 2), 1])],
  // 80 of 100, and 80 of 104.
  ["80 % of the failures", isBurst(each(5, 16), { far: 20 }), isBurst(each(5, 16), { far: 24 })],
  // 80 % of these lie within 99 and 100 s.
  ["less than a tenth of the time", isBurst(each(123, 1)), isBurst(each(125, 1))],
  // 4,281 and 4,282 of them, beside 9,990.
  ["at most 30 % of the requests", isBurst([10], { crowd: 4281 }), isBurst([10], { crowd: 4282 })],
])("a burst has %s", (_, isWith, isWithout) => {
  expect([isWith, isWithout]).toEqual([true, false]);
});
