import { expect, test } from "vitest";
import { Lanes } from "./lanes.ts";

function deferred() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { promise, resolve, reject };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test("so much is done side by side, and whoever waits is told when a lane is free", async () => {
  let freed = 0;
  const lanes = new Lanes(2, () => (freed += 1));
  const [one, other] = [deferred(), deferred()];
  lanes.begin(() => one.promise);
  expect(lanes.isFree).toBe(true);
  lanes.begin(() => other.promise);
  expect(lanes.isFree).toBe(false);
  expect(() => lanes.begin(async () => {})).toThrow("BUG");
  one.reject(new Error("it may fail"));
  await settled();
  expect([freed, lanes.isFree]).toEqual([1, true]);
  other.resolve();
  await lanes.settle();
  expect(freed).toBe(2);
});

test("who is alone waits for what is under way, and nothing begins beside him", async () => {
  const lanes = new Lanes(2, () => undefined);
  const [beside, alone] = [deferred(), deferred()];
  const events: string[] = [];
  lanes.begin(() => beside.promise);
  const done = lanes.alone(async () => {
    events.push("alone");
    await alone.promise;
    return 7;
  });
  const next = lanes.alone(async () => events.push("next"));
  await settled();
  expect([events, lanes.isFree]).toEqual([[], false]);
  beside.resolve();
  await settled();
  expect([events, lanes.isFree]).toEqual([["alone"], false]);
  alone.resolve();
  expect(await done).toBe(7);
  await next;
  await lanes.settle();
  expect([events, lanes.isFree]).toEqual([["alone", "next"], true]);
});

test("what fails alone is told to who asked for it, and holds up nobody", async () => {
  const lanes = new Lanes(1, () => undefined);
  const failing = lanes.alone(() => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await lanes.alone(async () => 1)).toBe(1);
  await lanes.settle();
});
