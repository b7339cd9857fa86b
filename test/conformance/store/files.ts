/** Files kept with load tests: seen when they are complete, read byte for byte, and gone with the last one that has the bytes. */

import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import type { NewFile } from "../../../src/model/kept-file.ts";
import { batchOf, published, sample } from "../../support/batches.ts";
import { loadTest } from "../../support/load-tests.ts";

/** Several chunks that do not compress, and a rest. */
function noise(length: number): Buffer {
  let state = 7;
  return Buffer.from(
    Uint8Array.from(
      { length },
      () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) >> 16,
    ),
  );
}

function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function keep(store: Store, file: Partial<NewFile>, ...parts: readonly Uint8Array[]) {
  const writer = store.files.begin({ loadTestId: "run", name: "a.jtl", ...file });
  for (const part of parts) await writer.write(part);
  return writer.finish();
}

async function bytesOf(store: Store, id = "", from?: number, until?: number): Promise<Buffer> {
  const found = await store.files.find("run", id);
  const parts = found === undefined ? [] : await Array.fromAsync(found.read(from, until));
  return Buffer.concat(parts);
}

export function filesConform(open: (options?: { now?: () => number }) => Promise<Store>): void {
  async function openWithRun(): Promise<Store> {
    const store = await open({ now: () => 1_800_000_000_000 });
    await store.loadTests.create(loadTest("run"));
    return store;
  }

  test("a file is read as it was written, however it was cut, and in parts", async () => {
    const store = await openWithRun();
    const bytes = noise(9 * 1024 * 1024 + 12_345);
    const cuts = [0, 1, 70_000, 1024 * 1024, 1024 * 1024 + 1, 8_888_888, bytes.length];
    const parts = cuts.slice(1).map((end, at) => bytes.subarray(cuts[at], end));
    const kept = await keep(store, { name: "../ü\u202E\n=1.jtl", author: "ci" }, ...parts);
    expect(kept).toMatchObject({ sizeBytes: bytes.length, sha256: sha256Of(bytes) });
    expect(await store.files.list("run")).toEqual([
      {
        id: kept?.id,
        name: "../ü\u202E\n=1.jtl",
        sizeBytes: bytes.length,
        sha256: sha256Of(bytes),
        addedAtMs: 1_800_000_000_000,
        author: "ci",
      },
    ]);
    expect((await bytesOf(store, kept?.id)).equals(bytes)).toBe(true);
    const [from, until] = [1024 * 1024 - 3, 3 * 1024 * 1024 + 5];
    expect((await bytesOf(store, kept?.id, from, until)).equals(bytes.subarray(from, until))).toBe(
      true,
    );
    expect(await Array.fromAsync(store.verify())).toEqual([]);
  });

  test("an empty file is kept", async () => {
    const store = await openWithRun();
    const kept = await keep(store, {});
    expect(kept).toMatchObject({ sizeBytes: 0, sha256: sha256Of(Buffer.alloc(0)) });
    expect(await bytesOf(store, kept?.id)).toHaveLength(0);
  });

  test("a file is not seen before it is finished, nor after it is given up", async () => {
    const store = await openWithRun();
    const writer = store.files.begin({ loadTestId: "run", name: "a" });
    await writer.write(noise(10_000_000));
    expect(await store.files.list("run")).toEqual([]);
    await writer.discard();
    expect(await store.files.list("run")).toEqual([]);
  });

  test("the original of a source stays if another with the same bytes replaces it", async () => {
    const store = await openWithRun();
    const about = published("file");
    const publish = async (sourceId: string, replaces: readonly string[], digest: string) => {
      await store.points.append(batchOf([sample("a", 1)], { sourceId, visibility: "staged" }));
      await store.points.publish({ ...about, sourceId, digest }, replaces);
    };
    await publish("file", [], about.digest);
    const kept = await keep(store, { sourceId: "file" }, noise(100));
    await publish("same", ["file"], about.digest);
    expect(await store.files.list("run")).toEqual([{ ...kept, sourceId: "same" }]);
    expect(await bytesOf(store, kept?.id)).toEqual(noise(100));
    await publish("grown", ["same"], published("grown").digest);
    expect(await store.files.list("run")).toEqual([]);
  });

  test("an original is seen with its source, once, and goes with it", async () => {
    const store = await openWithRun();
    await store.points.append(batchOf([sample("a", 3)], { sourceId: "1", visibility: "staged" }));
    const kept = await keep(store, { sourceId: "1" }, Buffer.from("one"));
    expect(await store.files.list("run")).toEqual([]);
    expect(await store.files.find("run", kept?.id ?? "")).toBeUndefined();
    await store.points.publish(published("1"));
    expect(await store.files.list("run")).toEqual([kept]);
    expect(await keep(store, { sourceId: "1" }, Buffer.from("two"))).toEqual(kept);
    expect(String(await bytesOf(store, kept?.id))).toBe("one");
    await expect(keep(store, { sourceId: "2" })).rejects.toMatchObject({ code: "bad-parameter" });
    await store.points.withdraw("run", "1");
    expect(await store.files.list("run")).toEqual([]);
  });

  test("equal files are kept as long as one of them is there", async () => {
    const store = await openWithRun();
    await store.loadTests.create(loadTest("other"));
    const bytes = noise(3_000_000);
    const first = await keep(store, { name: "first" }, bytes);
    const second = await keep(store, { name: "second" }, bytes);
    const other = await keep(store, { loadTestId: "other", name: "third" }, bytes);
    expect(new Set([first?.id, second?.id, other?.id]).size).toBe(3);
    await store.files.remove("run", first?.id ?? "");
    await store.loadTests.delete("other");
    expect((await bytesOf(store, second?.id)).equals(bytes)).toBe(true);
    await store.files.remove("run", second?.id ?? "");
    await store.files.remove("run", "unknown");
    expect(await store.files.list("run")).toEqual([]);
    const again = await keep(store, {}, bytes);
    expect((await bytesOf(store, again?.id)).equals(bytes)).toBe(true);
  });

  test("a later run of the same id has none of the earlier files", async () => {
    const store = await openWithRun();
    const kept = await keep(store, {}, Buffer.from("one"));
    await store.loadTests.delete("run");
    await store.loadTests.create(loadTest("run"));
    expect(await store.files.list("run")).toEqual([]);
    expect(await store.files.find("run", kept?.id ?? "")).toBeUndefined();
  });

  test("limits are kept: bytes, and attachments of a run", async () => {
    const store = await openWithRun();
    const tooLarge = keep(store, { bytesMax: 2 }, Buffer.from("one"));
    await expect(tooLarge).rejects.toMatchObject({ code: "file-too-large" });
    await keep(store, { bytesMax: 3, attachmentsMax: 1 }, Buffer.from("one"));
    const second = keep(store, { attachmentsMax: 1 }, Buffer.from("two"));
    await expect(second).rejects.toMatchObject({ code: "too-many-files" });
    expect(await store.files.list("run")).toHaveLength(1);
    const unknown = keep(store, { loadTestId: "unknown" });
    await expect(unknown).rejects.toMatchObject({ code: "unknown-load-test" });
  });

  test("a file of a given id is kept once", async () => {
    const store = await openWithRun();
    const kept = await keep(store, { id: "f1", addedAtMs: 5 }, Buffer.from("one"));
    expect(kept).toMatchObject({ id: "f1", addedAtMs: 5 });
    expect(await keep(store, { id: "f1" }, Buffer.from("two"))).toEqual(kept);
    expect(await store.files.list("run")).toEqual([kept]);
  });
}
