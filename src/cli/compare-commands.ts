import type { Command } from "commander";
import {
  flag,
  instant,
  switchFlag,
  wholeNumber,
  withPlace,
  withRamps,
  withSelection,
} from "./flags.ts";
import { LOAD_TESTS_MAX } from "../operations/trend/trend-series.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

/** Commands that hold a load test against another, or against limits. */
export function addCompareCommands(program: Command, shell: Shell, run: Run): void {
  const compare = program
    .command("compare")
    .summary("print what differs between two load tests")
    .description(
      "Compares a load test with an earlier one, endpoint by endpoint, the worst first. A verdict is " +
        "given only where noise does not explain the difference: docs/compare.md.",
    )
    .argument("<base>", "load test to compare with, or @baseline: the pinned one of its name")
    .argument("<id>", "load test");
  addPartFlags(compare).addOption(
    flag("--limit <number>", "show at most so many endpoints").argParser(wholeNumber(0, 2 ** 32)),
  );
  addOutputFlags(compare, shell)
    .addHelpText("after", COMPARE_EXAMPLES)
    .action((base: string, id: string, options) =>
      run(async () =>
        (await import("./compare.ts")).compareCommand(base, { ...options, id }, shell),
      ),
    );
  const check = program
    .command("check")
    .summary("fail where a load test breaks limits")
    .description(
      "Holds a load test against limits, for a pipeline. Exit code 4 where one is broken. A limit is " +
        "an expression such as 'GET /cart: p95 > 500ms': docs/check.md.",
    )
    .argument("<id>", "load test")
    .requiredOption("--fail-if <limit>", "when to fail; as often as needed", oneMore)
    .addOption(flag("--against <id>", "load test that growth is measured against, or @baseline"))
    .addOption(flag("--against-history <name>", "load tests that changes are looked for in"))
    .addOption(flag("--history-tag <tag>", "that have this tag, with --against-history or without"))
    .addOption(
      flag("--since <id>", "the load test that the history begins at (default: the baseline)"),
    )
    .addOption(
      switchFlag("--ignore-baseline", "begin before the pinned baseline", shell.environment),
    )
    .addOption(
      flag("--last <number>", "at most so many of the history (default: 100)").argParser(
        wholeNumber(2, LOAD_TESTS_MAX),
      ),
    )
    .addOption(flag("--junit <file>", "write a report for build servers"));
  addOutputFlags(addPartFlags(check), shell)
    .addHelpText("after", CHECK_EXAMPLES)
    .action((id: string, options) =>
      run(async () => (await import("./check.ts")).checkCommand(id, options, shell)),
    );
}

function oneMore(text: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), text];
}

/** The flags of `ComparedParts`. */
function addPartFlags(command: Command): Command {
  withRamps(withSelection(command))
    .addOption(flag("--base-from <time>", "as --from, of the other load test").argParser(instant))
    .addOption(flag("--base-until <time>", "as --until, of the other one").argParser(instant));
  return withPlace(command);
}

function addOutputFlags(command: Command, shell: Shell): Command {
  return command
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .addOption(switchFlag("--markdown", "write Markdown, for a pull request", shell.environment))
    .addOption(flag("--markdown-file <file>", "write Markdown there, too"));
}

const COMPARE_EXAMPLES = `
Examples:
  tachograph compare release-41 release-42 --skip-start 60
  tachograph compare release-41 release-42 --filter /cart --limit 20 --markdown-file compare.md
`;

const CHECK_EXAMPLES = `
Examples:
  tachograph check release-42 --fail-if 'p95 > 500ms' --fail-if 'errors > 1%'
  tachograph check release-42 --fail-if 'GET /cart: avg > 0.2s' --junit check.xml
  tachograph check release-42 --against release-41 --fail-if 'p95 grows > 10%' --skip-start 1m
  tachograph check release-42 --against-history checkout --fail-if 'p95 changed'
  tachograph check release-42 --url https://results.example.org --fail-if 'errors > 1%'
`;
