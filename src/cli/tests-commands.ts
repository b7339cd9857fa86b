import type { Command } from "commander";
import { BASELINE_TAG } from "../operations/baseline.ts";
import type { ChangeWish } from "../operations/catalogue.ts";
import type { ChangeOptions } from "./change-tests.ts";
import { flag, list, switchFlag, wholeNumber, withPlace, withStore } from "./flags.ts";
import type { Run } from "./program.ts";
import { keepFlags } from "./retention-flags.ts";
import type { Shell } from "./shell.ts";

/** Commands about load tests as things. */
export function addTestsCommands(program: Command, shell: Shell, run: Run): void {
  const tests = program
    .command("tests")
    .summary("list, create, change and delete load tests")
    .addHelpText("after", EXAMPLES);
  addReadingCommands(tests, shell, run);
  addCreateCommand(tests, shell, run);
  addChangeCommands(tests, shell, run);
  addDeletingCommands(tests, shell, run);
}

const EXAMPLES = `
Examples:
  tachograph tests list --search checkout --limit 10
  tachograph tests create --id nightly-7 --name 'checkout, 50 users' --tag nightly,prod
  tachograph tests show nightly-7 --json
  tachograph tests tag nightly-7 slow --remove prod
  tachograph tests pin nightly-7
  tachograph tests baseline nightly-7
  tachograph tests list --url https://results.example.org --key tgk_...
  tachograph tests prune --keep-days 90 --keep-tests 500 --dry-run
`;

function addReadingCommands(tests: Command, shell: Shell, run: Run): void {
  withPlace(
    tests
      .command("list")
      .description("Prints load tests, newest first.")
      .addOption(flag("--search <text>", "whose id, name or tags contain this text"))
      .addOption(flag("--tag <tag>", "that have this tag"))
      .addOption(flag("--limit <number>", "at most so many").argParser(wholeNumber(1, 2 ** 32)))
      .addOption(switchFlag("--json", "write JSON", shell.environment)),
  ).action((options) =>
    run(async () => (await import("./tests.ts")).listTestsCommand(options, shell)),
  );
  withPlace(
    tests
      .command("show")
      .description("Prints one load test, its sources and its endpoints.")
      .argument("<id>")
      .addOption(switchFlag("--json", "write JSON", shell.environment)),
  ).action((id: string, options) =>
    run(async () => (await import("./tests.ts")).showTestCommand(id, options, shell)),
  );
}

function addCreateCommand(tests: Command, shell: Shell, run: Run): void {
  withPlace(
    tests
      .command("create")
      .description("Makes an empty load test and prints its id.")
      .addOption(flag("--id <id>", "its id (default: a new one)"))
      .addOption(flag("--name <text>", "its name (default: the id)"))
      .addOption(flag("--tag <list>", "its tags").argParser(list))
      .addOption(switchFlag("--pin", "retention leaves it alone", shell.environment))
      .addOption(switchFlag("--json", "write the load test as JSON", shell.environment)),
  ).action((options) =>
    run(async () => (await import("./change-tests.ts")).createTestCommand(options, shell)),
  );
}

/** Commands with an id that say what is to be different. */
function addChangeCommands(tests: Command, shell: Shell, run: Run): void {
  const add = (name: string, description: string): Command =>
    withPlace(
      tests
        .command(name)
        .description(description)
        .argument("<id>")
        .addOption(switchFlag("--json", "write the load test as JSON", shell.environment)),
    );
  const change = (id: string, wish: ChangeWish, options: ChangeOptions): Promise<void> =>
    run(async () => {
      const { changeTestCommand } = await import("./change-tests.ts");
      return changeTestCommand(id, wish, options, shell);
    });
  add("rename", "Gives a load test another name; its id stays.")
    .argument("<name>")
    .action((id: string, name: string, options: ChangeOptions) => change(id, { name }, options));
  add("tag", "Adds tags to a load test, or takes some away.")
    .argument("[tags...]", "tags to be added")
    .addOption(flag("--remove <list>", "tags to be taken away").argParser(list))
    .action((id: string, addedTags: string[], options: TagOptions) =>
      change(id, { addedTags, removedTags: options.remove }, options),
    );
  add("pin", "Makes retention leave a load test alone.").action((id: string, options) =>
    change(id, { pinned: true }, options),
  );
  add("unpin", "Leaves a load test to retention again.").action((id: string, options) =>
    change(id, { pinned: false }, options),
  );
  add("baseline", "Makes a load test the baseline of its name: histories begin at it.")
    .addOption(switchFlag("--undo", "its name has no baseline any more", shell.environment))
    .action((id: string, options: UndoOptions) =>
      change(id, { [options.undo ? "removedTags" : "addedTags"]: [BASELINE_TAG] }, options),
    );
  add("finish", "Says that no more data will come; those that come all the same are taken.")
    .addOption(switchFlag("--undo", "it goes on after all", shell.environment))
    .action((id: string, options: UndoOptions) =>
      change(id, { finished: options.undo !== true }, options),
    );
}

type TagOptions = ChangeOptions & { readonly remove?: readonly string[] };

type UndoOptions = ChangeOptions & { readonly undo?: true };

function addDeletingCommands(tests: Command, shell: Shell, run: Run): void {
  withPlace(
    tests
      .command("delete")
      .description("Deletes a load test with everything that was measured. There is no way back.")
      .argument("<id>"),
  ).action((id: string, options) =>
    run(async () => (await import("./change-tests.ts")).deleteTestCommand(id, options, shell)),
  );
  const prune = tests
    .command("prune")
    .description(
      "Deletes old load tests, or all but the latest, and prints those that went. Pinned ones " +
        "stay and do not count. Age is that of the last data.",
    );
  for (const keep of keepFlags()) prune.addOption(keep);
  withStore(prune)
    .addOption(switchFlag("--dry-run", "delete nothing, print what would go", shell.environment))
    .addOption(switchFlag("--yes", "delete more than a tenth of all, too", shell.environment))
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .action((options) =>
      run(async () => (await import("./prune-tests.ts")).pruneTestsCommand(options, shell)),
    );
}
