import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** Work that goes on until it is told to end. */
function openWork(turns: Turns, started: string[], name: string) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const done = turns.take(async () => {
    started.push(name);
    await ended;
    return name;
  });
  return { done, end };
}

test("work begins in its order, only so much of it at once, and the rest is turned away", async () => {
  const turns = new Turns({ atOnceMax: 2, waitingMax: 1 });
  const started: string[] = [];
  const [first, second, third] = ["1", "2", "3"].map((name) => openWork(turns, started, name));
  await expect(openWork(turns, started, "4").done).rejects.toMatchObject({
    code: "too-many-uploads",
    headers: { "Retry-After": "10" },
  });
  expect(started).toEqual(["1", "2"]);
  second?.end();
  expect(await second?.done).toBe("2");
  await setImmediate();
  expect(started).toEqual(["1", "2", "3"]);
  first?.end();
  third?.end();
  expect(await Promise.all([first?.done, third?.done])).toEqual(["1", "3"]);
});

test("work that fails passes its turn on", async () => {
  const turns = new Turns({ atOnceMax: 1, waitingMax: 1 });
  const failing = turns.take(() => Promise.reject(new Error("no")));
  const next = turns.take(async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
  expect(await turns.take(async () => "later")).toBe("later");
});
