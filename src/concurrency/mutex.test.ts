import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Mutex } from "./mutex.ts";

test("one holder at a time, in the order of requests", async () => {
  const mutex = new Mutex();
  const events: string[] = [];
  const release = await mutex.acquire();
  const works = ["a", "b"].map((name) =>
    mutex.run(async () => {
      events.push(`${name} begins`);
      await setImmediate();
      events.push(`${name} ends`);
      return name;
    }),
  );
  await setImmediate();
  expect(events).toEqual([]);
  release();
  expect(await Promise.all(works)).toEqual(["a", "b"]);
  expect(events).toEqual(["a begins", "a ends", "b begins", "b ends"]);
});

test("failed work blocks nobody", async () => {
  const mutex = new Mutex();
  const failing = mutex.run(() => Promise.reject(new Error("no")));
  const next = mutex.run(async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});
