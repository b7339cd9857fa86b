import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** Work that goes on until it is told to end. */
function openWork(turns: Turns, started: string[], name: string, owner = "key") {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const done = turns.take(owner, async () => {
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
  const failing = turns.take("key", () => Promise.reject(new Error("no")));
  const next = turns.take("key", async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
  expect(await turns.take("key", async () => "later")).toBe("later");
});

test("a turn goes to the owner with the fewest, however many wait of another", async () => {
  const turns = new Turns({ atOnceMax: 2, waitingMax: 2 });
  const started: string[] = [];
  const works = ["1", "2", "3", "4"].map((name) => openWork(turns, started, name, "one"));
  await expect(openWork(turns, started, "5", "one").done).rejects.toThrow("of this key wait");
  const other = openWork(turns, started, "other", "another");
  expect(turns.isAwaited).toBe(true);
  works[1]?.end();
  await works[1]?.done;
  await setImmediate();
  expect(started).toEqual(["1", "2", "other"]);
  other.end();
  for (const { end } of works) end();
  await Promise.all(works.map(({ done }) => done));
  expect(started).toEqual(["1", "2", "other", "3", "4"]);
  expect(turns.isAwaited).toBe(false);
});
