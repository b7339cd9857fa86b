import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { COMPLETE } from "../../../../test/support/batches.ts";
import { createTables } from "../schema.ts";
import { openSourceRows } from "./source-rows.ts";
import { EMPTY_TALLY } from "./tally.ts";

/** Opens an empty in-memory store. `recorded` returns the number of batches by source. */
function open() {
  const database = new DatabaseSync(":memory:");
  onTestFinished(() => database.close());
  createTables(database, ":memory:");
  const rows = openSourceRows(database);
  const count = database.prepare("SELECT source, count(*) AS batches FROM batches GROUP BY source");
  const recorded = () => count.all().map(({ source, batches }) => [source, batches]);
  /** Adds a staged source with `batches` batches. */
  const add = (loadTest: number, id: string, batches: number) => {
    const source = rows.add(loadTest, { id, visibility: "staged" });
    for (let sequence = 0; sequence < batches; sequence++) {
      rows.addBatch(source, sequence, Uint8Array.of(sequence));
    }
    return source;
  };
  return { database, rows, recorded, add };
}

test("a source is found by number and by name until it is removed", () => {
  const { rows, add } = open();
  const source = add(7, "import", 0);
  expect(rows.get(source.number)).toEqual(source);
  expect(rows.find(7, "import")).toEqual(source);
  expect([rows.find(8, "import"), rows.find(7, "other")]).toEqual([undefined, undefined]);
  rows.remove(source);
  expect(rows.get(source.number)).toBeUndefined();
});

test("a source whose endpoints are text, as after a flipped bit, is damaged", () => {
  const { database, rows, add } = open();
  const source = add(7, "import", 0);
  database.exec(`CREATE TABLE lax AS SELECT * FROM sources;
    UPDATE lax SET endpoints = 'ab';
    DROP TABLE sources;
    ALTER TABLE lax RENAME TO sources;`);
  const damaged = { code: "damaged-store", message: expect.stringContaining('source "import"') };
  expect(() => rows.get(source.number)).toThrow(expect.objectContaining(damaged));
});

test("batches of a removed source are deleted in limited steps until none is left", () => {
  const { rows, recorded, add } = open();
  const [removed, kept] = [add(7, "removed", 3), add(7, "kept", 2)];
  expect(rows.anyRemoved()).toBe(false);
  rows.forgetSome(2);
  rows.remove(removed);
  expect(rows.anyRemoved()).toBe(true);
  const seen: unknown[] = [];
  for (let turn = 0; turn < 2; turn++) {
    rows.forgetSome(2);
    seen.push([rows.anyRemoved(), recorded()]);
  }
  expect(seen).toEqual([
    [
      true,
      [
        [removed.number, 1],
        [kept.number, 2],
      ],
    ],
    [false, [[kept.number, 2]]],
  ]);
});

test("a removed source is checked once more after a full step", () => {
  const { rows, recorded, add } = open();
  rows.remove(add(7, "removed", 2));
  rows.forgetSome(2);
  expect([rows.anyRemoved(), recorded()]).toEqual([true, []]);
  rows.forgetSome(2);
  expect(rows.anyRemoved()).toBe(false);
});

test("removing all sources of a load test also deletes their recorded batches", () => {
  const { rows, recorded, add } = open();
  add(7, "one", 1);
  add(7, "two", 1);
  const other = add(8, "one", 1);
  rows.removeAll(7);
  expect([rows.hasAny(7), rows.hasAny(8)]).toEqual([false, true]);
  while (rows.anyRemoved()) rows.forgetSome(5);
  expect(recorded()).toEqual([[other.number, 1]]);
});

test("a staged source is stale when its last batch is old", () => {
  const { rows, add } = open();
  const [old, young] = [add(7, "old", 1), add(7, "young", 1)];
  rows.saveTally(old, EMPTY_TALLY, 99);
  rows.saveTally(young, EMPTY_TALLY, 100);
  expect(rows.stale(100)).toEqual([{ ...old, lastBatchAtMs: 99 }]);
  const about = { name: "a", format: "test", sizeBytes: 1, digest: "gmac:1", quality: COMPLETE };
  rows.markPublished(old, { loadTestId: "run", sourceId: "old", ...about });
  expect(rows.stale(100)).toEqual([]);
  expect(rows.visible(7)).toMatchObject([{ id: "old", published: about }]);
});
