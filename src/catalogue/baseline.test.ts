import { expect, test } from "vitest";
import { loadTest } from "../../test/support/load-tests.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { BASELINE_TAG, findBaseline } from "./baseline.ts";
import { openCatalogue } from "./catalogue.ts";

/** `a`, `b` and `c` of the name checkout, made one after the other, and `other` of a longer name. */
async function open() {
  const store = openMemoryStore();
  const catalogue = openCatalogue({ ...store, now: () => 9, createLoadTestId: () => "new" });
  for (const [index, id] of ["a", "b", "c"].entries()) {
    await store.loadTests.create({ ...loadTest(id, 1000 + index), name: "checkout" });
  }
  await store.loadTests.create({ ...loadTest("other"), name: "checkout again" });
  const tagged = async () => {
    const found = await store.loadTests.list({ tag: BASELINE_TAG });
    return found.map(({ id }) => id).toSorted();
  };
  const pinned = async (name = "checkout") => (await findBaseline(store.loadTests, name))?.id;
  return { store, catalogue, tagged, pinned };
}

test("a name has one baseline; another replaces it, and other names keep theirs", async () => {
  const { catalogue, tagged, pinned } = await open();
  expect(await pinned()).toBeUndefined();
  for (const id of ["other", "b", "a"]) await catalogue.change(id, { addTags: [BASELINE_TAG] });
  expect(await pinned()).toBe("a");
  expect(await tagged()).toEqual(["a", "other"]);
  const { tags } = await catalogue.change("c", { tags: ["x", BASELINE_TAG] });
  expect(tags).toEqual([BASELINE_TAG, "x"]);
  expect(await tagged()).toEqual(["c", "other"]);
  await catalogue.change("c", { addTags: [BASELINE_TAG] });
  expect(await pinned()).toBe("c");
  await catalogue.change("c", { removeTags: [BASELINE_TAG] });
  expect(await pinned()).toBeUndefined();
  expect(await pinned("checkout again")).toBe("other");
});

test("a run can be created as the baseline and can become that of another name", async () => {
  const { catalogue, tagged, pinned } = await open();
  await catalogue.change("a", { addTags: [BASELINE_TAG] });
  await catalogue.create({ name: "checkout", tags: [BASELINE_TAG] });
  expect(await pinned()).toBe("new");
  expect(await tagged()).toEqual(["new"]);
  await catalogue.change("other", { addTags: [BASELINE_TAG], name: "checkout" });
  expect(await tagged()).toEqual(["other"]);
});

test("of two baselines set concurrently one stays; of two with the tag the later counts", async () => {
  const { catalogue, store, tagged, pinned } = await open();
  await Promise.all(["a", "b"].map((id) => catalogue.change(id, { addTags: [BASELINE_TAG] })));
  expect(await tagged()).toContain(await pinned());
  for (const id of ["a", "b"]) await store.loadTests.update(id, { addedTags: [BASELINE_TAG] });
  expect(await pinned()).toBe("b");
});

test("a baseline deleted meanwhile does not prevent another one", async () => {
  const { catalogue, store, tagged } = await open();
  await catalogue.change("a", { addTags: [BASELINE_TAG] });
  const update = store.loadTests.update.bind(store.loadTests);
  store.loadTests.update = async (id, change) => {
    if (id === "c") await store.loadTests.delete("a");
    return update(id, change);
  };
  await catalogue.change("c", { addTags: [BASELINE_TAG] });
  expect(await tagged()).toEqual(["c"]);
});
