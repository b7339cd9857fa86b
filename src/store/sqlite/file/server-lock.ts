/** Lock that allows one server per data directory: SQLite's, on a separate file, as the system releases it when a process dies. */

import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import { isBusy, storeError } from "./sql-error.ts";

export interface ServerLock {
  /** Publishes the address of this server for servers that are refused. */
  noteAddress(address: string): void;
  /** Releases the lock. Idempotent. */
  release(): void;
}

/** Two servers that start at once may lock each other out for a moment. By then the holder has also written its process id. */
const PATIENCE_MS = 500;

/** Locks `directory` until released or the process `pid` ends. Throws `store-in-use`, naming the other process. */
export function lockForServer(directory: string, pid: number): ServerLock {
  const pidFile = path.join(directory, "server.pid");
  const database = open(path.join(directory, "server.lock"));
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw storeError(error, `lock the data directory ${directory}`);
    throw new UserError(
      "store-in-use",
      `cannot serve ${directory}: the server with process id ${readOwner(pidFile)} uses it; stop ` +
        `that one, or choose another directory with --data`,
    );
  }
  noteOwner(pidFile, [pid]);
  return {
    noteAddress: (address) => noteOwner(pidFile, [pid, address]),
    release() {
      if (database.isOpen) database.close();
    },
  };
}

/** Address of the server that has locked `directory`, for a message; `undefined` without one. */
export function addressServing(directory: string): string | undefined {
  return isServed(directory) ? ownerIn(path.join(directory, "server.pid"))[1] : undefined;
}

/** Whether a server has locked `directory`. While another process asks the same, it may be `true` without one. */
export function isServed(directory: string): boolean {
  const file = path.join(directory, "server.lock");
  if (!existsSync(file)) return false;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec("BEGIN EXCLUSIVE");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database?.close();
  }
}

function open(file: string): DatabaseSync {
  try {
    closeSync(openSync(file, "a", 0o600));
    return new DatabaseSync(file, { timeout: PATIENCE_MS });
  } catch (error) {
    throw storeError(error, `open ${file}`);
  }
}

/** Only for messages: a full disk must not prevent a start. */
function noteOwner(pidFile: string, lines: readonly (number | string)[]): void {
  try {
    writeFileSync(pidFile, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  } catch {
    // The lock itself is held.
  }
}

function readOwner(pidFile: string): string {
  // The other server has the lock and is about to write its process id.
  const [pid = "(not written yet)", address] = ownerIn(pidFile);
  return address === undefined ? pid : `${pid} (at ${address})`;
}

/** Its process id, and its address once it listens; nothing where they could not be written. */
function ownerIn(pidFile: string): readonly string[] {
  try {
    return readFileSync(pidFile, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
