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
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    const message = `cannot make the data directory ${directory}: ${reason}`;
    throw new UserError("store-unusable", message, { cause });
  }
}

function make(directory: string, mode: number): void {
  if (isMade(directory, mode)) return;
  make(path.dirname(directory), 0o777);
  mkdirSync(directory, { mode });
}

/** Answers false where what is missing may be the parent. */
function isMade(directory: string, mode: number): boolean {
  try {
    mkdirSync(directory, { mode });
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return true;
    if (code === "ENOENT" && path.dirname(directory) !== directory) return false;
    throw error;
  }
}
