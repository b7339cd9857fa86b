import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/store-directory.ts";
import { createTables } from "./schema.ts";

function openEmpty(): DatabaseSync {
  const database = new DatabaseSync(path.join(temporaryDirectory(), "store.db"));
  onTestFinished(() => database.close());
  return database;
}

test("an empty file gets the tables, and opening it again changes nothing", () => {
  const database = openEmpty();
  createTables(database, "store.db");
  expect(database.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
  const before = database.prepare("SELECT id FROM store").all();
  createTables(database, "store.db");
  expect(database.prepare("SELECT id FROM store").all()).toEqual(before);
});

test.each([
  ["a newer version", "PRAGMA user_version = 2", "store-too-new", /version 2.*supports 1/],
  [
    "a development version",
    "PRAGMA application_id = 0x54616368",
    "store-unusable",
    /import the files again into another directory/,
  ],
  ["another program", "PRAGMA application_id = 7", "store-unusable", /not a Tachograph file/],
])("a file of %s is refused", (_, change, code, message) => {
  const database = openEmpty();
  createTables(database, "store.db");
  database.exec(change);
  expect(() => createTables(database, "store.db")).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});

test("a definition with a flipped bit is damage, even if SQLite reads it", () => {
  const database = openEmpty();
  createTables(database, "store.db");
  database.enableDefensive(false);
  database.exec(`PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'format TEXT', 'Format TEXT') WHERE name = 'sources';
    PRAGMA writable_schema = RESET`);
  expect(() => createTables(database, "store.db")).toThrow(
    expect.objectContaining({
      code: "damaged-store",
      message: expect.stringContaining("definition of sources"),
    }),
  );
});
