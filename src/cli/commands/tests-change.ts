import type { LoadTestJson } from "../../api/load-tests.ts";
import type { Api } from "../../client/api.ts";
import { badParameter } from "../../model/errors.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, list, withLocation } from "../flags.ts";
import { formatCount } from "../output/format-quantity.ts";
import { printable } from "../output/table.ts";
import { listLoadTests } from "../targets/list-load-tests.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";

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
