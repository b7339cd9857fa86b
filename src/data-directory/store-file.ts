import { statSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { systemCode, UserError } from "../model/errors.ts";

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
