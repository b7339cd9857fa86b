import type { CommandContext, DefineCommand } from "../../command-context.ts";
import { flag, withStore } from "../../flags.ts";
import { formatTable, jsonLine } from "../../output/table.ts";
import { openStoreAt, type StoreOptions } from "../../targets/opened-store.ts";
import { storeLocationOf } from "../../targets/store-location.ts";
import type { Store } from "../../../store/store.ts";
import { isValidAt } from "../../../catalogue/keys.ts";
import { projectsIn } from "../../../catalogue/environment-stretch.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withStore(
    command
      .description("Prints the projects of a store, with their runs and valid keys.")
      .addOption(flag("--json", "write JSON")),
  ).action((options) => run(() => printProjects(options, context)));
};

async function printProjects(
  options: StoreOptions & { readonly json?: true },
  context: CommandContext,
): Promise<void> {
  const location = storeLocationOf(options, context.environment);
  await using opened = await openStoreAt(location, options, context);
  const projects = await listProjects(opened.store, context.now());
  if (options.json) {
    const shown = projects.map(({ name = null, ...counts }) => ({ name, ...counts }));
    return context.writeOut(jsonLine(shown));
  }
  const rows = projects.map(({ name = "(none)", loadTests, keys }) => [
    name,
    String(loadTests),
    String(keys),
  ]);
  await context.writeOut(formatTable([["PROJECT", "RUNS", "KEYS"], ...rows]));
}

interface Project {
  /** `undefined`: of what belongs to none. */
  readonly name: string | undefined;
  readonly loadTests: number;
  /** Valid ones, without links. */
  readonly keys: number;
}

/** What belongs to no project first, then the projects that have a load test or a valid key, by name. `atMs`: now. */
async function listProjects(store: Store, atMs: number): Promise<readonly Project[]> {
  const ofKeys = (await store.keys.list())
    .filter((key) => key.loadTestIds === undefined && isValidAt(key, atMs))
    .map(({ project }) => project);
  const known = [...(await projectsIn(store)), ...ofKeys];
  const names = new Set(known.filter((name) => name !== undefined));
  return Promise.all(
    [undefined, ...[...names].toSorted()].map(async (name) => ({
      name,
      loadTests: (await store.within({ project: name }).loadTests.list()).length,
      keys: ofKeys.filter((each) => each === name).length,
    })),
  );
}
