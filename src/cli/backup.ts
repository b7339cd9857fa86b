import path from "node:path";
import { UserError } from "../model/errors.ts";
import { EXIT } from "./exit-codes.ts";
import { formatBytes } from "./format-quantity.ts";
import type { StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { storePlaceOf } from "./store-place.ts";

/** Writes a backup. */
export async function backupCommand(
  file: string,
  options: StoreOptions,
  shell: Shell,
): Promise<number> {
  const target = path.resolve(file);
  const bytes = await shell.backUp(directoryOf(options, shell), target);
  shell.writeError(`${printable(target)}: ${formatBytes(bytes)}\n`);
  return EXIT.done;
}

/** Makes a store of a backup. */
export async function restoreCommand(
  file: string,
  options: StoreOptions,
  shell: Shell,
): Promise<number> {
  const directory = directoryOf(options, shell);
  const bytes = await shell.restore(path.resolve(file), directory);
  shell.writeError(`${printable(directory)}: ${formatBytes(bytes)}, no damage found\n`);
  return EXIT.done;
}

/** Throws `bad-parameter` for servers of ClickHouse, which are backed up in their own ways. */
function directoryOf(options: StoreOptions, { environment }: Shell): string {
  const place = storePlaceOf(options, environment);
  if ("directory" in place) return place.directory;
  throw new UserError(
    "bad-parameter",
    "backups are of data directories: ClickHouse backs up its tables itself (docs/clickhouse.md), and " +
      "`tachograph copy` brings load tests from there into a directory",
  );
}
