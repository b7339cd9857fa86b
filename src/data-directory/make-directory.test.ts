import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { closeToOthers, makeDirectory } from "./directory.ts";
import { testFolder } from "../../test/support/test-folder.ts";

const folder = testFolder();

beforeAll(() => {});

test("creates a directory and its parents for its owner only, and tolerates an existing one", () => {
  const directory = path.join(folder, "a/b/c");
  makeDirectory(directory);
  makeDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(folder, "a")).isDirectory()).toBe(true);
});

test("fails at once if it cannot create the directory", () => {
  writeFileSync(path.join(folder, "file"), "");
  expect(() => makeDirectory(path.join(folder, "file/x"))).toThrow("ENOTDIR");
  expect(() => makeDirectory("/proc/nope/x")).toThrow(
    "cannot make the data directory /proc/nope/x",
  );
});

function directoryOf(name: string, mode: number, files: readonly string[]): string {
  const directory = path.join(folder, name);
  mkdirSync(directory);
  for (const file of files) writeFileSync(path.join(directory, file), "");
  chmodSync(directory, mode);
  return directory;
}

test.each([
  ["an empty one", 0o777, []],
  ["one that has a store", 0o755, ["tachograph.sqlite", "tachograph.sqlite-wal", "server.lock"]],
])("removes permissions of others from a data directory: %s", (name, mode, files) => {
  const directory = directoryOf(name, mode, files);
  const warnings: string[] = [];
  closeToOthers(directory, (message) => warnings.push(message));
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(warnings).toEqual([expect.stringContaining(`mode 0${mode.toString(8)}`)]);
  closeToOthers(directory, (message) => warnings.push(message));
  expect(warnings).toHaveLength(1);
});

test("leaves a directory with other files unchanged, and rejects it if world-writable", () => {
  const shared = directoryOf("shared", 0o775, ["tachograph.sqlite", "notes.txt"]);
  closeToOthers(shared, (message) => expect.fail(message));
  expect(statSync(shared).mode & 0o777).toBe(0o775);
  const open = directoryOf("open", 0o1777, ["tachograph.sqlite", "notes.txt"]);
  expect(() => closeToOthers(open, (message) => expect.fail(message))).toThrow(
    `${open}: every user may write to it (mode 1777)`,
  );
  expect(statSync(open).mode & 0o7777).toBe(0o1777);
});

test("without permission to change it, keeps the mode and rejects a world-writable directory", () => {
  const mayNot = { mayChange: false };
  const readable = directoryOf("readable", 0o755, ["tachograph.sqlite"]);
  closeToOthers(readable, (message) => expect.fail(message), mayNot);
  expect(statSync(readable).mode & 0o777).toBe(0o755);
  const open = directoryOf("writable", 0o777, ["tachograph.sqlite"]);
  expect(() => closeToOthers(open, (message) => expect.fail(message), mayNot)).toThrow(open);
});
