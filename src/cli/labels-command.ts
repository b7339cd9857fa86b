import type { Command } from "commander";
import { flag, list, switchFlag, wholeNumber, withStore } from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

export function addLabelsCommand(program: Command, shell: Shell, run: Run): void {
  withStore(program.command("labels"))
    .summary("print labels, and what would become of them if they were folded")
    .description(
      "Prints the labels of a load test with their requests. With --suggest: which of them an import " +
        "would make one label with these flags, and how many would be left.",
    )
    .argument("<id>", "load test")
    .addOption(flag("--search <text>", "labels that contain this text"))
    .addOption(
      flag("--limit <number>", "at most so many, those with the most requests or labels first")
        .argParser(wholeNumber(1, 2 ** 32))
        .default(50),
    )
    .addOption(switchFlag("--suggest", "print what would be folded", shell.environment))
    .addOption(
      switchFlag(
        "--group-urls",
        "fold ids, as import does (default: without --group)",
        shell.environment,
      ),
    )
    .addOption(
      flag("--group <list>", "paths that are one label, as import takes them").argParser(list),
    )
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) =>
      run(async () => (await import("./labels.ts")).labelsCommand(id, options, shell)),
    );
}

const EXAMPLES = `
Examples:
  tachograph labels nightly-7 --search /products/ --limit 10
  tachograph labels nightly-7 --suggest
  tachograph labels nightly-7 --suggest --group-urls --group '/products/*'
`;
