import type { Command } from "commander";
import { LOAD_TESTS_MAX } from "../operations/trend/trend-series.ts";
import { flag, switchFlag, wholeNumber, withPlace, withRamps } from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

/** The command that looks at a series of load tests. */
export function addTrendCommand(program: Command, shell: Shell, run: Run): void {
  const trend = program
    .command("trend")
    .summary("print how load tests of one name changed over time")
    .description(
      "Shows the load tests of one name, or with one tag, as a series, and tells which of them brought " +
        "other response times or failures than noise explains: docs/trend.md.",
    )
    .argument("[name]", "name of the load tests")
    .addOption(flag("--tag <tag>", "that have this tag"))
    .addOption(
      flag("--last <number>", "at most so many (default: 100)").argParser(
        wholeNumber(1, LOAD_TESTS_MAX),
      ),
    )
    .addOption(
      flag("--since <id>", "the load test that the history begins at (default: the baseline)"),
    )
    .addOption(
      switchFlag("--ignore-baseline", "begin before the pinned baseline", shell.environment),
    )
    .addOption(flag("--up-to <id>", "the load test that it ends with"))
    .addOption(flag("--filter <text>", "endpoints whose label contains this text"))
    .addOption(flag("--hash <hex>", "the endpoint with this SHA-1"));
  withPlace(withRamps(trend))
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .addOption(switchFlag("--markdown", "write Markdown", shell.environment))
    .addHelpText("after", EXAMPLES)
    .action((name: string | undefined, options) =>
      run(async () => (await import("./trend.ts")).trendCommand(name, options, shell)),
    );
}

const EXAMPLES = `
Examples:
  tachograph trend checkout
  tachograph trend checkout --since release-40 --last 50 --filter /cart
  tachograph trend --tag main --skip-start 60s --json
`;
