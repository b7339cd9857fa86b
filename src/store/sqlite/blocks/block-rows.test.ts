import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { boundBytes } from "./block-rows.ts";

test.each([
  ["nothing", new Uint8Array(0), 0],
  ["nothing from another thread", structuredClone(new Uint8Array(0)), 0],
  ["bytes", Uint8Array.of(1, 2), 2],
])("%s is bound as a BLOB", (_, bytes, length) => {
  using database = new DatabaseSync(":memory:");
  const statement = database.prepare("SELECT typeof(:bytes) type, length(:bytes) length");
  expect(statement.get({ bytes: boundBytes(bytes) })).toEqual({ type: "blob", length });
});
