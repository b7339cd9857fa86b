import { randomBytes } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { createKeyRing, createKeyText } from "../catalogue/keys.ts";
import { bringInitKey } from "./serve.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const folder = testFolder();

const log = {
  warn(about: unknown): void {
    throw new Error(JSON.stringify(about));
  },
};

function createRing() {
  const { keys } = openMemoryStore();
  return createKeyRing(keys, { now: () => 60_000, randomBytes, upkeepFailed() {} });
}

test("a key in a file administers, at each start once", async () => {
  const ring = createRing();
  const file = path.join(folder, "given");
  const text = createKeyText(randomBytes);
  writeFileSync(file, text);
  await bringInitKey({ file, project: undefined }, ring, log);
  await bringInitKey({ file, project: undefined }, ring, log);
  expect(await ring.list()).toHaveLength(1);
  expect(await ring.authenticate(text)).toMatchObject({ key: { scopes: ["admin"] } });
});

test("a key in a file can be that of a project", async () => {
  const ring = createRing();
  const file = path.join(folder, "of a project");
  await bringInitKey({ file, project: "web" }, ring, log);
  expect(await ring.list()).toMatchObject([{ project: "web", scopes: ["admin"] }]);
});

test("a missing file is created for its owner, and stays", async () => {
  const ring = createRing();
  const file = path.join(folder, "made");
  await bringInitKey({ file, project: undefined }, ring, log);
  const text = readFileSync(file, "utf8");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await bringInitKey({ file, project: undefined }, ring, log);
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(await ring.authenticate(text.trim())).toMatchObject({ accepted: true });
});

test("servers that start together with one file have one key", async () => {
  const ring = createRing();
  const file = path.join(folder, "together");
  writeFileSync(file, createKeyText(randomBytes));
  await Promise.all([
    bringInitKey({ file, project: undefined }, ring, log),
    bringInitKey({ file, project: undefined }, ring, log),
  ]);
  expect(await ring.list()).toHaveLength(1);
});

test("another key in the file is added beside the first", async () => {
  const ring = createRing();
  const file = path.join(folder, "rotated");
  for (const text of [createKeyText(randomBytes), createKeyText(randomBytes)]) {
    writeFileSync(file, text);
    await bringInitKey({ file, project: undefined }, ring, log);
    expect(await ring.authenticate(text)).toMatchObject({ accepted: true });
  }
  expect(await ring.list()).toHaveLength(2);
});

test("a revoked key stays revoked", async () => {
  const ring = createRing();
  const file = path.join(folder, "revoked");
  await bringInitKey({ file, project: undefined }, ring, log);
  const [key] = await ring.list();
  await ring.revoke(key?.name ?? "");
  const warned: unknown[] = [];
  await bringInitKey({ file, project: undefined }, ring, {
    warn: (about: unknown) => void warned.push(about),
  });
  expect(warned).toEqual([{ file, reason: "revoked" }]);
  expect(await ring.list()).toHaveLength(1);
});

test.each([
  ["an empty file", ""],
  ["another secret", "hunter2"],
  ["two keys", `${createKeyText(randomBytes)}\n${createKeyText(randomBytes)}`],
])("%s is refused without being shown", async (name, content) => {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  const refused = bringInitKey({ file, project: undefined }, createRing(), log);
  await expect(refused).rejects.toMatchObject({ code: "bad-setting" });
  await expect(refused).rejects.not.toThrow(/hunter2|tgk_\w/);
});

test("a folder that does not exist is named", async () => {
  const file = path.join(folder, "none", "key");
  await expect(bringInitKey({ file, project: undefined }, createRing(), log)).rejects.toThrow(file);
});
