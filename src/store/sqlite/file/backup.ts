import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { errorMessage, UserError } from "../../../model/errors.ts";
import type { Store } from "../../store.ts";
import { openReader, openReadOnly, openWriter } from "./connection.ts";
import { isWritable } from "../read-only.ts";
import { requireTables } from "../schema.ts";
import { storeError } from "./sql-error.ts";

/**
 * Writes the current content of the store at `file` to a new file at `target`, readable by its owner only.
 * Returns its size. Others may read and write meanwhile; the log grows until it is done. Blocks the thread.
 * Throws `file-exists`, `store-unusable`, `damaged-store`, `storage-full`.
 */
export function backUp(file: string, target: string): number {
  return making(target, (partial) => {
    // The settings of readers forbid writes, and this is one.
    const database = isWritable(file) ? openReader(file) : openReadOnly(file);
    try {
      database.exec("PRAGMA query_only = 0");
      requireTables(database, file);
      database.prepare("VACUUM INTO ?").run(partial);
    } catch (error) {
      throw storeError(error, `back up the store ${file} into ${target}`);
    } finally {
      database.close();
    }
  });
}

/**
 * Creates a store at `file` from the backup at `source` after reading all of it back. Returns its size.
 * `open` opens a store. Throws `file-exists`, what `open` throws, and `damaged-store` for the
 * first damage.
 */
export async function restore(
  source: string,
  file: string,
  open: (file: string) => Promise<Store>,
): Promise<number> {
  requireNothingAt(file);
  // SQLite would apply the log of another store to this file.
  requireNothingAt(`${file}-wal`);
  requireBackup(source);
  const partial = partialOf(file);
  removeStore(partial);
  try {
    accessing(source, () => copyFileSync(source, partial, constants.COPYFILE_FICLONE));
    await using restored = await openDisposable(() => open(partial)).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      const message = error.message.replace(`open the store ${partial}`, `restore ${source}`);
      throw new UserError(error.code, message, { cause: error });
    });
    for await (const { message } of restored.store.verify()) {
      throw new UserError("damaged-store", `cannot restore ${source}: ${message}`);
    }
    await restored.store.close();
    giveOwnId(partial, source);
    return publish(partial, file);
  } finally {
    removeStore(partial);
  }
}

function removeStore(file: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"])
    rmSync(`${file}${suffix}`, { force: true });
}

/** Revisions continue from the backup: with the old store id, clients could match other contents in caches. */
function giveOwnId(file: string, source: string): void {
  const database = openWriter(file);
  try {
    database.prepare("UPDATE store SET id = ?").run(randomBytes(9).toString("base64url"));
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    throw storeError(error, `restore ${source} into ${file}`);
  } finally {
    database.close();
  }
}

async function openDisposable(open: () => Promise<Store>) {
  const store = await open();
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

function making(target: string, write: (partial: string) => void): number {
  requireNothingAt(target);
  const partial = partialOf(target);
  try {
    // Created first, so that no other user can ever read it.
    closeSync(accessing(partial, () => openSync(partial, "w", 0o600)));
    write(partial);
    return publish(partial, target);
  } finally {
    // After a full disk the journal is left as well.
    removeStore(partial);
  }
}

/** Data in the log would be missing. */
function requireBackup(source: string): void {
  if (!existsSync(`${source}-wal`)) return;
  const message = `cannot restore ${source}: it is a store in use, want a backup of it`;
  throw new UserError("store-unusable", message);
}

function accessing<Result>(file: string, access: () => Result): Result {
  try {
    return access();
  } catch (cause) {
    const isFull = (cause as NodeJS.ErrnoException).code === "ENOSPC";
    const code = isFull ? "storage-full" : "store-unusable";
    throw new UserError(code, `cannot use ${file}: ${errorMessage(cause)}`, { cause });
  }
}

/** Name of an incomplete file next to the target. */
function partialOf(file: string): string {
  return `${file}.partial`;
}

/** Renames a complete file durably, without replacing another one. */
function publish(partial: string, file: string): number {
  synchronise(partial);
  try {
    linkSync(partial, file);
  } catch {
    requireNothingAt(file);
    // Network shares and removable disks do not support hard links.
    renameSync(partial, file);
  }
  rmSync(partial, { force: true });
  synchronise(path.dirname(file));
  return statSync(file).size;
}

function synchronise(place: string): void {
  const descriptor = openSync(place, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function requireNothingAt(file: string): void {
  if (!existsSync(file)) return;
  throw new UserError("file-exists", `cannot write ${file}: it already exists`);
}
