import { expect, test } from "vitest";
import { onWindows } from "./on-windows.ts";

const whole = { from: 1003, until: 1128 };

test.each([
  [undefined, undefined, undefined, undefined],
  [1020, 1030, 1020, 1030],
  [1021, 1022, 1020, 1030],
  [1004, 1127, 1003, 1128],
])("%s to %s in windows of 10 s is %s to %s", (from, until, begin, end) => {
  const scope = { id: "a", filter: "", hashes: [], from, until };
  expect(onWindows(scope, whole, 10)).toEqual({ ...scope, from: begin, until: end });
});
