import { expect, test } from "vitest";
import { LruCache } from "./lru-cache.ts";

test("evicts the least recently used entry when full", () => {
  const cache = new LruCache<number, string>(10);
  cache.set(1, "one", 4);
  cache.set(2, "two", 4);
  expect(cache.get(1)).toBe("one");
  cache.set(3, "three", 4);
  expect([1, 2, 3].map((number) => cache.get(number))).toEqual(["one", undefined, "three"]);
});

test("entries used several times, or after the newest was deleted, are evicted in order of use", () => {
  const cache = new LruCache<string, number>(3);
  for (const key of ["a", "b", "c"]) cache.set(key, 1);
  for (const key of ["a", "a", "b", "b"]) cache.get(key);
  cache.set("d", 1);
  expect(cache.get("c")).toBeUndefined();
  cache.delete("d");
  cache.get("a");
  for (const key of ["e", "f"]) cache.set(key, 1);
  expect(["a", "b", "e", "f"].map((key) => cache.get(key))).toEqual([1, undefined, 1, 1]);
});

test("a replaced value counts only with its new cost", () => {
  const cache = new LruCache<number, string>(10);
  cache.set(1, "one", 4);
  for (let round = 0; round < 5; round++) cache.set(2, `two ${round}`, 6);
  expect([cache.get(1), cache.get(2)]).toEqual(["one", "two 4"]);
});

test("a value over the whole limit is cached until the next one", () => {
  const cache = new LruCache<number, string>(10);
  cache.set(1, "one", 4);
  cache.set(2, "large", 99);
  expect([cache.get(1), cache.get(2)]).toEqual([undefined, "large"]);
  cache.set(3, "three", 4);
  expect([cache.get(2), cache.get(3)]).toEqual([undefined, "three"]);
});

test("without costs, the limit counts entries", () => {
  const cache = new LruCache<string, number>(2);
  for (const [value, key] of ["a", "b", "a", "c"].entries()) cache.set(key, value);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([2, undefined, 3]);
});

test("an evicted, deleted or replaced entry is reported once and frees its cost", () => {
  const left: string[] = [];
  const cache = new LruCache<number, string>(10, (value) => left.push(value));
  cache.set(1, "one", 4);
  cache.set(2, "two", 4);
  cache.set(3, "three", 4);
  cache.set(2, "new two", 4);
  cache.delete(3);
  cache.delete(3);
  cache.set(4, "four", 6);
  expect(left).toEqual(["one", "two", "three"]);
  expect([cache.get(2), cache.get(4)]).toEqual(["new two", "four"]);
});
