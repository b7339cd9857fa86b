import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WhileUnchanged } from "./while-unchanged.ts";

let folder: string;
let writer: DatabaseSync;
let reader: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tachograph-unchanged-"));
  const file = path.join(folder, "store");
  writer = new DatabaseSync(file);
  writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE counts (n); INSERT INTO counts VALUES (1)");
  reader = new DatabaseSync(file, { readOnly: true });
});

afterEach(() => {
  reader.close();
  writer.close();
  rmSync(folder, { recursive: true });
});

function fail(): never {
  throw new Error("no");
}

function counter() {
  const statement = reader.prepare("SELECT n FROM counts");
  let reads = 0;
  const read = () => {
    reads += 1;
    return Number(statement.get()?.["n"]);
  };
  return { read, reads: () => reads };
}

test("a cached value is read again once another connection has changed the file", () => {
  const remembered = new WhileUnchanged<number>(reader, 10);
  const { read, reads } = counter();
  expect([remembered.get("a", read), remembered.get("a", read), reads()]).toEqual([1, 1, 1]);
  writer.exec("UPDATE counts SET n = 2");
  expect([remembered.get("a", read), remembered.get("a", read), reads()]).toEqual([2, 2, 2]);
});

test("the cache keeps at most the given number of values", () => {
  const remembered = new WhileUnchanged<number>(reader, 2);
  const { read, reads } = counter();
  for (const name of ["a", "b", "c", "a"]) remembered.get(name, read);
  expect(reads()).toBe(4);
});

test("a failed read is retried", () => {
  const remembered = new WhileUnchanged<number>(reader, 2);
  expect(() => remembered.get("a", fail)).toThrow("no");
  expect(remembered.get("a", () => 3)).toBe(3);
});
