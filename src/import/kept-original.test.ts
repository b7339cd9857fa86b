/** Originals that are kept while they are decoded. */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FIRST, HEADER, importInto, SECOND } from "../../test/support/imports.ts";
import { openMemoryStore } from "../../test/support/memory-store/memory-store.ts";
import { temporaryDirectory } from "../../test/support/store-directory.ts";
import type { Store } from "../store/store.ts";

const keep = { author: "ci" };
const WHOLE = HEADER + FIRST + SECOND;

/** What is kept of a load test, as text in latin1. */
async function keptIn(store: Store, id = "run"): Promise<readonly string[]> {
  const kept = [];
  for (const { id: file } of await store.files.list(id)) {
    const found = await store.files.find(id, file);
    const parts = await Array.fromAsync(found?.read() ?? []);
    kept.push(Buffer.concat(parts).toString("latin1"));
  }
  return kept;
}

function written(content: string | Uint8Array) {
  const file = path.join(temporaryDirectory(), "a.jtl");
  writeFileSync(file, content);
  const signal = new AbortController().signal;
  return { path: file, interrupted: signal, onRead: () => undefined };
}

test.each([
  ["plain", Buffer.from(WHOLE)],
  ["gzip", gzipSync(WHOLE)],
  ["with a byte order mark", Buffer.from(`\u{FEFF}${WHOLE}`)],
  ["truncated gzip", gzipSync(WHOLE.repeat(3), { level: 0 }).subarray(0, 200)],
  ["gzip with bytes behind it", Buffer.concat([gzipSync(WHOLE), Buffer.from("rest")])],
])("the bytes are kept as they were given, in chunks or in a file: %s", async (_, bytes) => {
  for (const file of [undefined, written(bytes)]) {
    const store = openMemoryStore();
    const { original } = await importInto(store, bytes, { keep, ...(file && { file }) });
    expect(original).toMatchObject({
      name: "a.jtl",
      author: "ci",
      sizeBytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
    expect(await keptIn(store)).toEqual([bytes.toString("latin1")]);
    const [source] = await store.points.sources("run");
    expect(original?.sourceId).toBe(source?.sourceId);
  }
});

test("nothing is kept unless asked for, nor of a file that cannot be imported", async () => {
  const store = openMemoryStore();
  expect((await importInto(store, WHOLE)).original).toBeUndefined();
  await expect(importInto(store, "what is this?", { keep })).rejects.toMatchObject({
    code: "unreadable-source",
  });
  await expect(
    importInto(store, HEADER + SECOND, { keep: { bytesMax: 50 } }),
  ).rejects.toMatchObject({ code: "file-too-large" });
  expect(await keptIn(store)).toEqual([]);
  expect(await store.points.sources("run")).toHaveLength(1);
});

test("a file that was imported without its original can be kept later, once", async () => {
  const store = openMemoryStore();
  await importInto(store, WHOLE);
  const { original, alreadyImported } = await importInto(store, WHOLE, { keep });
  expect(alreadyImported).toBe(true);
  expect(await keptIn(store)).toEqual([WHOLE]);
  expect((await importInto(store, WHOLE, { keep })).original).toEqual(original);
  expect(await keptIn(store)).toEqual([WHOLE]);
});

test("content of another run is kept there", async () => {
  const store = openMemoryStore();
  await importInto(store, WHOLE);
  const report = await importInto(store, WHOLE, { keep, isOnlyNew: true, id: "new" });
  expect(report).toMatchObject({ loadTestId: "run", original: { sizeBytes: WHOLE.length } });
  expect(await keptIn(store)).toEqual([WHOLE]);
  expect(await store.loadTests.find("new")).toBeUndefined();
});

test("the original of a grown file takes the place of the earlier one, not the other way round", async () => {
  const store = openMemoryStore();
  await importInto(store, HEADER + FIRST, { keep });
  await importInto(store, WHOLE, { keep });
  expect(await keptIn(store)).toEqual([WHOLE]);
  const report = await importInto(store, HEADER + FIRST, { keep });
  expect(report.original).toBeUndefined();
  expect(report.notes.join()).toContain("the original file was not kept");
  expect(await keptIn(store)).toEqual([WHOLE]);
});

test("a file without rows is kept", async () => {
  const store = openMemoryStore();
  await importInto(store, HEADER, { keep, isEmptyAllowed: true });
  expect(await keptIn(store)).toEqual([HEADER]);
});
