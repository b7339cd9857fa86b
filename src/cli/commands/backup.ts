import type { Command } from "commander";
import path from "node:path";
import { UserError } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import type { Run } from "../exit-codes.ts";
import { withStore } from "../flags.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import type { StoreOptions } from "../targets/opened-store.ts";
import { storeLocationOf } from "../targets/store-location.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  withStore(command)
    .description("Writes a copy of the store to a new file: docs/backup.md.")
    .argument("<file>", "file to write; must not exist")
    .action((file: string, options) => run(() => writeBackup(file, options, context)));
}

async function writeBackup(
  file: string,
  options: StoreOptions,
  context: CommandContext,
): Promise<void> {
  const target = path.resolve(file);
  const bytes = await context.backUp(requireDirectory(options, context), target);
  context.writeError(`${printable(target)}: ${formatBytes(bytes)}\n`);
}

/** Throws `bad-parameter` for ClickHouse, which has its own backups. */
export function requireDirectory(options: StoreOptions, { environment }: CommandContext): string {
  const location = storeLocationOf(options, environment);
  if ("directory" in location) return location.directory;
  throw new UserError(
    "bad-parameter",
    "only data directories can be backed up: use ClickHouse's own backups (docs/clickhouse.md), and " +
      "`tachograph copy` copies runs from there to a directory",
  );
}
