import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import { translated } from "../file/sql-error.ts";
import { createTables } from "../schema.ts";
import { boundBytes, checkedBlock, openBlockRows, rowChecksum } from "./block-rows.ts";

test.each([
  ["nothing", new Uint8Array(0), 0],
  ["nothing from another thread", structuredClone(new Uint8Array(0)), 0],
  ["bytes", Uint8Array.of(1, 2), 2],
])("%s is bound as a BLOB", (_, bytes, length) => {
  using database = new DatabaseSync(":memory:");
  const statement = database.prepare("SELECT typeof(:bytes) type, length(:bytes) length");
  expect(statement.get({ bytes: boundBytes(bytes) })).toEqual({ type: "blob", length });
});

test("a listed block is a plain object, and shares its endpoints with others", () => {
  const row = {
    number: 1,
    load_test: 1,
    source: 1,
    kind: "points" as const,
    endpoint_group: 0,
    roles: null,
    points: 16,
    first_second: 1,
    last_second: 1,
    plain_crc: 5,
    distribution_crc: 6,
  };
  // As SQLite returns rows.
  const found = (...endpoints: number[]) => {
    const own = { ...row, endpoints: Uint8Array.from(endpoints) };
    return Object.assign(Object.create(null) as object, own, { crc: rowChecksum(own) });
  };
  const [listed, another] = [checkedBlock(found(0, 16)), checkedBlock(found(0, 16))];
  expect(listed).toStrictEqual({ ...row, endpoints: Uint8Array.of(0, 16) });
  expect(another.endpoints).toBe(listed.endpoints);
  expect(checkedBlock(found(0, 15)).endpoints).toEqual(Uint8Array.of(0, 15));
  expect(() => checkedBlock({ ...found(0, 16), points: 17 })).toThrow("the row of block 1");
});

test("errors of SQLite while blocks are listed are translated", () => {
  const file = path.join(temporaryDirectory(), "store.db");
  using database = new DatabaseSync(file);
  createTables(database, file);
  using another = new DatabaseSync(file);
  const blocks = translated(database, openBlockRows(database));
  another.exec("BEGIN EXCLUSIVE");
  expect(() => blocks.visiblePage(1, 1, 0)).toThrow("cannot read the store");
  expect(() => blocks.visible(1, 1)).toThrow("cannot read the store");
});
