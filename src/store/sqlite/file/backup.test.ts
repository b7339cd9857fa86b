import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStoreIn, temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { backUp } from "./backup.ts";

function forbidLinks(): void {
  const spy = vi.spyOn(fs, "linkSync").mockImplementation(() => {
    throw Object.assign(new Error("operation not permitted, link"), { code: "EPERM" });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

test("what a failed backup leaves is removed", () => {
  const directory = temporaryDirectory();
  const [file, backup] = [path.join(directory, "store.db"), path.join(directory, "backup")];
  fs.writeFileSync(file, "not a store");
  fs.writeFileSync(`${backup}.partial-journal`, "of a backup that found the disk full");
  expect(() => backUp(file, backup)).toThrow("store.db");
  expect(fs.readdirSync(directory)).toEqual(["store.db"]);
});

test("a backup works on file systems without hard links, and never replaces a file", async () => {
  forbidLinks();
  const directory = temporaryDirectory();
  const store = await openStoreIn(directory);
  await store.loadTests.create(loadTest());
  const [file, backup] = [path.join(directory, "store.db"), path.join(directory, "backup")];
  expect(backUp(file, backup)).toBeGreaterThan(0);
  expect(fs.linkSync).toHaveBeenCalled();
  expect(fs.readdirSync(directory)).not.toContain("backup.partial");
  const copy = temporaryDirectory();
  fs.copyFileSync(backup, path.join(copy, "store.db"));
  expect(await (await openStoreIn(copy)).loadTests.list()).toEqual(await store.loadTests.list());
  expect(() => backUp(file, backup)).toThrow("already exists");
});
