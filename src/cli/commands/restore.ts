import type { Command } from "commander";
import path from "node:path";
import type { CommandContext } from "../command-context.ts";
import type { Run } from "../exit-codes.ts";
import { withStore } from "../flags.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { requireDirectory } from "./backup.ts";
import type { StoreOptions } from "../targets/opened-store.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  withStore(command)
    .description("Creates a store from a backup. Refuses to overwrite an existing store.")
    .argument("<file>", "file written by `backup`")
    .action((file: string, options) => run(() => restoreBackup(file, options, context)));
}

async function restoreBackup(
  file: string,
  options: StoreOptions,
  context: CommandContext,
): Promise<void> {
  const directory = requireDirectory(options, context);
  const bytes = await context.restore(path.resolve(file), directory);
  context.writeError(`${printable(directory)}: ${formatBytes(bytes)}, no damage found\n`);
}
