import type { Command } from "commander";
import { dataFlag, switchFlag } from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

export function addTestsCommands(program: Command, shell: Shell, run: Run): void {
  const tests = program.command("tests").summary("list, show, rename and delete load tests");
  tests
    .command("list")
    .description("Prints all load tests, newest first.")
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .addOption(dataFlag())
    .action((options) =>
      run(async () => (await import("./tests.ts")).listTestsCommand(options, shell)),
    );
  tests
    .command("show")
    .description("Prints one load test, its sources and its endpoints.")
    .argument("<id>")
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .addOption(dataFlag())
    .action((id: string, options) =>
      run(async () => (await import("./tests.ts")).showTestCommand(id, options, shell)),
    );
  tests
    .command("rename")
    .description("Gives a load test another name; its id stays.")
    .argument("<id>")
    .argument("<name>")
    .addOption(dataFlag())
    .action((id: string, name: string, options) =>
      run(async () => (await import("./tests.ts")).renameTestCommand(id, name, options, shell)),
    );
  tests
    .command("delete")
    .description("Deletes a load test with everything that was measured. There is no way back.")
    .argument("<id>")
    .addOption(dataFlag())
    .action((id: string, options) =>
      run(async () => (await import("./tests.ts")).deleteTestCommand(id, options, shell)),
    );
  tests.addHelpText(
    "after",
    `
Examples:
  tachograph tests list
  tachograph tests show release-42 --json
  tachograph tests rename 7530493087449088000 'checkout, 50 users'
`,
  );
}
