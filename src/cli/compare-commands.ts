import type { Command } from "commander";
import { flag, switchFlag, wholeNumber, withPlace } from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

const SECOND = wholeNumber(0, 2 ** 32);

/** Commands that hold a load test against another, or against limits. */
export function addCompareCommands(program: Command, shell: Shell, run: Run): void {
  const compare = program
    .command("compare")
    .summary("print what differs between two load tests")
    .description(
      "Compares a load test with an earlier one, endpoint by endpoint, the worst first. A verdict is " +
        "given only where noise does not explain the difference: docs/compare.md.",
    )
    .argument("<base>", "load test to compare with")
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
    .addOption(flag("--against <id>", "load test that growth is measured against"))
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

function addPartFlags(command: Command): Command {
  command
    .addOption(flag("--filter <text>", "endpoints whose label contains this text"))
    .addOption(flag("--hash <hex>", "the endpoint with this SHA-1"))
    .addOption(
      flag("--skip-start <seconds>", "leave out so many seconds at the start of both").argParser(
        wholeNumber(0, 1_000_000_000),
      ),
    )
    .addOption(flag("--from <second>", "from this UNIX second on").argParser(SECOND))
    .addOption(flag("--until <second>", "before this UNIX second").argParser(SECOND))
    .addOption(flag("--base-from <second>", "the same of the other load test").argParser(SECOND))
    .addOption(flag("--base-until <second>", "the same of the other load test").argParser(SECOND));
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
  tachograph compare release-41 release-42 --filter /cart --markdown
`;

const CHECK_EXAMPLES = `
Examples:
  tachograph check release-42 --fail-if 'p95 > 500ms' --fail-if 'errors > 1%'
  tachograph check release-42 --fail-if 'GET /cart: avg > 0.2s' --junit check.xml
  tachograph check release-42 --against release-41 --fail-if 'p95 grows > 10%'
`;
