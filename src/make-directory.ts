import { mkdirSync } from "node:fs";
import path from "node:path";
import { UserError } from "./model/errors.ts";

/**
 * Makes a directory that only its owner may enter, and those above it, where they are not there.
 * Not by Node's `recursive`, which never returns where the system denies that a parent exists
 * (`/proc/x`). Throws `store-unusable`.
 */
export function makeDirectory(directory: string): void {
  try {
    make(directory, 0o700);
  } catch (cause) {
    const reason = codeOf(cause) ?? cause;
    const message = `cannot make the data directory ${directory}: ${String(reason)}`;
    throw new UserError("store-unusable", message, { cause });
  }
}

function make(directory: string, mode: number): void {
  try {
    makeOne(directory, mode);
  } catch (error) {
    const parent = path.dirname(directory);
    if (codeOf(error) !== "ENOENT" || parent === directory) throw error;
    make(parent, 0o777);
    makeOne(directory, mode);
  }
}

/** Another process may have made it meanwhile. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
