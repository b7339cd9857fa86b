import { UserError } from "../model/errors.ts";
import {
  findPrunable,
  passLimit,
  type PrunedLoadTest,
  pruneLoadTests,
  type Retention,
} from "../operations/prune-load-tests.ts";
import { loadTestJson } from "../render/load-test-json.ts";
import { EXIT } from "./exit-codes.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";

export interface PruneOptions extends StoreOptions, Retention {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/**
 * Deletes what retention does not keep and prints each load test that went, or would go. More than a
 * tenth of them go only with `yes`.
 */
export async function pruneTestsCommand(options: PruneOptions, shell: Shell): Promise<number> {
  if (options.keepDays === undefined && options.keepTests === undefined) {
    throw new UserError(
      "bad-parameter",
      "nothing to prune by: expected --keep-days or --keep-tests",
    );
  }
  await using opened = await openStore(options, shell);
  const { loadTests } = opened.store;
  const all = await loadTests.list();
  const due = findPrunable(all, options, shell.now());
  if (options.dryRun !== true && options.yes !== true) requireFew(due.length, all.length);
  const pruned: PrunedLoadTest[] = [];
  for await (const each of options.dryRun ? due.toReversed() : pruneLoadTests(loadTests, due)) {
    pruned.push(each);
    if (!options.json) await shell.writeOut(lineOf(each));
  }
  const documents = pruned.map(({ loadTest, reason }) => ({ ...loadTestJson(loadTest), reason }));
  if (options.json) await shell.writeOut(`${JSON.stringify(documents)}\n`);
  return EXIT.done;
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
