import { expect, test } from "vitest";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";

function deferred() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { promise, resolve, reject };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test("runs tasks up to the limit and notifies the owner when there is room", async () => {
  let freed = 0;
  const limiter = new ConcurrencyLimiter(2, () => (freed += 1));
  const [one, other] = [deferred(), deferred()];
  limiter.start(() => one.promise);
  expect(limiter.isFree).toBe(true);
  limiter.start(() => other.promise);
  expect(limiter.isFree).toBe(false);
  expect(() => limiter.start(async () => {})).toThrow("BUG");
  one.reject(new Error("it may fail"));
  await settled();
  expect([freed, limiter.isFree]).toEqual([1, true]);
  other.resolve();
  await limiter.settle();
  expect(freed).toBe(2);
});

test("an exclusive task waits for running ones, and nothing runs beside it", async () => {
  const limiter = new ConcurrencyLimiter(2, () => undefined);
  const [beside, alone] = [deferred(), deferred()];
  const events: string[] = [];
  limiter.start(() => beside.promise);
  const done = limiter.runExclusive(async () => {
    events.push("alone");
    await alone.promise;
    return 7;
  });
  const next = limiter.runExclusive(async () => events.push("next"));
  await settled();
  expect([events, limiter.isFree]).toEqual([[], false]);
  beside.resolve();
  await settled();
  expect([events, limiter.isFree]).toEqual([["alone"], false]);
  alone.resolve();
  expect(await done).toBe(7);
  await next;
  await limiter.settle();
  expect([events, limiter.isFree]).toEqual([["alone", "next"], true]);
});

test("a failed exclusive task rejects its caller and blocks nobody", async () => {
  const limiter = new ConcurrencyLimiter(1, () => undefined);
  const failing = limiter.runExclusive(() => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await limiter.runExclusive(async () => 1)).toBe(1);
  await limiter.settle();
});
