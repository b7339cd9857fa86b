import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { loadTestOf, openLoadTestRows } from "./load-test-rows.ts";
import { migrate, MIGRATIONS } from "../schema/schema.ts";

/** Opens a file of version 1 with one load test and migrates it. */
function openMigrated(): DatabaseSync {
  const database = new DatabaseSync(path.join(temporaryDirectory(), "store.db"));
  onTestFinished(() => database.close());
  migrate(database, "store.db", MIGRATIONS.slice(0, 1));
  const values = [1, "a", "A", 7, 3, 0, 2, 5, 1, null, null];
  database
    .prepare(
      `INSERT INTO load_tests (number, id, name, created_at_ms, revision, blocks, endpoints,
         requests, failed_requests, first_second, last_second, crc)
       VALUES (${values.map(() => "?").join(", ")}, ?)`,
    )
    .run(...values, crc32(JSON.stringify(values)));
  migrate(database, "store.db");
  return database;
}

test("a load test of version 1 is complete after the migration", () => {
  const row = openLoadTestRows(openMigrated()).find("a");
  expect(row && loadTestOf(row)).toEqual({
    id: "a",
    name: "A",
    createdAtMs: 7,
    tags: [],
    pinned: false,
    finishedAtMs: undefined,
  });
});

test.each([
  "name = 'B'",
  "tags = '[1]'",
  "tags = '[]'",
  "pinned = 0",
  "finished_at_ms = NULL",
  "last_data_at_ms = NULL",
])("an unexpected change to %s is damage", (change) => {
  const database = openMigrated();
  const rows = openLoadTestRows(database);
  const row = rows.find("a");
  if (row === undefined) throw new Error("not found");
  const said = { tags: '["x"]', pinned: 1, finished_at_ms: 5, last_data_at_ms: 6 } as const;
  rows.save({ ...row, ...said });
  expect(rows.find("a")).toMatchObject(said);
  database.exec(`UPDATE load_tests SET ${change}`);
  expect(() => rows.find("a")).toThrow(expect.objectContaining({ code: "damaged-store" }));
});
