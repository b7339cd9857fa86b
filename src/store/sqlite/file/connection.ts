/** Connections to the store file, and the settings they require. */

import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { systemCode, UserError } from "../../../model/errors.ts";
import { connectReadOnly } from "../read-only.ts";
import { isBusy, storeError } from "./sql-error.ts";

/** Older versions can damage a file when two connections reset the log concurrently. */
const ENGINE_VERSION_MIN = "3.51.3";
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
/** A commit that grows the log beyond this runs a checkpoint before it returns. */
const AUTOCHECKPOINT_PAGES = 16_000;
/** While a process opens the file, it can afford to wait for others. */
const OPENING_TIMEOUT_MS = 10_000;
const OPENING_PAUSE_MS = 20;
/** Later, waiting blocks the whole process; the write queue retries instead. */
const BUSY_TIMEOUT_MS = 40;
const OWNER_ONLY = 0o600;
/** Value of `auto_vacuum`. */
const INCREMENTAL = 2;

/** A setting and the value that it must read back as. */
type Setting = readonly [name: string, value: number | string];

/** An acknowledged batch survives a power failure, and damage is noticed early. */
const SHARED_SETTINGS: readonly Setting[] = [
  ["synchronous", 2],
  ["trusted_schema", 0],
  ["cell_size_check", 1],
  ["mmap_size", 0],
];

export const WRITER_SETTINGS: readonly Setting[] = [
  ...SHARED_SETTINGS,
  ["wal_autocheckpoint", AUTOCHECKPOINT_PAGES],
  ["journal_size_limit", JOURNAL_BYTES_MAX],
];

/** For checkpoints only. */
const CHECKPOINTER_SETTINGS: readonly Setting[] = [...SHARED_SETTINGS, ["wal_autocheckpoint", 0]];

export const READER_SETTINGS: readonly Setting[] = [
  ...SHARED_SETTINGS,
  ["query_only", 1],
  ["wal_autocheckpoint", 0],
];

/** The part of a connection that `applySettings` needs. */
export type Configurable = Pick<DatabaseSync, "exec" | "prepare">;

/** Opens the connection that writes and checkpoints. Creates a missing file, for its owner only. Throws `store-unusable`, `damaged-store`. */
export function openWriter(path: string): DatabaseSync {
  return opening(path, () => {
    closeSync(openSync(path, "a", OWNER_ONLY));
    chmodSync(path, OWNER_ONLY);
    const database = new DatabaseSync(path, { timeout: OPENING_TIMEOUT_MS });
    return closedOnError(database, () => {
      requireEngine(valueOf(database, "SELECT sqlite_version()"));
      // Must be set before there are tables; returns freed pages to the disk.
      if (valueOf(database, "PRAGMA auto_vacuum") !== INCREMENTAL) {
        // Setting it again would write to the file, which fails on a full disk.
        database.exec(`PRAGMA auto_vacuum = ${INCREMENTAL}`);
      }
      requireSetting(database, ["journal_mode", "wal"], path);
      applySettings(database, WRITER_SETTINGS, path);
    });
  });
}

/** Removes the busy time-out of a writer after set-up. */
export function waitBriefly(writer: DatabaseSync): void {
  writer.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/**
 * Commits no longer sync the log, which the write queue does before it acknowledges them. The header of the log, and
 * all that a checkpoint needs, SQLite still syncs itself.
 */
export function leaveSyncsToQueue(writer: DatabaseSync, path: string): void {
  requireSetting(writer, ["synchronous", 1], path);
}

/** Opens a read-only connection. Throws `store-unusable`, `damaged-store`. */
export function openReader(path: string): DatabaseSync {
  return openBeside(path, { readOnly: true, settings: READER_SETTINGS });
}

/** Opens a connection that changes nothing on disk. Throws as `openReader`, and if it cannot read a stable state (`read-only.ts`). */
export function openReadOnly(path: string): DatabaseSync {
  return opening(path, () =>
    settingUp(connectReadOnly(path, OPENING_TIMEOUT_MS), READER_SETTINGS, path),
  );
}

/** Opens a second writing connection, for checkpoints. Throws what `openReader` throws. */
export function openCheckpointer(path: string): DatabaseSync {
  return openBeside(path, { readOnly: false, settings: CHECKPOINTER_SETTINGS });
}

function openBeside(
  path: string,
  { readOnly, settings }: { readonly readOnly: boolean; readonly settings: readonly Setting[] },
): DatabaseSync {
  return opening(path, () =>
    settingUp(new DatabaseSync(path, { readOnly, timeout: OPENING_TIMEOUT_MS }), settings, path),
  );
}

function settingUp(database: DatabaseSync, settings: readonly Setting[], path: string) {
  return closedOnError(database, () => applySettings(database, settings, path));
}

function closedOnError(database: DatabaseSync, setUp: () => void): DatabaseSync {
  try {
    setUp();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Throws `store-unusable` if this version of SQLite is too old. */
export function requireEngine(version: unknown): void {
  const [wanted, found] = [ENGINE_VERSION_MIN, String(version)].map((text) =>
    text.split(".").map(Number),
  ) as [number[], number[]];
  const difference = wanted.map((part, index) => (found[index] ?? 0) - part).find((d) => d !== 0);
  if (difference === undefined || difference > 0) return;
  throw new UserError(
    "store-unusable",
    `cannot open the store with SQLite ${String(version)}: ${ENGINE_VERSION_MIN} or later is ` +
      `needed, which Node 22.23 and 24.21 bring`,
  );
}

/** Applies each setting and reads it back. Throws `store-unusable` if one does not match. */
export function applySettings(
  database: Configurable,
  settings: readonly Setting[],
  path: string,
): void {
  for (const setting of settings) requireSetting(database, setting, path);
}

/** Checks the structure of a file of at most `bytesMax`; larger ones are left to `verify`. Throws `damaged-store`. */
export function quickCheck(database: DatabaseSync, path: string, bytesMax: number): void {
  if (statSync(path).size > bytesMax) return;
  const found = valueOf(database, "PRAGMA quick_check(1)");
  if (found === "ok") return;
  throw new UserError(
    "damaged-store",
    `cannot open the store ${path}: ${String(found)}; restore a backup, or see with "verify" ` +
      `what is affected`,
  );
}

function requireSetting(database: Configurable, [name, value]: Setting, path: string): void {
  database.exec(`PRAGMA ${name} = ${value}`);
  const found = valueOf(database, `PRAGMA ${name}`);
  if (found === value) return;
  throw new UserError(
    "store-unusable",
    `cannot open the store ${path}: its setting ${name} is ${String(found)}, ${value} is needed`,
  );
}

function valueOf(database: Configurable, sql: string): unknown {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

/** Processes that create a file at once can block each other: one fails without waiting, and retries. */
function untilUnlocked(open: () => DatabaseSync): DatabaseSync {
  const patientUntil = performance.now() + OPENING_TIMEOUT_MS;
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!isBusy(error) || performance.now() > patientUntil) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPENING_PAUSE_MS);
    }
  }
}

function opening(path: string, open: () => DatabaseSync): DatabaseSync {
  try {
    return untilUnlocked(open);
  } catch (error) {
    const translated = storeError(error, `open the store ${path}`);
    if (translated !== error || error instanceof UserError) throw translated;
    const isReadOnly = systemCode(error) === "EROFS";
    const cure = isReadOnly ? '; "serve --read-only" serves it as it is' : "";
    const message = `cannot open the store ${path}: ${String(error)}${cure}`;
    throw new UserError("store-unusable", message, { cause: error });
  }
}
