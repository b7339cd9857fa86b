import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSpoolFolder } from "./spool-folder.ts";

async function temporaryPlace(): Promise<string> {
  const parent = await mkdtemp(path.join(tmpdir(), "tachograph-spool-folder-"));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return path.join(parent, "a", "spool");
}

test("files are stored whole, listed by name and read back", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await folder.put("b-2", Uint8Array.of(1, 2, 3));
  await folder.put("b-1", new Uint8Array(0));
  await folder.put("a-9", Uint8Array.of(4));
  expect(await folder.list()).toEqual([
    { name: "a-9", sizeBytes: 1 },
    { name: "b-1", sizeBytes: 0 },
    { name: "b-2", sizeBytes: 3 },
  ]);
  expect(await folder.read("b-2")).toEqual(Uint8Array.of(1, 2, 3));
  expect(await readdir(folder.place)).toEqual(["a-9.batch", "b-1.batch", "b-2.batch"]);
});

test("a file that is written again replaces the earlier one", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await folder.put("a", Uint8Array.of(1, 2, 3));
  await folder.put("a", Uint8Array.of(4));
  expect(await folder.read("a")).toEqual(Uint8Array.of(4));
});

test("only its owner may read stored files", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await folder.put("a", Uint8Array.of(1));
  const modes = [folder.place, path.join(folder.place, "a.batch")].map(async (each) => {
    const { mode } = await stat(each);
    return (mode & 0o777).toString(8);
  });
  expect(await Promise.all(modes)).toEqual(["700", "600"]);
});

test("an existing folder is opened with its files", async () => {
  const place = await temporaryPlace();
  await (await openSpoolFolder(place, 7)).put("a", Uint8Array.of(1));
  expect(await (await openSpoolFolder(place, 8)).list()).toEqual([{ name: "a", sizeBytes: 1 }]);
});

test("incomplete and foreign files are not listed", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await writeFile(path.join(folder.place, "a.7.part"), "half");
  await writeFile(path.join(folder.place, "notes.txt"), "mine");
  expect(await folder.list()).toEqual([]);
});

test("a missing file reads as undefined, and removing it again is not an error", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await folder.put("a", Uint8Array.of(1));
  await folder.remove("a");
  expect(await folder.read("a")).toBeUndefined();
  await folder.remove("a");
  await folder.putAside("a");
  expect(await readdir(folder.place)).toEqual([]);
});

test("files that are set aside stay for inspection", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await folder.put("a", Uint8Array.of(1));
  await folder.putAside("a");
  expect(await folder.list()).toEqual([]);
  expect(await readdir(folder.place)).toEqual(["a.refused"]);
});

test("a failed write to the folder is reported with path and reason", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await rm(folder.place, { recursive: true });
  await expect(folder.put("a", Uint8Array.of(1))).rejects.toMatchObject({
    code: "storage-full",
    message: expect.stringMatching(/^cannot write to the spool .*spool: ENOENT/),
    cause: expect.objectContaining({ code: "ENOENT" }),
  });
});

test("other errors are not taken for a missing file", async () => {
  const folder = await openSpoolFolder(await temporaryPlace(), 7);
  await folder.put("a", Uint8Array.of(1));
  await expect(folder.read("a.batch/b")).rejects.toMatchObject({ code: "ENOTDIR" });
});
