import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDirectory } from "./make-directory.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tachograph-make-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

test("a directory is made with all above it, for its owner alone, and made again without harm", () => {
  const directory = path.join(folder, "a/b/c");
  makeDirectory(directory);
  makeDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(folder, "a")).isDirectory()).toBe(true);
});

test("where nothing can be made, it says so at once", () => {
  writeFileSync(path.join(folder, "file"), "");
  expect(() => makeDirectory(path.join(folder, "file/x"))).toThrow("ENOTDIR");
  expect(() => makeDirectory("/proc/nope/x")).toThrow(
    "cannot make the data directory /proc/nope/x",
  );
});
