import { expect, test } from "vitest";
import { copiedOf, copy } from "../../test/support/copying.ts";
import { FIRST, HEADER, importInto } from "../../test/support/imports.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { copyFiles } from "./copy-files.ts";

async function textsIn(store: Store): Promise<readonly string[]> {
  const texts = [];
  for (const { id } of await store.files.list("run")) {
    const found = await store.files.find("run", id);
    texts.push(Buffer.concat(await Array.fromAsync(found?.read() ?? [])).toString());
  }
  return texts;
}

async function filled(): Promise<Store> {
  const store = openMemoryStore();
  await importInto(store, HEADER + FIRST, { keep: {} });
  const attachment = store.files.begin({
    loadTestId: "run",
    id: "f",
    name: "../note",
    author: "ci",
  });
  await attachment.write(Buffer.from("attached"));
  await attachment.finish();
  return store;
}

test("originals and attachments are copied with all that is known of them, once", async () => {
  const [from, to] = [await filled(), openMemoryStore()];
  for (let times = 0; times < 2; times++) {
    expect(copiedOf(await copy(from, to))?.differences).toEqual([]);
    expect(await to.files.list("run")).toEqual(await from.files.list("run"));
    expect(await textsIn(to)).toEqual([HEADER + FIRST, "attached"]);
  }
  await importInto(to, HEADER + FIRST, { keep: {} });
  expect(await to.files.list("run")).toEqual(await from.files.list("run"));
});

test("a file that is removed meanwhile is left out, not copied as an empty one", async () => {
  const [from, to] = [await filled(), openMemoryStore()];
  await copy(from, to);
  await to.files.remove("run", "f");
  const { files } = from;
  const removed = { ...files, find: async () => undefined };
  const stores = { from: removed, to: to.files, interrupted: new AbortController().signal };
  expect(await copyFiles("run", stores)).toEqual([]);
  expect(await textsIn(to)).toEqual([HEADER + FIRST]);
});

test("a file with other bytes in the copy is a difference", async () => {
  const [from, to] = [await filled(), openMemoryStore()];
  await copy(from, to);
  await to.files.remove("run", "f");
  const other = to.files.begin({ loadTestId: "run", id: "f", name: "../note" });
  await other.write(Buffer.from("others"));
  await other.finish();
  expect(copiedOf(await copy(from, to))?.differences).toEqual([
    expect.stringMatching(/^file "..\/note": SHA-256 [0-9a-f]{64}, and [0-9a-f]{64} in the copy$/),
  ]);
});
