import path from "node:path";
import { dataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-codes.ts";
import { formatBytes } from "./format-quantity.ts";
import type { StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";

/** Writes a backup. */
export async function backupCommand(
  file: string,
  { data }: StoreOptions,
  shell: Shell,
): Promise<number> {
  const target = path.resolve(file);
  const bytes = await shell.backUp(dataDirectory(data, shell.environment), target);
  shell.writeError(`${printable(target)}: ${formatBytes(bytes)}\n`);
  return EXIT.done;
}

/** Makes a store of a backup. */
export async function restoreCommand(
  file: string,
  { data }: StoreOptions,
  shell: Shell,
): Promise<number> {
  const directory = dataDirectory(data, shell.environment);
  const bytes = await shell.restore(path.resolve(file), directory);
  shell.writeError(`${printable(directory)}: ${formatBytes(bytes)}, no damage found\n`);
  return EXIT.done;
}
