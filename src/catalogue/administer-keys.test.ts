import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Scope } from "../model/access-key.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { createKeyAdministration } from "./administer-keys.ts";
import { createKeyRing } from "./keys.ts";

const NOW_MS = 1_700_000_000_000;

function now(): number {
  return NOW_MS;
}

function administration() {
  const { keys } = openMemoryStore();
  const ring = createKeyRing(keys, { now, randomBytes, upkeepFailed: () => undefined });
  return createKeyAdministration(ring, now);
}

function request(name: string, scopes: readonly Scope[], expiresDays?: number) {
  return { name, scopes, expiresDays };
}

test("creating a key returns its text, its ordered scopes and its expiry", async () => {
  const keys = administration();
  const { text, key } = await keys.create(request("ci", ["write", "read", "write"], 3));
  expect(text).toMatch(/^tgk_/);
  expect(key).toMatchObject({
    name: "ci",
    scopes: ["read", "write"],
    createdAtMs: NOW_MS,
    // Three days of 86,400 seconds.
    expiresAtMs: NOW_MS + 259_200_000,
    revokedAtMs: undefined,
  });
  expect((await keys.create(request("other", ["read"]))).key.expiresAtMs).toBeUndefined();
  expect((await keys.list()).map(({ name }) => name)).toEqual(["ci", "other"]);
});

test("the last key that may administer is not revoked, with a sentence about what to do", async () => {
  const keys = administration();
  await keys.create(request("root", ["admin"]));
  await keys.create(request("reader", ["read"]));
  await expect(keys.revoke("root")).rejects.toMatchObject({
    code: "last-admin-key",
    message:
      'cannot revoke the key "root": no other key may administer; ' +
      "make one first, or revoke it by the command line",
  });
  expect(await keys.revoke("reader")).toMatchObject({ name: "reader", revokedAtMs: NOW_MS });
  await keys.create(request("second", ["admin"]));
  expect(await keys.revoke("root")).toMatchObject({ name: "root", revokedAtMs: NOW_MS });
  await expect(keys.revoke("second")).rejects.toMatchObject({ code: "last-admin-key" });
});

test("of two administrators who revoke each other, only one succeeds", async () => {
  const keys = administration();
  await keys.create(request("one", ["admin"]));
  await keys.create(request("two", ["admin"]));
  const results = await Promise.allSettled([keys.revoke("one"), keys.revoke("two")]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

test("a rejected request does not block the next one", async () => {
  const keys = administration();
  await keys.create(request("root", ["admin"]));
  await expect(keys.revoke("nobody")).rejects.toMatchObject({ code: "unknown-key-name" });
  await keys.create(request("reader", ["read"]));
  expect(await keys.revoke("reader")).toMatchObject({ revokedAtMs: NOW_MS });
});
