import type { Command } from "commander";
import { flag, list, switchFlag, withStore } from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

/** Commands about stores that are not where they were, or not as they were. */
export function addMovingCommands(program: Command, shell: Shell, run: Run): void {
  withStore(program.command("migrate"))
    .summary("make or renew the tables of a store on ClickHouse")
    .description(
      "Brings the tables on each server to the version that this program works with, one server after\n" +
        "the other, and says what it did. It may run again, and twice at once: docs/clickhouse.md.",
    )
    .addHelpText("after", MIGRATE_EXAMPLES)
    .action((options) =>
      run(async () => (await import("./migrate.ts")).migrateCommand(options, shell)),
    );
  program
    .command("copy")
    .summary("copy load tests from one store to another")
    .description(
      "Copies load tests with all that belongs to them, then reads both sides and compares them. What was\n" +
        "broken off goes on when the command is given again: docs/copy.md.",
    )
    .requiredOption(
      "--from <place>",
      "a data directory, or clickhouse: and a place as --clickhouse",
    )
    .requiredOption("--to <place>", "the same; a directory is made where it is not there")
    .addOption(flag("--id <list>", "load tests (default: all)").argParser(list))
    .addOption(switchFlag("--keys", "copy the access keys, too", shell.environment))
    .addOption(
      switchFlag("--even-running", "copy what may still get data as it is now", shell.environment),
    )
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .addHelpText("after", COPY_EXAMPLES)
    .action((options) => run(async () => (await import("./copy.ts")).copyCommand(options, shell)));
}

const MIGRATE_EXAMPLES = `
Examples:
  tachograph migrate --clickhouse http://localhost:8123
  tachograph migrate --clickhouse @cluster.json
`;

const COPY_EXAMPLES = `
Examples:
  tachograph copy --from ~/.local/share/tachograph --to clickhouse:http://localhost:8123 --keys
  tachograph copy --from clickhouse:@cluster.json --to /srv/archive --id release-41,release-42
`;
