import { expect, test } from "vitest";
import type { NewAccessKey } from "../model/access-key.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { copyKeys } from "./copy-load-tests.ts";

function key(name: string, digit: string, about: Partial<NewAccessKey> = {}): NewAccessKey {
  const times = { createdAtMs: 1, expiresAtMs: undefined };
  return { name, digest: digit.repeat(64), scopes: ["read", "write"], ...times, ...about };
}

async function keysWith(...keys: readonly NewAccessKey[]) {
  const store = openMemoryStore().keys;
  for (const each of keys) await store.add(each);
  return store;
}

test("keys are copied with all attributes, and another copy updates them", async () => {
  const from = await keysWith(key("a", "1"), key("b", "2", { expiresAtMs: 9 }), key("c", "3"));
  await from.touch("1".repeat(64), 600_000);
  await from.revoke("c", 5);
  const to = await keysWith();
  expect(await copyKeys(from, to)).toEqual({ keys: 3, differences: [] });
  expect(await to.list()).toEqual(await from.list());
  await from.revoke("a", 7);
  await from.touch("2".repeat(64), 1_200_000);
  expect(await copyKeys(from, to)).toEqual({ keys: 3, differences: [] });
  expect(await to.list()).toEqual(await from.list());
});

test("changes to a key on the target stay", async () => {
  const from = await keysWith(key("a", "1"));
  const to = await keysWith(key("a", "1"));
  await to.revoke("a", 3);
  await to.touch("1".repeat(64), 600_000);
  expect(await copyKeys(from, to)).toEqual({ keys: 1, differences: [] });
  expect(await to.list()).toMatchObject([{ revokedAtMs: 3, lastUsedAtMs: 600_000 }]);
});

test.each([
  ["another one", key("a", "2")],
  ["other rights", key("a", "1", { scopes: ["admin"] })],
  ["other rights", key("a", "1", { project: "web" })],
  ["other rights", key("a", "1", { loadTestIds: ["run"] })],
  ["other rights or times", key("a", "1", { expiresAtMs: 9 })],
])(
  "a key of the same name that is or has %s is left unchanged and reported",
  async (difference, there) => {
    const to = await keysWith(there);
    const { keys, differences } = await copyKeys(await keysWith(key("a", "1")), to);
    expect([keys, differences.join()]).toEqual([0, expect.stringContaining(difference)]);
    expect(await to.list()).toMatchObject([there]);
  },
);
