import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { KeyedMutex } from "./mutex.ts";

test("work of a key waits for earlier work of that key only", async () => {
  const mutex = new KeyedMutex();
  const events: string[] = [];
  const work = (key: string, name: string) =>
    mutex.run(key, async () => {
      events.push(name);
      await setImmediate();
      events.push(`${name} ends`);
      return name;
    });
  const works = [work("a", "a1"), work("a", "a2"), work("b", "b1")];
  expect(await Promise.all(works)).toEqual(["a1", "a2", "b1"]);
  expect(events.indexOf("a2")).toBeGreaterThan(events.indexOf("a1 ends"));
  expect(events.indexOf("b1")).toBeLessThan(events.indexOf("a1 ends"));
  expect(await work("a", "a3")).toBe("a3");
});

test("failed work blocks nobody", async () => {
  const mutex = new KeyedMutex();
  const failing = mutex.run("a", () => Promise.reject(new Error("no")));
  const next = mutex.run("a", async () => "next");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("next");
});
