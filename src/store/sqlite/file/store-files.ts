/** Checks that the files of an open store are still the ones at their paths. */

import { type BigIntStats, statSync } from "node:fs";
import { UserError } from "../../../model/errors.ts";

/** The file, its log, and the index of the log. */
const SUFFIXES = ["", "-wal", "-shm"];

interface SeenFile {
  readonly path: string;
  readonly stats: BigIntStats | undefined;
}

/**
 * Data written to a removed or replaced file is lost when the process ends. SQLite does not notice, because
 * it keeps the files open.
 */
export class StoreFiles {
  readonly #seen: readonly SeenFile[];

  /** Create after all connections of this process are open. */
  constructor(path: string) {
    this.#seen = SUFFIXES.map((suffix) => seenNow(`${path}${suffix}`));
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

function seenNow(path: string): SeenFile {
  return { path, stats: statSync(path, { bigint: true, throwIfNoEntry: false }) };
}
