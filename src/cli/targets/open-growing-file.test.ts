import { appendFile, mkdtemp, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openGrowingFile } from "../commands/import-file.ts";

let folder = "";
let file = "";

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "tachograph-growing-"));
  file = path.join(folder, "results.jtl");
});

afterEach(() => rm(folder, { recursive: true }));

async function text(at: number): Promise<string> {
  const growing = await openGrowingFile(file);
  const bytes = Buffer.from((await growing?.read(at, 100)) ?? []);
  await growing?.close();
  return bytes.toString();
}

test("a growing file is read at any position, but not beyond its end", async () => {
  await writeFile(file, "one");
  const growing = await openGrowingFile(file);
  expect(Buffer.from((await growing?.read(1, 10)) ?? []).toString()).toBe("ne");
  await appendFile(file, " two");
  expect(Buffer.from((await growing?.read(3, 3)) ?? []).toString()).toBe(" tw");
  expect(await growing?.read(7, 10)).toHaveLength(0);
  expect(await growing?.sizeBytes()).toBe(7);
  await truncate(file, 2);
  expect(await growing?.sizeBytes()).toBe(2);
  expect(await text(1)).toBe("n");
  await growing?.close();
  await growing?.close();
});

test("a file counts as replaced as soon as another one is at its path", async () => {
  await writeFile(file, "one");
  const growing = await openGrowingFile(file);
  expect(await growing?.isReplaced()).toBe(false);
  await rename(file, `${file}.1`);
  expect(await growing?.isReplaced()).toBe(false);
  await writeFile(file, "two");
  expect(await growing?.isReplaced()).toBe(true);
  expect(Buffer.from((await growing?.read(0, 10)) ?? []).toString()).toBe("one");
  await growing?.close();
});

test("the file may be missing, but must not be a directory", async () => {
  expect(await openGrowingFile(file)).toBeUndefined();
  await expect(openGrowingFile(folder)).rejects.toMatchObject({ code: "unreadable-source" });
});
