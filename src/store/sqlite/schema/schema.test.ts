import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { type Migration, MIGRATIONS } from "./migrations.ts";
import { migrate } from "./schema.ts";

const NEWEST = MIGRATIONS.length;

const addColumn: Migration = (database) => {
  database.exec("ALTER TABLE load_tests ADD COLUMN note TEXT NOT NULL DEFAULT ''");
};

const failing: Migration = () => {
  throw new Error("step 3 failed");
};

function openEmpty(): DatabaseSync {
  const database = new DatabaseSync(path.join(temporaryDirectory(), "store.db"));
  onTestFinished(() => database.close());
  return database;
}

function versionOf(database: DatabaseSync): unknown {
  return database.prepare("PRAGMA user_version").get()?.["user_version"];
}

test("an empty file gets the newest version, and a second migration changes nothing", () => {
  const database = openEmpty();
  migrate(database, "store.db");
  expect(versionOf(database)).toBe(NEWEST);
  const before = database.prepare("SELECT id FROM store").all();
  migrate(database, "store.db");
  expect(database.prepare("SELECT id FROM store").all()).toEqual(before);
});

test("an older file is upgraded and keeps its data", () => {
  const database = openEmpty();
  migrate(database, "store.db");
  database.exec(
    "INSERT INTO load_tests (id, name, created_at_ms, revision) VALUES ('a', '', 1, 1)",
  );
  migrate(database, "store.db", [...MIGRATIONS, addColumn]);
  expect(versionOf(database)).toBe(NEWEST + 1);
  expect(database.prepare("SELECT id, note FROM load_tests").all()).toEqual([
    { id: "a", note: "" },
  ]);
});

test("blocks keep their bytes, and numbers of deleted ones are not used again", () => {
  const database = openEmpty();
  migrate(database, "store.db", MIGRATIONS.slice(0, 9));
  const insert = `INSERT INTO blocks (load_test, source, kind, endpoints, points, first_second,
      last_second, plain_crc, distribution_crc, crc)
    VALUES (1, 2, ?, x'01', 3, 4, 5, 6, 7, 8)`;
  for (const kind of ["points", "users", "failures"]) database.prepare(insert).run(kind);
  database.exec("DELETE FROM blocks WHERE number > 1");
  const before = database.prepare("SELECT * FROM blocks").get();
  migrate(database, "store.db");
  expect(database.prepare("SELECT * FROM blocks").get()).toEqual(before);
  expect(database.prepare(insert).run("measures").lastInsertRowid).toBe(4);
});

test("a failed step leaves the file unchanged", () => {
  const database = openEmpty();
  migrate(database, "store.db");
  expect(() => migrate(database, "store.db", [...MIGRATIONS, addColumn, failing])).toThrow(
    "step 3 failed",
  );
  expect(versionOf(database)).toBe(NEWEST);
  expect(() => database.prepare("SELECT note FROM load_tests")).toThrow("no such column");
});

test("a file of a newer version is refused with both versions", () => {
  const database = openEmpty();
  migrate(database, "store.db", [...MIGRATIONS, addColumn]);
  expect(() => migrate(database, "store.db")).toThrow(
    expect.objectContaining({
      code: "store-too-new",
      message: expect.stringMatching(`version ${NEWEST + 1}.*supports ${NEWEST}`),
    }),
  );
});

test("a file of another program is refused", () => {
  const database = openEmpty();
  database.exec("CREATE TABLE cookies (value TEXT)");
  expect(() => migrate(database, "store.db")).toThrow(
    expect.objectContaining({ code: "store-unusable" }),
  );
});
