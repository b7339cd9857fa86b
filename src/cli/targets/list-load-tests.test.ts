import { expect, test } from "vitest";
import { openMemoryStore } from "../../../test/support/memory-store/memory-store.ts";
import { loadTest } from "../../../test/support/load-tests.ts";
import type { Api } from "../../client/api.ts";
import { openStoreApi } from "../../server/store-api.ts";
import { findBaseline, listLoadTests } from "./list-load-tests.ts";

const store = { ...openMemoryStore(), close: async () => {} };
const others = { createLoadTestId: () => "new", now: () => 0, version: "", template: () => "" };
const api = openStoreApi(store, undefined, others);

test("a list longer than one page is complete", async () => {
  const ids = Array.from({ length: 1200 }, (_, number) => `many-${number}`);
  for (const id of ids) await store.loadTests.create(loadTest(id));
  const listed = await listLoadTests(api, { search: "many-" });
  expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(await listLoadTests(api, { search: "many-", limit: 1100 })).toHaveLength(1100);
  expect(await listLoadTests(api, { search: "many-", limit: 3 })).toHaveLength(3);
});

test("a server that sends the same page for ever is an error", async () => {
  const same = { ask: async () => ({ loadTests: [], next: "a" }) } as object as Api;
  await expect(listLoadTests(same, {})).rejects.toThrow("sent the same page again");
});

test("the baseline of a name has that name, not one that contains it", async () => {
  const pinned = { tags: ["baseline"] };
  await store.loadTests.create({ ...loadTest("other"), name: "checkout, nightly", ...pinned });
  expect(await findBaseline(api, "checkout")).toBeUndefined();
  await store.loadTests.create({ ...loadTest("own"), name: "checkout", ...pinned });
  expect(await findBaseline(api, "checkout")).toMatchObject({ id: "own" });
});
