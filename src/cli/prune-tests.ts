import { UserError } from "../model/errors.ts";
import {
  findPrunable,
  type PrunedLoadTest,
  pruneLoadTests,
  type Retention,
} from "../operations/prune-load-tests.ts";
import { loadTestJson } from "../render/load-test-json.ts";
import type { LoadTests } from "../store/store.ts";
import { EXIT } from "./exit-codes.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";

export interface PruneOptions extends StoreOptions, Retention {
  readonly dryRun?: true;
  readonly json?: true;
}

/** Deletes what retention does not keep and prints each load test that went, or would go. */
export async function pruneTestsCommand(options: PruneOptions, shell: Shell): Promise<number> {
  if (options.keepDays === undefined && options.keepTests === undefined) {
    throw new UserError(
      "bad-parameter",
      "nothing to prune by: expected --keep-days or --keep-tests",
    );
  }
  await using opened = await openStore(options, shell);
  const pruned: PrunedLoadTest[] = [];
  for await (const each of prune(opened.store.loadTests, options, shell.now())) {
    pruned.push(each);
    if (!options.json) await shell.writeOut(lineOf(each));
  }
  const documents = pruned.map(({ loadTest, reason }) => ({ ...loadTestJson(loadTest), reason }));
  if (options.json) await shell.writeOut(`${JSON.stringify(documents)}\n`);
  return EXIT.done;
}

async function* prune(
  loadTests: LoadTests,
  options: PruneOptions,
  nowMs: number,
): AsyncGenerator<PrunedLoadTest> {
  if (options.dryRun) yield* findPrunable(await loadTests.list(), options, nowMs);
  else yield* pruneLoadTests(loadTests, options, nowMs);
}

function lineOf({ loadTest: { id, name }, reason }: PrunedLoadTest): string {
  return `${id}  ${printable(name)}  (${reason})\n`;
}
