import {
  findPrunable,
  isKept,
  passLimit,
  type PrunedLoadTest,
  pruneLoadTests,
  type Retention,
} from "../../catalogue/prune-load-tests.ts";
import { badParameter } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { loadTestJson } from "../../render/load-test-json.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { addFlags, keepFlags, withProject, withStore, flag } from "../flags.ts";
import { formatCount } from "../output/format-quantity.ts";
import { jsonLine, printable } from "../output/table.ts";
import { openStore, type StoreOptions } from "../targets/opened-store.ts";

export const addPruneCommand: DefineCommand = (tests, context, run) => {
  const prune = tests
    .command("prune")
    .description(
      "Deletes old runs, or all but the latest, and prints their ids. Pinned runs " +
        "stay and do not count. The age is the time since the last data.",
    );
  withProject(withStore(addFlags(prune, keepFlags())))
    .addOption(flag("--dry-run", "print what would be deleted, delete nothing"))
    .addOption(flag("--yes", "delete even more than a tenth of all runs"))
    .addOption(flag("--json", "write JSON"))
    .action((options) => run(() => pruneTests(options, context)));
};

interface PruneOptions extends StoreOptions, Retention {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** Deletes what retention does not keep and prints each load test. Deleting more than a tenth needs `yes`. */
async function pruneTests(options: PruneOptions, context: CommandContext): Promise<void> {
  if (options.keepDays === undefined && options.keepTests === undefined) {
    throw badParameter("nothing to prune: expected --keep-days or --keep-tests");
  }
  await using opened = await openStore(options, context);
  const { loadTests } = opened.store;
  const all = await loadTests.list();
  const due = findPrunable(all, options, context.now());
  if (options.dryRun !== true && options.yes !== true) requireFew(due.length, all.length);
  const pruned: PrunedLoadTest[] = [];
  for await (const each of options.dryRun ? due.toReversed() : pruneLoadTests(loadTests, due)) {
    pruned.push(each);
    if (!options.json) await context.writeOut(lineOf(each));
  }
  if (due.length === 0 && !options.json) await context.writeOut(whyNone(all, options));
  const documents = pruned.map(({ loadTest, reason }) => ({ ...loadTestJson(loadTest), reason }));
  if (options.json) await context.writeOut(jsonLine(documents));
}

function whyNone(all: readonly LoadTestSummary[], { keepDays, keepTests }: Retention): string {
  if (all.length === 0) return "nothing to delete: there are no runs\n";
  const kept = all.filter(isKept).length;
  const limits = [
    ...(keepDays === undefined ? [] : [`--keep-days ${keepDays}`]),
    ...(keepTests === undefined ? [] : [`--keep-tests ${keepTests}`]),
  ];
  const rest = kept === 0 ? "" : `, ${kept} pinned or baselines`;
  return `nothing to delete: ${limits.join(" and ")} keeps all ${formatCount(all.length, "run")}${rest}\n`;
}

function requireFew(due: number, all: number): void {
  if (due <= passLimit(all)) return;
  throw badParameter(
    `${due} of ${all} runs would be deleted, more than a tenth: list them with --dry-run, ` +
      "then repeat the command with --yes",
  );
}

function lineOf({ loadTest: { id, name }, reason }: PrunedLoadTest): string {
  return `${id}  ${printable(name)}  (${reason})\n`;
}
