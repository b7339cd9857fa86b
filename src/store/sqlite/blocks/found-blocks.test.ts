import { expect, test } from "vitest";
import { BlockLists, findBlocks } from "./found-blocks.ts";

test("blocks are listed once per load test and revision", async () => {
  const lists = new BlockLists();
  let listed = 0;
  const list = async () => {
    listed += 1;
    return findBlocks([]);
  };
  const first = lists.get(1, 5, list);
  expect(await lists.get(1, 5, list)).toBe(await first);
  expect(listed).toBe(1);
  await lists.get(1, 6, list);
  await lists.get(2, 5, list);
  expect(listed).toBe(3);
});

test("a failed listing is retried", async () => {
  const lists = new BlockLists();
  await expect(lists.get(1, 5, () => Promise.reject(new Error("busy")))).rejects.toThrow("busy");
  const found = findBlocks([]);
  expect(await lists.get(1, 5, async () => found)).toBe(found);
});

test("at most eight lists are cached", async () => {
  const lists = new BlockLists();
  let listed = 0;
  const list = async () => {
    listed += 1;
    return findBlocks([]);
  };
  for (let revision = 0; revision < 9; revision++) await lists.get(1, revision, list);
  await lists.get(1, 8, list);
  expect(listed).toBe(9);
  await lists.get(1, 0, list);
  expect(listed).toBe(10);
});
