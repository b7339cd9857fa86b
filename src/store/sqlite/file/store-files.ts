/** The files of an open store: syncs its log, and checks that they are still the ones at their paths. */

import { type BigIntStats, closeSync, fdatasync, openSync, statSync } from "node:fs";
import { promisify } from "node:util";
import { UserError } from "../../../model/errors.ts";

/** The file, its log, and the index of the log. */
const SUFFIXES = ["", "-wal", "-shm"];

interface SeenFile {
  readonly path: string;
  readonly stats: BigIntStats | undefined;
}

/** Data written to a removed or replaced file is lost when the process ends. SQLite does not notice, as it keeps the files open. */
export class StoreFiles {
  readonly #seen: readonly SeenFile[];
  readonly #logPath: string;
  #log: number | undefined;

  /** Create after all connections of this process are open. */
  constructor(path: string) {
    this.#seen = SUFFIXES.map((suffix) => seenNow(`${path}${suffix}`));
    this.#logPath = logOf(path);
  }

  /** Resolves once the log is on the disk. Throws `store-unusable`. Runs in another thread. */
  async sync(): Promise<void> {
    try {
      // SQLite locks other files; closing this one releases no lock.
      this.#log ??= openSync(this.#logPath, "r+");
      await syncData(this.#log);
    } catch (error) {
      throw new UserError("store-unusable", `cannot write to the store: ${String(error)}`, {
        cause: error,
      });
    }
  }

  close(): void {
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
  }

  /** Throws `store-unusable` if a file was removed or replaced. Takes some 10 µs. */
  check(): void {
    for (const { path, stats } of this.#seen) {
      if (stats === undefined) continue;
      const now = seenNow(path).stats;
      if (now?.ino === stats.ino && now.dev === stats.dev) continue;
      const what = now === undefined ? "removed" : "replaced";
      throw new UserError(
        "store-unusable",
        `cannot write to the store: ${path} was ${what} while it was open; stop this process, ` +
          `put the files back or restore a backup, and start again`,
      );
    }
  }
}

/** Where SQLite keeps the log of a store; it is removed when the last process closes the store. */
export function logOf(path: string): string {
  return `${path}-wal`;
}

const syncData = promisify(fdatasync);

function seenNow(path: string): SeenFile {
  return { path, stats: statSync(path, { bigint: true, throwIfNoEntry: false }) };
}
