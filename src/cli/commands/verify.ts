import type { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { EXIT, type Run } from "../exit-codes.ts";
import { withStore } from "../flags.ts";
import { printable } from "../output/table.ts";
import { openStore, type StoreOptions } from "../targets/opened-store.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  withStore(command)
    .description("Verifies the checksum of every stored block. Exit code 1 if any is damaged.")
    .action((options) => run(() => verifyStore(options, context)));
}

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
