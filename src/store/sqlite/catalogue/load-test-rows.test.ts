import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { openFile } from "../file.ts";
import { loadTestOf, openLoadTestRows } from "./load-test-rows.ts";
import { openLoadTests } from "./load-tests.ts";
import { MIGRATIONS } from "../schema/migrations.ts";
import { migrate } from "../schema/schema.ts";

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

test("what another process writes while a load test is looked up is no damage", async () => {
  const name = path.join(temporaryDirectory(), "store.db");
  const file = openFile(name, { now: () => 1, quickCheckBytesMax: 0 });
  onTestFinished(() => file.close());
  const loadTests = openLoadTests(file);
  await loadTests.create(loadTest());
  using other = new DatabaseSync(name);
  other.exec(`INSERT INTO sources (load_test, id, visibility, format, touched_at_ms)
    VALUES ((SELECT number FROM load_tests), 'live', 'live', 'k6-csv', 1)`);
  const formats = file.reading.sources.formats.bind(file.reading.sources);
  vi.spyOn(file.reading.sources, "formats").mockImplementation((number) => {
    other.exec("UPDATE sources SET requests = requests + 1");
    return formats(number);
  });
  expect(await loadTests.find("run")).toMatchObject({ id: "run", formats: ["k6-csv"] });
});
