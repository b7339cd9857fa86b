import type { DatabaseSync } from "node:sqlite";
import { type ErrorCode, UserError } from "../../../model/errors.ts";

/** Primary result codes of SQLite, https://sqlite.org/rescode.html. */
const MEANINGS: ReadonlyMap<number, ErrorCode> = new Map([
  [5, "busy"], // SQLITE_BUSY
  [6, "busy"], // SQLITE_LOCKED
  [8, "store-unusable"], // SQLITE_READONLY
  [10, "store-unusable"], // SQLITE_IOERR
  [11, "damaged-store"], // SQLITE_CORRUPT
  [13, "storage-full"], // SQLITE_FULL
  [14, "store-unusable"], // SQLITE_CANTOPEN
  [26, "damaged-store"], // SQLITE_NOTADB
]);

const GENERIC = 1;
/** SQLITE_IOERR_SHMSIZE: no room for the index of the log. */
const INDEX_TOO_SMALL = 4874;
const BUSY = 5;
/** SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC, extended codes. */
const FAILED_SYNCS: ReadonlySet<unknown> = new Set([1034, 1290]);

/** Returns the error to throw instead of one that SQLite threw while `doing` something. */
export function storeError(error: unknown, doing: string): unknown {
  const meaning =
    resultCode(error) === INDEX_TOO_SMALL ? "storage-full" : MEANINGS.get(primaryCode(error) ?? 0);
  if (meaning === undefined) return error;
  return new UserError(meaning, `cannot ${doing}: ${(error as Error).message}`, { cause: error });
}

/** Reads within one transaction of `reader`. Translates errors of SQLite. */
export function atOneInstant<Answer>(
  reader: Pick<DatabaseSync, "exec" | "location">,
  read: () => Answer,
): Answer {
  try {
    reader.exec("BEGIN");
    try {
      return read();
    } finally {
      reader.exec("COMMIT");
    }
  } catch (error) {
    throw storeError(error, `read the store ${reader.location()}`);
  }
}

/** Wraps functions that read from `reader`, translating errors of SQLite. */
export function translated<Reads extends Record<string, (...values: never[]) => unknown>>(
  reader: Pick<DatabaseSync, "location">,
  reads: Reads,
): Reads {
  const doing = `read the store ${reader.location()}`;
  const entries = Object.entries(reads).map(([name, read]) => [
    name,
    (...values: never[]) => {
      try {
        return read(...values);
      } catch (error) {
        throw storeError(error, doing);
      }
    },
  ]);
  return Object.fromEntries(entries) as Reads;
}

/** Translates an error of preparing statements: the tables are not as expected. */
export function schemaError(error: unknown, path: string): unknown {
  if (primaryCode(error) !== GENERIC) return storeError(error, `open the store ${path}`);
  const why = (error as Error).message;
  return new UserError("damaged-store", `cannot open the store ${path}: ${why}`, { cause: error });
}

/** Whether another connection holds the lock, so that a retry can succeed. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/** Rethrows every error except a full disk. */
export function ignoreFullDisk(error: unknown): void {
  const known = storeError(error, "write to the store");
  if (!(known instanceof UserError && known.code === "storage-full")) throw error;
}

/** Whether a sync failed, so that the state of earlier writes is unknown; a failed write is rolled back. */
export function isFailedSync(error: unknown): boolean {
  return FAILED_SYNCS.has(resultCode(error));
}

function primaryCode(error: unknown): number | undefined {
  const code = resultCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function resultCode(error: unknown): number | undefined {
  const code: unknown = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code : undefined;
}
