/**
 * The lock that makes one server of a data directory. It is SQLite's lock on a file of its own, so
 * the operating system takes it back from a process that died, at once and without a race.
 */

import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { UserError } from "../../../model/errors.ts";
import { isBusy, storeError } from "./sql-error.ts";

export interface ServerLock {
  /** Lets another server that is refused say where this one answers. */
  noteAddress(address: string): void;
  /** Lets another server have the directory. A second call does nothing. */
  release(): void;
}

/**
 * Two servers that begin at once each hold a part of the lock for a moment: without patience both
 * would be refused. By its end the one that has the lock has also written its process id.
 */
const PATIENCE_MS = 500;

/**
 * Takes the lock of `directory` for the process `pid`, until it is released or the process ends.
 * Throws `store-in-use`, naming the process that has it.
 */
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

function open(file: string): DatabaseSync {
  try {
    closeSync(openSync(file, "a", 0o600));
    return new DatabaseSync(file, { timeout: PATIENCE_MS });
  } catch (error) {
    throw storeError(error, `open ${file}`);
  }
}

/** Only for messages: a full disk must not keep a server from starting. */
function noteOwner(pidFile: string, lines: readonly (number | string)[]): void {
  try {
    writeFileSync(pidFile, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  } catch {
    // The lock itself holds.
  }
}

function readOwner(pidFile: string): string {
  try {
    const [pid, address] = readFileSync(pidFile, "utf8").trim().split("\n");
    return address === undefined ? String(pid) : `${pid} (at ${address})`;
  } catch {
    // The other server has the lock and is about to write its number.
    return "(not written yet)";
  }
}
