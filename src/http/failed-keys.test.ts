import { expect, test } from "vitest";
import { FailedKeys } from "./admit.ts";

/** A counter with a clock that moves only on request. */
function createWorld() {
  const clock = { nowMs: 1000 };
  return { clock, failed: new FailedKeys(() => clock.nowMs) };
}

test("each address has its own minute, which begins with its first rejected key", () => {
  const { clock, failed } = createWorld();
  expect(failed.count("10.0.0.1")).toEqual({ count: 1, secondsLeft: 60 });
  clock.nowMs += 30_000;
  expect(failed.count("10.0.0.1")).toEqual({ count: 2, secondsLeft: 30 });
  expect(failed.count("10.0.0.2")).toEqual({ count: 1, secondsLeft: 60 });
  clock.nowMs += 29_999;
  expect(failed.count("10.0.0.1")).toEqual({ count: 3, secondsLeft: 1 });
  clock.nowMs += 1;
  expect(failed.count("10.0.0.1")).toEqual({ count: 1, secondsLeft: 60 });
  expect(failed.count("10.0.0.2")).toEqual({ count: 2, secondsLeft: 30 });
});

test.each([
  ["2001:db8::1", "2001:db8::2", true],
  ["2001:db8:0:0:1:2:3:4", "2001:db8::ffff", true],
  ["2001:db8:0:1::1", "2001:db8::1", false],
  ["::1", "::2", true],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.2", false],
  ["10.0.0.1", "10.0.0.2", false],
  ["1:2:3:4:5:6:7:8", "1:2:3:4::", true],
])("%s and %s are the same sender: %s", (one, other, isSame) => {
  const { failed } = createWorld();
  failed.count(one);
  expect(failed.count(other).count).toBe(isSame ? 2 : 1);
});

test("of 100,000 addresses, the latest 10,000 are remembered", () => {
  const { failed } = createWorld();
  for (let n = 0; n < 1e5; n++) failed.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
  expect(failed.size).toBeLessThanOrEqual(10_000);
  expect(failed.count("10.1.134.159").count).toBe(2);
  expect(failed.count("10.0.0.0").count).toBe(1);
});

test("expired counts are dropped at the next count", () => {
  const { clock, failed } = createWorld();
  for (let n = 0; n < 100; n++) failed.count(`10.0.0.${n}`);
  clock.nowMs += 60_000;
  failed.count("10.0.1.1");
  expect(failed.size).toBe(1);
});
