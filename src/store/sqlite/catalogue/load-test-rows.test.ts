import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { beginLoadTest } from "../../../model/load-test.ts";
import { loadTest } from "../../../../test/support/load-tests.ts";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { openFile } from "../file.ts";
import { loadTestOf, openLoadTestRows } from "./load-test-rows.ts";
import { openLoadTests } from "./load-tests.ts";
import { createTables } from "../schema.ts";

function openWithOne(): DatabaseSync {
  const database = new DatabaseSync(path.join(temporaryDirectory(), "store.db"));
  onTestFinished(() => database.close());
  createTables(database, "store.db");
  openLoadTestRows(database).add({}, beginLoadTest(loadTest("a")), 3);
  return database;
}

test("a load test reads back as it was added", () => {
  const row = openLoadTestRows(openWithOne()).find({}, "a");
  expect(row && loadTestOf(row)).toEqual(beginLoadTest(loadTest("a")));
});

test.each(["name = 'B'", "attributes = '{}'", "finished_at_ms = NULL", "last_data_at_ms = NULL"])(
  "an unexpected change to %s is damage",
  (change) => {
    const database = openWithOne();
    const rows = openLoadTestRows(database);
    const row = rows.find({}, "a");
    if (row === undefined) throw new Error("not found");
    const said = { attributes: '{"tags":["x"]}', finished_at_ms: 5, last_data_at_ms: 6 };
    rows.save({ ...row, ...said });
    expect(rows.find({}, "a")).toMatchObject(said);
    database.exec(`UPDATE load_tests SET ${change}`);
    expect(() => rows.find({}, "a")).toThrow(expect.objectContaining({ code: "damaged-store" }));
  },
);

test("what another process writes while a load test is looked up is no damage", async () => {
  const name = path.join(temporaryDirectory(), "store.db");
  const file = openFile(name, { now: () => 1, quickCheckBytesMax: 0 });
  onTestFinished(() => file.close());
  const loadTests = openLoadTests(file, {});
  await loadTests.create(loadTest());
  using other = new DatabaseSync(name);
  other.exec(`INSERT INTO sources (load_test, id, visibility, format, last_batch_at_ms)
    VALUES ((SELECT number FROM load_tests), 'live', 'live', 'k6-csv', 1)`);
  const formats = file.reading.sources.formats.bind(file.reading.sources);
  vi.spyOn(file.reading.sources, "formats").mockImplementation((number) => {
    other.exec("UPDATE sources SET requests = requests + 1");
    return formats(number);
  });
  expect(await loadTests.find("run")).toMatchObject({ id: "run", formats: ["k6-csv"] });
});

test("a project of one load test is listed beside 30,000 of others as fast as alone", async () => {
  const name = path.join(temporaryDirectory(), "store.db");
  const file = openFile(name, { now: () => 1, quickCheckBytesMax: 0 });
  onTestFinished(() => file.close());
  const loadTests = openLoadTests(file, { project: "web" });
  await loadTests.create(loadTest());
  file.writer.exec(
    `WITH RECURSIVE others(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM others WHERE n < 30000)
     INSERT INTO load_tests (project, id, name, created_at_ms, revision)
     SELECT 'others', 'run-' || n, '', n, 1 FROM others`,
  );
  // To list them all took 600 ms.
  expect(await fastest(() => loadTests.list())).toBeLessThan(50);
});

async function fastest(work: () => Promise<unknown>): Promise<number> {
  const tookMs: number[] = [];
  for (let time = 0; time < 5; time++) {
    const beganMs = performance.now();
    await work();
    tookMs.push(performance.now() - beganMs);
  }
  return Math.min(...tookMs);
}
