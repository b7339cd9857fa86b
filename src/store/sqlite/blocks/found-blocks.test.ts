import { expect, test } from "vitest";
import { BlockLists, findBlocks } from "./found-blocks.ts";

const stateOf = (loadTest: number, revision: number, blocks = 0) => ({
  loadTest,
  revision,
  blocks,
});

test("blocks are listed once per load test and revision", async () => {
  const lists = new BlockLists();
  let listed = 0;
  const list = async () => {
    listed += 1;
    return findBlocks([]);
  };
  const first = lists.get(stateOf(1, 5), list);
  expect(await lists.get(stateOf(1, 5), list)).toBe(await first);
  expect(listed).toBe(1);
  await lists.get(stateOf(1, 6), list);
  await lists.get(stateOf(2, 5), list);
  expect(listed).toBe(3);
});

test("a failed listing is retried", async () => {
  const lists = new BlockLists();
  await expect(lists.get(stateOf(1, 5), () => Promise.reject(new Error("busy")))).rejects.toThrow(
    "busy",
  );
  const found = findBlocks([]);
  expect(await lists.get(stateOf(1, 5), async () => found)).toBe(found);
});

test("at most eight lists are cached", async () => {
  const lists = new BlockLists();
  let listed = 0;
  const list = async () => {
    listed += 1;
    return findBlocks([]);
  };
  for (let revision = 0; revision < 9; revision++) await lists.get(stateOf(1, revision), list);
  await lists.get(stateOf(1, 8), list);
  expect(listed).toBe(9);
  await lists.get(stateOf(1, 0), list);
  expect(listed).toBe(10);
});

test("long lists are cached up to 262,144 blocks together", async () => {
  const lists = new BlockLists();
  const listed: number[] = [];
  const get = (revision: number) =>
    lists.get(stateOf(1, revision, 100_000), async () => {
      listed.push(revision);
      return findBlocks([]);
    });
  await get(1);
  await get(1);
  await get(2);
  expect(listed).toEqual([1, 2]);
  await get(1);
  expect(listed).toEqual([1, 2, 1]);
});
