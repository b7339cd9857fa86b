import path from "node:path";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { badParameter } from "../../model/errors.ts";
import { EXIT } from "../exit-codes.ts";
import { withStore } from "../flags.ts";
import { formatBytes } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { openStore, type StoreOptions } from "../targets/opened-store.ts";
import { dataDirectory } from "../targets/store-location.ts";

export const defineBackup: DefineCommand = (command, context, run) => {
  withStore(command)
    .description("Writes a copy of the store to a new file: docs/backup.md.")
    .argument("<file>", "file to write; must not exist")
    .action((file: string, options: StoreOptions) =>
      run(async () => {
        requireDirectory(options);
        const target = path.resolve(file);
        const bytes = await context.stores.backUp(
          dataDirectory(options.data, context.environment),
          target,
        );
        context.writeError(`${printable(target)}: ${formatBytes(bytes)}\n`);
      }),
    );
};

export const defineRestore: DefineCommand = (command, context, run) => {
  withStore(command)
    .description("Creates a store from a backup. Refuses to overwrite an existing store.")
    .argument("<file>", "file written by `backup`")
    .action((file: string, options: StoreOptions) =>
      run(async () => {
        requireDirectory(options);
        const directory = dataDirectory(options.data, context.environment);
        const bytes = await context.stores.restore(path.resolve(file), directory);
        context.writeError(`${printable(directory)}: ${formatBytes(bytes)}, no damage found\n`);
      }),
    );
};

/** Throws `bad-parameter`. */
function requireDirectory({ postgres }: StoreOptions): void {
  if (postgres === undefined) return;
  throw badParameter(
    "backup and restore are for data directories: use pg_dump and pg_restore for a PostgreSQL database",
  );
}

export const defineVerify: DefineCommand = (command, context, run) => {
  withStore(command)
    .description("Verifies the checksum of every stored block. Exit code 1 if any is damaged.")
    .action((options) => run(() => verifyStore(options, context)));
};

/** Exit code 1 if there is damage. */
async function verifyStore(options: StoreOptions, context: CommandContext): Promise<number> {
  await using opened = await openStore(options, context);
  let damages = 0;
  for await (const { scope, loadTestId, message } of opened.store.verify()) {
    damages += 1;
    const parts = [scope?.project, scope?.environment, loadTestId];
    const names = parts.filter((part) => part !== undefined).join("/");
    const where = loadTestId === undefined ? "" : `run ${names}: `;
    await context.writeOut(`${where}${printable(message)}\n`);
  }
  context.writeError(damages === 0 ? "no damage found\n" : `${damages} damaged\n`);
  return damages === 0 ? EXIT.done : EXIT.failed;
}
