import type { Command } from "commander";
import {
  findPrunable,
  isKept,
  passLimit,
  type PrunedLoadTest,
  pruneLoadTests,
  type Retention,
} from "../../catalogue/prune-load-tests.ts";
import { UserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { loadTestJson } from "../../render/load-test-json.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT, type Run } from "../exit-codes.ts";
import { keepFlags, switchFlag, withStore } from "../flags.ts";
import { formatCount } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { openStore, type StoreOptions } from "../targets/opened-store.ts";

export function addPruneCommand(tests: Command, context: CommandContext, run: Run): void {
  const prune = tests
    .command("prune")
    .description(
      "Deletes old load tests, or all but the latest, and prints those that went. Pinned ones " +
        "stay and do not count. Age is that of the last data.",
    );
  for (const keep of keepFlags()) prune.addOption(keep);
  withStore(prune)
    .addOption(switchFlag("--dry-run", "delete nothing, print what would go", context.environment))
    .addOption(switchFlag("--yes", "delete more than a tenth of all, too", context.environment))
    .addOption(switchFlag("--json", "write JSON", context.environment))
    .action((options) => run(() => pruneTests(options, context)));
}

interface PruneOptions extends StoreOptions, Retention {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** Deletes what retention does not keep and prints each load test. Deleting more than a tenth needs `yes`. */
async function pruneTests(options: PruneOptions, context: CommandContext): Promise<number> {
  if (options.keepDays === undefined && options.keepTests === undefined) {
    throw new UserError(
      "bad-parameter",
      "nothing to prune by: expected --keep-days or --keep-tests",
    );
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
  if (options.json) await context.writeOut(`${JSON.stringify(documents)}\n`);
  return EXIT.done;
}

function whyNone(all: readonly LoadTestSummary[], { keepDays, keepTests }: Retention): string {
  if (all.length === 0) return "nothing to delete: there are no load tests\n";
  const kept = all.filter(isKept).length;
  const limits = [
    ...(keepDays === undefined ? [] : [`--keep-days ${keepDays}`]),
    ...(keepTests === undefined ? [] : [`--keep-tests ${keepTests}`]),
  ];
  const rest = kept === 0 ? "" : `, ${kept} pinned or baselines`;
  return `nothing to delete: ${limits.join(" and ")} keeps all ${formatCount(all.length, "load test")}${rest}\n`;
}

function requireFew(due: number, all: number): void {
  if (due <= passLimit(all)) return;
  throw new UserError(
    "bad-parameter",
    `${due} of ${all} load tests would go, more than a tenth: see which with --dry-run, ` +
      "then repeat it with --yes",
  );
}

function lineOf({ loadTest: { id, name }, reason }: PrunedLoadTest): string {
  return `${id}  ${printable(name)}  (${reason})\n`;
}
