import { existsSync } from "node:fs";
import path from "node:path";
import { UserError } from "./model/errors.ts";

/** The store within a data directory. */
export function storeFile(directory: string): string {
  return path.join(directory, "tachograph.sqlite");
}

/** Throws `store-unusable` where there is none. */
export function requireStore(file: string): void {
  if (existsSync(file)) return;
  throw new UserError("store-unusable", `there is no store at ${file}: nothing was imported yet`);
}
