import { expect, test } from "vitest";
import { copy } from "../../test/support/copying.ts";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";

test("thresholds of the name are copied but replace none", async () => {
  const [from, to] = [openMemoryStore(), openMemoryStore()];
  for (const id of ["a", "b", "c"]) await from.loadTests.create({ ...loadTest(id), name: id });
  await from.thresholds.keep("a", "of a");
  await from.thresholds.keep("b", "of b");
  await to.thresholds.keep("b", "other");
  await from.thresholds.keep("unused", "of none");
  await copy(from, to);
  const kept = ["a", "b", "c", "unused"].map((name) => to.thresholds.find(name));
  expect(await Promise.all(kept)).toEqual(["of a", "other", undefined, undefined]);
});
