/** Copies of the store's file: one of what it holds at an instant, and a store made of such a copy. */

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
import { UserError } from "../../../model/errors.ts";
import type { Store } from "../../store.ts";
import { openReader, openReadOnly, openWriter } from "./connection.ts";
import { isWritable } from "../read-only.ts";
import { requireKnown } from "../schema/schema.ts";
import { storeError } from "./sql-error.ts";

/**
 * Writes what the store at `file` holds now into a new file at `target`, for its owner alone, and
 * answers its size. Others may go on to read and write meanwhile; the log grows until it is done.
 * Blocks the thread. Throws `file-exists`, `store-unusable`, `damaged-store`, `storage-full`.
 */
export function backUp(file: string, target: string): number {
  return making(target, (partial) => {
    // The reader's own settings forbid every write, and this is one.
    const database = isWritable(file) ? openReader(file) : openReadOnly(file);
    try {
      database.exec("PRAGMA query_only = 0");
      requireKnown(database, file);
      database.prepare("VACUUM INTO ?").run(partial);
    } catch (error) {
      throw storeError(error, `back up the store ${file} into ${target}`);
    } finally {
      database.close();
    }
  });
}

/**
 * Makes a store at `file` of the backup at `source`, once all of it was read back, and answers its
 * size. `open` opens a store, migrating it. Throws `file-exists`, what `open` throws, and
 * `damaged-store` for the first damage.
 */
export async function restore(
  source: string,
  file: string,
  open: (file: string) => Promise<Store>,
): Promise<number> {
  requireNothingAt(file);
  // SQLite would take the log of another store for one of this.
  requireNothingAt(`${file}-wal`);
  requireBackup(source);
  const partial = partialOf(file);
  removeStore(partial);
  try {
    copyBytes(source, partial);
    await using restored = await openDisposable(() => open(partial));
    for await (const { message } of restored.store.verify()) {
      throw new UserError("damaged-store", `cannot restore ${source}: ${message}`);
    }
    await restored.store.close();
    renameStore(partial);
    return publish(partial, file);
  } finally {
    removeStore(partial);
  }
}

function removeStore(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}

/**
 * Revisions go on from where the backup was made; under the old name they would stand for other
 * contents than those that clients keep answers of.
 */
function renameStore(file: string): void {
  const database = openWriter(file);
  database.prepare("UPDATE store SET id = ?").run(randomBytes(9).toString("base64url"));
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

async function openDisposable(open: () => Promise<Store>) {
  const store = await open();
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

function making(target: string, write: (partial: string) => void): number {
  requireNothingAt(target);
  const partial = partialOf(target);
  try {
    // Made beforehand, so that nobody else may ever read it.
    closeSync(accessing(partial, () => openSync(partial, "w", 0o600)));
    write(partial);
    return publish(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** What a store has not yet brought into its file would be missing. */
function requireBackup(source: string): void {
  if (!existsSync(`${source}-wal`)) return;
  const message = `cannot restore ${source}: it is a store in use, want a backup of it`;
  throw new UserError("store-unusable", message);
}

function copyBytes(source: string, target: string): void {
  accessing(source, () => copyFileSync(source, target, constants.COPYFILE_FICLONE));
}

function accessing<Result>(file: string, access: () => Result): Result {
  try {
    return access();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UserError("store-unusable", `cannot use ${file}: ${reason}`, { cause });
  }
}

/** A name beside the file, for what is not whole yet. */
function partialOf(file: string): string {
  return `${file}.partial`;
}

/** Lets a file that is whole appear under its name, durably, and never in the place of another. */
function publish(partial: string, file: string): number {
  synchronise(partial);
  try {
    linkSync(partial, file);
  } catch {
    requireNothingAt(file);
    // Network shares and removable disks know one name of a file only.
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
