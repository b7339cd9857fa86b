import type { Command } from "commander";
import { listProjects } from "../../../catalogue/list-projects.ts";
import type { CommandContext } from "../../command-context.ts";
import { EXIT, type Run } from "../../exit-codes.ts";
import { flag, withStore } from "../../flags.ts";
import { formatTable } from "../../output/table.ts";
import { openStoreAt, type StoreOptions } from "../../targets/opened-store.ts";
import { storeLocationOf } from "../../targets/store-location.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  withStore(
    command
      .description("Prints the projects of a store, with their runs and valid keys.")
      .addOption(flag("--json", "write JSON")),
  ).action((options) => run(() => printProjects(options, context)));
}

async function printProjects(
  options: StoreOptions & { readonly json?: true },
  context: CommandContext,
): Promise<number> {
  const location = storeLocationOf(options, context.environment);
  await using opened = await openStoreAt(location, options, context);
  const projects = await listProjects(opened.store, context.now());
  if (options.json) {
    const shown = projects.map(({ name = null, ...counts }) => ({ name, ...counts }));
    await context.writeOut(`${JSON.stringify(shown)}\n`);
    return EXIT.done;
  }
  const rows = projects.map(({ name = "(none)", loadTests, keys }) => [
    name,
    String(loadTests),
    String(keys),
  ]);
  await context.writeOut(formatTable([["PROJECT", "RUNS", "KEYS"], ...rows]));
  return EXIT.done;
}
