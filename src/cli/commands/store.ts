import path from "node:path";
import { badParameter } from "../../model/errors.ts";
import type { MigratedServer } from "../../store/store.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { withStore } from "../flags.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { openStore, type StoreOptions } from "../targets/opened-store.ts";
import { storeLocationOf, type StoreLocationOptions } from "../targets/store-location.ts";

export const defineBackup: DefineCommand = (command, context, run) => {
  withStore(command)
    .description("Writes a copy of the store to a new file: docs/backup.md.")
    .argument("<file>", "file to write; must not exist")
    .action((file: string, options: StoreOptions) =>
      run(async () => {
        const target = path.resolve(file);
        const bytes = await context.backUp(requireDirectory(options, context), target);
        context.writeError(`${printable(target)}: ${formatBytes(bytes)}\n`);
      }),
    );
};

/** Throws `bad-parameter` for ClickHouse, which has its own backups. */
export function requireDirectory(options: StoreOptions, { environment }: CommandContext): string {
  const location = storeLocationOf(options, environment);
  if ("directory" in location) return location.directory;
  throw badParameter(
    "only data directories can be backed up: use ClickHouse's own backups (docs/clickhouse.md), and " +
      "`tachograph copy` copies runs from there to a directory",
  );
}

export const defineRestore: DefineCommand = (command, context, run) => {
  withStore(command)
    .description("Creates a store from a backup. Refuses to overwrite an existing store.")
    .argument("<file>", "file written by `backup`")
    .action((file: string, options: StoreOptions) =>
      run(async () => {
        const directory = requireDirectory(options, context);
        const bytes = await context.restore(path.resolve(file), directory);
        context.writeError(`${printable(directory)}: ${formatBytes(bytes)}, no damage found\n`);
      }),
    );
};

export const defineVerify: DefineCommand = (command, context, run) => {
  withStore(command)
    .description("Verifies the checksum of every stored block. Exit code 1 if any is damaged.")
    .action((options) => run(() => verifyStore(options, context)));
};

/** Exit code 1 if there is damage. */
async function verifyStore(options: StoreOptions, context: CommandContext): Promise<number> {
  await using opened = await openStore(options, context);
  let damages = 0;
  for await (const { loadTestId, message } of opened.store.verify()) {
    damages += 1;
    const where = loadTestId === undefined ? "" : `run ${loadTestId}: `;
    await context.writeOut(`${where}${printable(message)}\n`);
  }
  context.writeError(damages === 0 ? "no damage found\n" : `${damages} damaged\n`);
  return damages === 0 ? EXIT.done : EXIT.failed;
}

export const defineMigrate: DefineCommand = (command, context, run) => {
  withStore(command)
    .description(
      "Creates or upgrades the ClickHouse tables, server by server, and reports what it did. Safe to " +
        "repeat and to run concurrently: docs/clickhouse.md.",
    )
    .addHelpText("after", EXAMPLES)
    .action((options) => run(() => migrateTables(options, context)));
};

const EXAMPLES = `
Examples:
  tachograph migrate --clickhouse http://localhost:8123
  tachograph migrate --clickhouse @cluster.json
`;

/** Creates or upgrades the ClickHouse tables and prints what was done on each server. */
async function migrateTables(
  options: StoreLocationOptions,
  context: CommandContext,
): Promise<void> {
  const location = storeLocationOf(options, context.environment);
  if ("directory" in location) {
    throw badParameter(
      "no servers to migrate: expected --clickhouse; a data directory is upgraded when it is opened",
    );
  }
  for (const server of await context.migrate(location.clickhouse)) {
    await context.writeOut(`${printable(server.url)}: ${deedOf(server)}\n`);
  }
}

function deedOf({ fromVersion, toVersion }: MigratedServer): string {
  if (fromVersion === toVersion) return `version ${toVersion} already`;
  if (fromVersion === 0) return `made with version ${toVersion}`;
  return `version ${fromVersion} renewed to ${toVersion}`;
}
