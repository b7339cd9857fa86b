import type { LoadTestJson } from "../../api/load-tests.ts";
import {
  type PrunedLoadTest,
  type Retention,
  findPrunable,
  isKept,
  passLimit,
  pruneLoadTests,
} from "../../catalogue/prune-load-tests.ts";
import type { Api } from "../../client/api.ts";
import { badParameter } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { loadTestJson } from "../../render/load-test-json.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { addFlags, flag, keepFlags, list, withLocation, withProject, withStore } from "../flags.ts";
import { formatCount } from "../output/format-quantity.ts";
import { jsonLine, printable } from "../output/table.ts";
import { listLoadTests } from "../targets/list-load-tests.ts";
import {
  type LocationOptions,
  type StoreOptions,
  openApi,
  openStore,
} from "../targets/opened-store.ts";

export const addManyCommand: DefineCommand = (tests, context, run) => {
  withLocation(
    tests
      .command("change")
      .description(
        "Tags, pins or deletes several runs: those named, or those that a search finds. Without --yes, it only prints what it would do. " +
          "Pinned runs are not deleted.",
      )
      .argument("[ids...]")
      .addOption(flag("--search <terms>", "those that match: docs/load-tests.md"))
      .addOption(flag("--add-tag <list>", "tags to add").argParser(list))
      .addOption(flag("--remove-tag <list>", "tags to remove").argParser(list))
      .addOption(flag("--pin", "exempt from retention"))
      .addOption(flag("--unpin", "subject to retention again").conflicts("pin"))
      .addOption(
        flag("--delete", "with all data, which cannot be undone").conflicts([
          "pin",
          "unpin",
          "addTag",
          "removeTag",
        ]),
      )
      .addOption(flag("--yes", "do it")),
  ).action((ids: string[], options: ManyOptions) => run(() => changeMany(ids, options, context)));
};

interface ManyOptions extends LocationOptions {
  readonly search?: string;
  readonly addTag?: readonly string[];
  readonly removeTag?: readonly string[];
  readonly pin?: true;
  readonly unpin?: true;
  readonly delete?: true;
  readonly yes?: true;
}

/** Prints a line for each run: what happens to it, once it has. All runs are found before the first is changed. */
async function changeMany(
  ids: readonly string[],
  options: ManyOptions,
  context: CommandContext,
): Promise<void> {
  const doing = wordsOf(options);
  if (doing === "") {
    throw badParameter(
      "nothing to do: expected --add-tag, --remove-tag, --pin, --unpin or --delete",
    );
  }
  if ((ids.length === 0) === (options.search === undefined)) {
    throw badParameter("expected ids of runs, or --search");
  }
  // Such as --search "$TERMS" without a value: all runs.
  if (options.search?.trim() === "") throw badParameter("--search: expected terms, got none");
  await using api = await openApi(options, context);
  const runs = await runsOf(api, ids, options);
  const stays = ({ pinned }: LoadTestJson): boolean => pinned && options.delete === true;
  const stay = runs.filter(stays);
  const changed = runs.filter((each) => !stays(each));
  for (const { id, name } of stay)
    await context.writeOut(`${id}  ${printable(name)}: pinned, stays\n`);
  for (const { id, name } of changed) {
    if (options.yes === true) await change(api, id, options);
    await context.writeOut(`${id}  ${printable(name)}: ${printable(doing)}\n`);
  }
  const runCount = formatCount(changed.length, "run");
  if (options.yes !== true) context.writeError(`${runCount} would change: --yes does it\n`);
}

async function runsOf(
  api: Api,
  ids: readonly string[],
  { search = "" }: ManyOptions,
): Promise<readonly LoadTestJson[]> {
  if (ids.length === 0) {
    return listLoadTests(api, { search, onUnknown: refuseUnknown });
  }
  const runs: LoadTestJson[] = [];
  for (const id of new Set(ids)) runs.push(await api.ask("getLoadTest", { id }));
  return runs;
}

function refuseUnknown(runs: number): void {
  if (runs === 0) return;
  const missing = formatCount(runs, "run");
  throw badParameter(`the percentiles of ${missing} are not computed yet: try again later`);
}

async function change(api: Api, id: string, options: ManyOptions): Promise<void> {
  if (options.delete === true) return api.ask("deleteLoadTest", { id });
  const { addTag: addTags, removeTag: removeTags, pin, unpin } = options;
  const pinned = unpin === true ? false : pin;
  await api.ask("changeLoadTest", { id }, { addTags, removeTags, pinned });
}

function wordsOf(options: ManyOptions): string {
  const { addTag = [], removeTag = [], pin, unpin } = options;
  return [
    ...addTag.map((tag) => `tag ${tag}`),
    ...removeTag.map((tag) => `remove tag ${tag}`),
    ...(pin ? ["pin"] : []),
    ...(unpin ? ["unpin"] : []),
    ...(options.delete ? ["delete"] : []),
  ].join(", ");
}

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
