/** Reads a store without writing to its directory: neither the log nor its index. */

import { accessSync, constants, existsSync, statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { UserError } from "../../model/errors.ts";

/** Whether SQLite can write to the store at `file`. */
export function isWritable(file: string): boolean {
  try {
    for (const place of [file, path.dirname(file)]) accessSync(place, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the error of every write. */
export function readOnlyStore(): UserError {
  return new UserError(
    "store-read-only",
    "cannot write to the store: it is open read-only, because its directory is not writable " +
      "or the server runs with --read-only",
  );
}

/**
 * Opens a connection that writes nothing to disk. If there is a log with an index, SQLite reads both, even
 * while another process writes. Without a log, it reads the file without locks; reading throws
 * `store-unusable` once another process writes. Throws `store-unusable` for a log without an index, and
 * errors of SQLite.
 */
export function connectReadOnly(file: string, timeout: number): DatabaseSync {
  const [log, index] = [`${file}-wal`, `${file}-shm`];
  const place = pathToFileURL(file);
  const options = { readOnly: true, timeout };
  if (existsSync(log) && existsSync(index)) {
    place.searchParams.set("readonly_shm", "1");
    return new DatabaseSync(place, options);
  }
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new UserError(
      "store-unusable",
      `cannot read the store ${file} read-only: its log has data but no index; run ` +
        '"tachograph verify" where the directory can be written, or on a copy of it',
    );
  }
  place.searchParams.set("immutable", "1");
  return new UnchangedDatabase(file, place, options);
}

class UnchangedDatabase extends DatabaseSync {
  readonly #file: string;
  readonly #state: string;

  constructor(file: string, place: URL, options: { readOnly: boolean; timeout: number }) {
    const state = stateOf(file);
    super(place, options);
    this.#file = file;
    this.#state = state;
  }

  override prepare(sql: string): StatementSync {
    return new Proxy(super.prepare(sql), {
      get: (statement, name) => {
        const member: unknown = Reflect.get(statement, name);
        if (typeof member !== "function") return member;
        return (...values: readonly unknown[]): unknown => {
          const answer: unknown = Reflect.apply(member, statement, values);
          this.#requireUnchanged();
          return answer;
        };
      },
    });
  }

  #requireUnchanged(): void {
    if (stateOf(this.#file) === this.#state) return;
    throw new UserError(
      "store-unusable",
      `cannot read the store ${this.#file}: another process has begun to write to it; start this ` +
        "one again",
    );
  }
}

/** The file is not written to before there is a log. */
function stateOf(file: string): string {
  return [file, `${file}-wal`]
    .map((each) => statSync(each, { bigint: true, throwIfNoEntry: false }))
    .map((stats) => stats && `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`)
    .join();
}
