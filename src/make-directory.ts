import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { UserError } from "./model/errors.ts";

const OWNER_ONLY = 0o700;
const OF_OTHERS = 0o077;
const EVERYBODY_WRITES = 0o002;

/** Names that the program itself gives to files of a data directory. */
const OWN_FILE = /^(tachograph\.|server\.|demo)/;

/**
 * Makes a directory that only its owner may enter, and those above it, where they are not there.
 * Not by Node's `recursive`, which never returns where the system denies that a parent exists
 * (`/proc/x`). Throws `store-unusable`.
 */
export function makeDirectory(directory: string): void {
  try {
    make(directory, OWNER_ONLY);
  } catch (cause) {
    const reason = codeOf(cause) ?? cause;
    const message = `cannot make the data directory ${directory}: ${String(reason)}`;
    throw new UserError("store-unusable", message, { cause });
  }
}

/**
 * Takes the rights of others away from a data directory that has nothing but files of the program;
 * leaves others as they are, and all unless it `mayChange` them. `warn` hears of a change. Throws `store-unusable` where everybody may
 * write to it: whoever can replace the files can do everything.
 */
export function closeToOthers(
  directory: string,
  warn: (message: string) => void,
  { mayChange } = { mayChange: true },
): void {
  const stats = statSync(directory);
  const { mode, uid } = stats;
  // Whoever opens the store says that a file is no directory.
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
    `cannot use the data directory ${directory}: everybody may write to it (mode ${was}); ` +
      `"chmod o-w" it, or name a directory of its own with --data`,
  );
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
