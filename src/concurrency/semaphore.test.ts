import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

/** Work that runs until it is ended. */
function openWork(semaphore: Semaphore, started: string[], name: string, owner = "key") {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const done = semaphore.run(owner, async () => {
    started.push(name);
    await ended;
    return name;
  });
  return { done, end };
}

test("work starts in order, up to the limit, and the excess is rejected", async () => {
  const semaphore = new Semaphore({
    max: 2,
    waiting: { max: 1, refuse: () => new Error("refused") },
  });
  const started: string[] = [];
  const [first, second, third] = ["1", "2", "3"].map((name) => openWork(semaphore, started, name));
  await expect(openWork(semaphore, started, "4").done).rejects.toThrow("refused");
  expect(started).toEqual(["1", "2"]);
  second?.end();
  expect(await second?.done).toBe("2");
  await setImmediate();
  expect(started).toEqual(["1", "2", "3"]);
  first?.end();
  third?.end();
  expect(await Promise.all([first?.done, third?.done])).toEqual(["1", "3"]);
});

test("failed work lets the next one start", async () => {
  const semaphore = new Semaphore({
    max: 1,
    waiting: { max: 1, refuse: () => new Error("refused") },
  });
  const failing = semaphore.run("key", () => Promise.reject(new Error("no")));
  const next = semaphore.run("key", async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
  expect(await semaphore.run("key", async () => "later")).toBe("later");
});

test("the owner with the fewest running is next, however many others wait", async () => {
  const semaphore = new Semaphore({
    max: 2,
    waiting: { max: 2, refuse: () => new Error("refused") },
  });
  const started: string[] = [];
  const works = ["1", "2", "3", "4"].map((name) => openWork(semaphore, started, name, "one"));
  await expect(openWork(semaphore, started, "5", "one").done).rejects.toThrow("refused");
  const other = openWork(semaphore, started, "other", "another");
  expect(semaphore.isAwaited).toBe(true);
  works[1]?.end();
  await works[1]?.done;
  await setImmediate();
  expect(started).toEqual(["1", "2", "other"]);
  other.end();
  for (const { end } of works) end();
  await Promise.all(works.map(({ done }) => done));
  expect(started).toEqual(["1", "2", "other", "3", "4"]);
  expect(semaphore.isAwaited).toBe(false);
});
