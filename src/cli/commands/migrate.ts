import type { Command } from "commander";
import { UserError } from "../../model/errors.ts";
import type { CommandContext, MigratedServer } from "../command-context.ts";
import type { Run } from "../exit-codes.ts";
import { withStore } from "../flags.ts";
import { printable } from "../output/table.ts";
import { storeLocationOf, type StoreLocationOptions } from "../targets/store-location.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  withStore(command)
    .description(
      "Creates or upgrades the ClickHouse tables, server by server, and reports what it did. Safe to " +
        "repeat and to run concurrently: docs/clickhouse.md.",
    )
    .addHelpText("after", EXAMPLES)
    .action((options) => run(() => migrateTables(options, context)));
}

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
    throw new UserError(
      "bad-parameter",
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
