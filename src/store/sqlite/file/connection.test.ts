import { statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../../../test/support/store-directory.ts";
import {
  applySettings,
  openReader,
  openWriter,
  quickCheck,
  READER_SETTINGS,
  requireEngine,
  WRITER_SETTINGS,
} from "./connection.ts";

function openBoth() {
  const file = path.join(temporaryDirectory(), "store.db");
  const writer = openWriter(file);
  onTestFinished(() => writer.close());
  const reader = openReader(file);
  onTestFinished(() => reader.close());
  return { file, writer, reader };
}

function read(database: DatabaseSync, pragma: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
}

test.each([
  ["synchronous", 2, 2],
  ["trusted_schema", 0, 0],
  ["cell_size_check", 1, 1],
  ["mmap_size", 0, 0],
  ["journal_mode", "wal", "wal"],
  ["wal_autocheckpoint", 16_000, 0],
  ["query_only", 0, 1],
  ["auto_vacuum", 2, 2],
])("%s is %o for the writer and %o for the reader", (pragma, written, wanted) => {
  const { writer, reader } = openBoth();
  expect(read(writer, pragma)).toBe(written);
  expect(read(reader, pragma)).toBe(wanted);
});

test("reopening a file writes nothing, and so works on a full disk", () => {
  const { file, writer, reader } = openBoth();
  writer.exec("CREATE TABLE some (value INTEGER)");
  const version = read(reader, "data_version");
  openWriter(file).close();
  expect(read(reader, "data_version")).toBe(version);
});

test("the log is truncated to 64 MiB", () => {
  expect(read(openBoth().writer, "journal_size_limit")).toBe(67_108_864);
});

test("only the writer can write", () => {
  const { writer, reader } = openBoth();
  writer.exec("CREATE TABLE some (value INTEGER)");
  expect(() => reader.exec("INSERT INTO some VALUES (1)")).toThrow("readonly");
});

test("only the owner can read and write the files", () => {
  const { file, writer } = openBoth();
  writer.exec("CREATE TABLE some (value INTEGER)");
  for (const name of [file, `${file}-wal`, `${file}-shm`]) {
    expect(statSync(name).mode & 0o777).toBe(0o600);
  }
});

test.each(["synchronous", "trusted_schema", "cell_size_check", "mmap_size"])(
  "a connection that ignores the setting %s is refused",
  (stubborn) => {
    for (const settings of [WRITER_SETTINGS, READER_SETTINGS]) {
      expect(() => applySettings(connectionThatIgnores(stubborn), settings, "store.db")).toThrow(
        expect.objectContaining({
          code: "store-unusable",
          message: expect.stringContaining(`its setting ${stubborn} is 77`),
        }),
      );
    }
  },
);

test.each(["3.51.3", "3.51.10", "3.53.0", "4.0.0"])("SQLite %s is accepted", (version) => {
  expect(() => requireEngine(version)).not.toThrow();
});

test.each(["3.51.2", "3.46.1", "3.9.9", "2.99.99"])("SQLite %s is refused", (version) => {
  expect(() => requireEngine(version)).toThrow(
    expect.objectContaining({ code: "store-unusable", message: expect.stringContaining("3.51.3") }),
  );
});

test("a directory and a file in a missing directory are refused", () => {
  const directory = temporaryDirectory();
  expect(() => openWriter(directory)).toThrow(expect.objectContaining({ code: "store-unusable" }));
  const file = path.join(directory, "missing", "store.db");
  expect(() => openWriter(file)).toThrow(expect.objectContaining({ code: "store-unusable" }));
});

test("a file larger than the limit is not checked", () => {
  const { file, writer } = openBoth();
  writer.exec("CREATE TABLE some (value INTEGER)");
  expect(() => quickCheck(writer, file, 1024 ** 3)).not.toThrow();
  const closed = new DatabaseSync(":memory:");
  closed.close();
  expect(() => quickCheck(closed, file, 0)).not.toThrow();
});

/** Returns a connection that returns 77 for one setting and the set value for all others. */
function connectionThatIgnores(stubborn: string) {
  const settings = new Map<string, unknown>([[stubborn, 77]]);
  return {
    exec(sql: string) {
      const [, name = "", value] = /^PRAGMA (\w+) = (\w+)$/.exec(sql) ?? [];
      if (name !== stubborn) settings.set(name, Number(value));
    },
    prepare(sql: string) {
      const name = sql.replace("PRAGMA ", "");
      return { get: () => ({ [name]: settings.get(name) }) } as never;
    },
  };
}
