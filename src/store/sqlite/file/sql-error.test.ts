import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { atOneInstant, ignoreFullDisk, translated } from "./sql-error.ts";

/** Throws the SQLite error for a damaged page. */
function read(): never {
  throw Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
}

test("a read error names the damaged file, in single statements and in atOneInstant", () => {
  const file = path.join(temporaryDirectory(), "store.db");
  const database = new DatabaseSync(file);
  const told = `cannot read the store ${file}: database disk image is malformed`;
  expect(() => translated(database, { read }).read()).toThrow(told);
  expect(() => atOneInstant(database, read)).toThrow(told);
  database.close();
});

test.each([
  ["in the file", 13],
  ["for the index of the log", 4874],
])("no room %s means that the disk is full", (_, errcode) => {
  const error = Object.assign(new Error("no room"), { errcode });
  expect(() => ignoreFullDisk(error)).not.toThrow();
});

test("no other error counts as a full disk", () => {
  expect(() => ignoreFullDisk(Object.assign(new Error("a bad disk"), { errcode: 10 }))).toThrow(
    "a bad disk",
  );
  expect(() => ignoreFullDisk(new Error("BUG"))).toThrow("BUG");
});
