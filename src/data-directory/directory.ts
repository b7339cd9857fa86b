import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { systemCode, UserError } from "../model/errors.ts";
import { userInfo } from "node:os";

const OWNER_ONLY = 0o700;
const OF_OTHERS = 0o077;
const EVERYBODY_WRITES = 0o002;

const OWN_FILE = /^(tachograph\.|server\.|demo)/;

/**
 * Creates a directory that only its owner may enter, and missing parents. Does not use Node's
 * `recursive`, which never returns if a parent cannot exist (`/proc/x`). Throws `store-unusable`,
 * `storage-full`.
 */
export function makeDirectory(directory: string): void {
  try {
    make(directory, OWNER_ONLY);
  } catch (cause) {
    const isFull = systemCode(cause) === "ENOSPC";
    const reason = isFull ? "the disk is full" : String(systemCode(cause) ?? cause);
    const message = `cannot make the data directory ${directory}: ${reason}`;
    throw new UserError(isFull ? "storage-full" : "store-unusable", message, { cause });
  }
}

/**
 * Removes the permissions of others from a data directory, if `mayChange` and only files of the program are in it, and
 * calls `warn`. Throws `store-unusable` if everybody may write to it, and so replace the files.
 */
export function closeToOthers(
  directory: string,
  warn: (message: string) => void,
  { mayChange } = { mayChange: true },
): void {
  const stats = statSync(directory);
  const { mode, uid } = stats;
  // Opening the store reports that it is not a directory.
  if (!stats.isDirectory()) return;
  if ((mode & OF_OTHERS) === 0 || process.getuid === undefined) return;
  const was = (mode & 0o7777).toString(8).padStart(4, "0");
  const isOwn = mayChange && uid === process.getuid();
  if (isOwn && readdirSync(directory).every((name) => OWN_FILE.test(name))) {
    chmodSync(directory, OWNER_ONLY);
    warn(`the data directory ${directory} was open to others (mode ${was}); its mode is 0700 now`);
    return;
  }
  if ((mode & EVERYBODY_WRITES) === 0) return;
  throw new UserError(
    "store-unusable",
    `cannot use the data directory ${directory}: every user may write to it (mode ${was}); ` +
      `"chmod o-w" it, or name a directory of its own with --data`,
  );
}

function make(directory: string, mode: number): void {
  try {
    makeOne(directory, mode);
  } catch (error) {
    const parent = path.dirname(directory);
    if (systemCode(error) !== "ENOENT" || parent === directory) throw error;
    make(parent, 0o777);
    makeOne(directory, mode);
  }
}

/** Another process may create it at the same time. */
function makeOne(directory: string, mode: number): void {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

export function storeFile(directory: string): string {
  return path.join(directory, "tachograph.sqlite");
}

/** Throws `store-unusable` if the file is missing or unreadable. */
export function requireStore(file: string): void {
  try {
    statSync(file);
  } catch (cause) {
    const code = systemCode(cause);
    const reason =
      code === "EACCES" || code === "EPERM"
        ? `cannot open the store ${file}: permission denied for the user ${userName()}; run this as ` +
          `the user that the directory belongs to, or name another with --data`
        : `there is no store at ${file}: nothing was imported yet`;
    throw new UserError("store-unusable", reason, { cause });
  }
}

/** A user without an entry has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
