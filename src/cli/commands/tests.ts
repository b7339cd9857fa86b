import type { Command } from "commander";
import { BASELINE_TAG } from "../../catalogue/baseline.ts";
import type { LoadTestChanges, LoadTestJson } from "../../api/load-tests.ts";
import type { Api } from "../../client/api.ts";
import { badParameter, unless } from "../../model/errors.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import type { Texts } from "../../model/load-test/description.ts";
import { addFlags, flag, list, wholeNumber, withLocation } from "../flags.ts";
import { formatCount, formatSecond } from "../output/format-quantity.ts";
import { printable, formatFittedTable, jsonLine } from "../output/table.ts";
import { addManyCommand, addPruneCommand } from "./tests-change.ts";
import { listLoadTests } from "../targets/list-load-tests.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";
import {
  describedBy,
  descriptionFlags,
  type DescriptionOptions,
} from "../targets/run-description.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command.addHelpText("after", EXAMPLES);
  addReadingCommands(command, context, run);
  addCreateCommand(command, context, run);
  addChangeCommands(command, context, run);
  addDeleteCommand(command, context, run);
  addManyCommand(command, context, run);
  addPruneCommand(command, context, run);
};

const EXAMPLES = `
Examples:
  tachograph tests list checkout 'p95>500ms' --limit 10
  tachograph tests create --id nightly-7 --name 'checkout, 50 users' --tag nightly,prod
  tachograph tests show nightly-7 --json
  tachograph tests tag nightly-7 slow --remove prod
  tachograph tests environment nightly-7 staging
  tachograph tests set nightly-7 --description 'pool of 5' --property commit=ab12
  tachograph tests labels nightly-7 --ignore 'Debug*' --measure 'ttft *'
  tachograph tests pin nightly-7
  tachograph tests baseline nightly-7
  tachograph tests list --url https://results.example.org --key tgk_...
  tachograph tests change --search 'branch:old p95>5s' --delete --yes
  tachograph tests prune --keep-days 90 --keep-tests 500 --dry-run
`;

const addReadingCommands: DefineCommand = (tests, context, run) => {
  withLocation(
    tests
      .command("list")
      .description("Prints runs, newest first.")
      .argument("[terms...]", "words and limits that match, such as commit:ab12 p95>500ms")
      .addOption(flag("--search <text>", "the same as one text: docs/load-tests.md"))
      .addOption(flag("--tag <tag>", "that have this tag"))
      .addOption(
        flag("--limit <number>", "list at most this many").argParser(wholeNumber(1, 2 ** 32)),
      )
      .addOption(flag("--json", "write JSON")),
  ).action((terms: string[], options: ListOptions) =>
    run(() => listTests([...terms, options.search ?? ""].join(" "), options, context)),
  );
  withLocation(
    tests
      .command("show")
      .description("Prints one run, its sources and its endpoints.")
      .argument("<id>")
      .addOption(flag("--json", "write JSON")),
  ).action((id: string, options) => run(() => showTest(id, options, context)));
};

interface ListOptions extends LocationOptions {
  readonly search?: string;
  readonly tag?: string;
  readonly limit?: number;
}

async function listTests(
  search: string,
  options: ListOptions,
  context: CommandContext,
): Promise<void> {
  const { tag, limit } = options;
  await using api = await openApi(options, context);
  let unknown = 0;
  const loadTests = await listLoadTests(api, {
    search: search.trim() || undefined,
    tag,
    limit,
    onUnknown: (runs) => (unknown = Math.max(unknown, runs)),
  });
  if (unknown > 0) {
    const runs = formatCount(unknown, "run");
    context.writeError(`${runs} may be missing: their percentiles are not computed yet\n`);
  }
  if (options.json) return context.writeOut(jsonLine(loadTests));
  const rows = loadTests.map((loadTest) => [
    loadTest.id,
    printable(loadTest.name),
    loadTest.from === null ? "-" : formatSecond(loadTest.from),
    String(loadTest.endpoints),
    String(loadTest.requests),
    String(loadTest.failedRequests),
    loadTest.pinned ? "pinned" : "-",
    printable(loadTest.tags.join(",")),
  ]);
  const head = ["ID", "NAME", "FROM", "ENDPOINTS", "REQUESTS", "FAILED", "PINNED", "TAGS"];
  await context.writeOut(
    formatFittedTable([head, ...rows], {
      terminalColumns: context.terminal.columns,
      optional: ["ENDPOINTS", "FAILED", "PINNED", "FROM"],
    }),
  );
}

async function showTest(
  id: string,
  options: LocationOptions,
  context: CommandContext,
): Promise<void> {
  await using api = await openApi(options, context);
  const shown = await api.ask("getLoadTest", { id, labels: "true" });
  const { labels = [], sources, quality, ...summary } = shown;
  if (options.json) return context.writeOut(jsonLine({ ...summary, labels, sources, quality }));
  await context.writeOut(
    [
      `${summary.id}  ${printable(summary.name)}`,
      ...spanLine(summary),
      ...stateLine(summary),
      ...textLines(summary),
      `${formatCount(summary.requests, "request")}, ${summary.failedRequests} failed`,
      ...sources.map(({ name, format }) => `from ${printable(name)} (${format})`),
      ...quality.map(({ message }) => printable(message)),
      `${formatCount(labels.length, "endpoint")}:`,
      ...labels.map((label) => `  ${printable(label)}`),
    ]
      .map((line) => `${line}\n`)
      .join(""),
  );
}

function stateLine({ pinned, finishedAt, tags, environment }: LoadTestJson): string[] {
  const states = [
    ...(environment === null ? [] : [`in ${environment}`]),
    ...(tags.length === 0 ? [] : [`tags ${printable(tags.join(", "))}`]),
    ...(pinned ? ["pinned"] : []),
    ...(finishedAt === null ? [] : [`finished ${formatSecond(Date.parse(finishedAt) / 1000)}`]),
  ];
  return states.length === 0 ? [] : [states.join("; ")];
}

function textLines({ description, properties, links }: LoadTestJson): readonly string[] {
  return [
    ...(description === null ? [] : description.split("\n").map(printable)),
    ...Object.entries(properties).map(([key, value]) => `${key}: ${printable(value)}`),
    ...Object.entries(links).map(([title, url]) => `${printable(title)}: ${printable(url)}`),
  ];
}

function spanLine({ from, until }: LoadTestJson): string[] {
  return from === null || until === null ? [] : [`${formatSecond(from)} to ${formatSecond(until)}`];
}

const addCreateCommand: DefineCommand = (tests, context, run) => {
  withLocation(
    addFlags(tests.command("create"), descriptionFlags())
      .description("Creates an empty run and prints its id.")
      .addOption(flag("--id <id>", "its id (default: a new one)"))
      .addOption(flag("--name <text>", "its name (default: the id)"))
      .addOption(flag("--tag <list>", "its tags").argParser(list))
      .addOption(flag("--environment <name>", "where it takes place: docs/server-metrics.md"))
      .addOption(flag("--pin", "exempt from retention"))
      .addOption(flag("--json", "write the run as JSON")),
  ).action((options) => run(() => createTest(options, context)));
};

interface CreateOptions extends LocationOptions, DescriptionOptions {
  readonly id?: string;
  readonly name?: string;
  readonly tag?: readonly string[];
  readonly environment?: string;
  readonly pin?: true;
}

/** Prints the id of a new empty load test, or all of it with `--json`. */
async function createTest(options: CreateOptions, context: CommandContext): Promise<void> {
  const { id, name, tag: tags, environment, pin } = options;
  await using api = await openApi(options, context, { mayCreate: true });
  const made = { id, name, tags, environment, pinned: pin, ...describedBy(options) };
  const loadTest = await api.ask("createLoadTest", {}, made);
  const line = options.json ? JSON.stringify(loadTest) : loadTest.id;
  await context.writeOut(`${line}\n`);
}

const addChangeCommands: DefineCommand = (tests, context, run) => {
  const add = (name: string, description: string): Command =>
    withLocation(
      tests
        .command(name)
        .description(description)
        .argument("<id>")
        .addOption(flag("--json", "write the run as JSON")),
    );
  const change = (id: string, request: LoadTestChanges, options: LocationOptions): Promise<void> =>
    run(() => changeTest(id, request, options, context));
  add("rename", "Renames a run. Its id does not change.")
    .argument("<name>")
    .action((id: string, name: string, options: LocationOptions) => change(id, { name }, options));
  add("tag", "Adds tags to a run, or removes some.")
    .argument("[tags...]", "tags to add")
    .addOption(flag("--remove <list>", "tags to remove").argParser(list))
    .action((id: string, addTags: string[], options: TagOptions) =>
      change(id, { addTags, removeTags: options.remove }, options),
    );
  add("environment", "Names the environment where a run took place; without a name, none.")
    .argument("[name]")
    .action((id: string, name: string | undefined, options: LocationOptions) =>
      change(id, { environment: name ?? null }, options),
    );
  const set = add("set", "Describes a run; further properties and links are added.");
  addFlags(set, descriptionFlags())
    .addOption(flag("--remove <list>", "keys and titles to remove").argParser(list))
    .action((id: string, options: SetOptions) => run(() => describe(id, options, context)));
  add(
    "labels",
    "Turns labels into measures or leaves them out; all others count as requests again.",
  )
    .addOption(
      flag("--measure <list>", "labels that are measures; `*` is any text").argParser(list),
    )
    .addOption(flag("--ignore <list>", "labels to leave out").argParser(list))
    .action((id: string, { measure = [], ignore = [], ...options }: LabelsOptions) =>
      change(id, { measure, ignore }, options),
    );
  add("pin", "Exempts a run from retention.").action((id: string, options) =>
    change(id, { pinned: true }, options),
  );
  add("unpin", "Makes a run subject to retention again.").action((id: string, options) =>
    change(id, { pinned: false }, options),
  );
  add("baseline", "Makes a run the baseline of its name: histories begin there.")
    .addOption(flag("--undo", "remove the baseline of its name"))
    .action((id: string, options: UndoOptions) =>
      change(id, { [options.undo ? "removeTags" : "addTags"]: [BASELINE_TAG] }, options),
    );
  add("finish", "Marks a run as finished: no more data is expected. Later data is still accepted.")
    .addOption(flag("--undo", "mark it as running again"))
    .action((id: string, options: UndoOptions) =>
      change(id, { finished: options.undo !== true }, options),
    );
};

type SetOptions = LocationOptions & DescriptionOptions & { readonly remove?: readonly string[] };

async function describe(id: string, options: SetOptions, context: CommandContext): Promise<void> {
  const { description, properties, links } = describedBy(options);
  const without = (texts: Texts): Texts =>
    Object.fromEntries(Object.entries(texts).filter(([name]) => !options.remove?.includes(name)));
  await using api = await openApi(options, context);
  const known = await api.ask("getLoadTest", { id });
  const changed = {
    ...(options.description !== undefined && { description: description ?? null }),
    properties: { ...without(known.properties), ...properties },
    links: { ...without(known.links), ...links },
  };
  await changeTest(id, changed, options, context);
}

type TagOptions = LocationOptions & { readonly remove?: readonly string[] };

interface LabelsOptions extends LocationOptions {
  readonly measure?: readonly string[];
  readonly ignore?: readonly string[];
}

type UndoOptions = LocationOptions & { readonly undo?: true };

async function changeTest(
  id: string,
  request: LoadTestChanges,
  options: LocationOptions,
  context: CommandContext,
): Promise<void> {
  await using api = await openApi(options, context);
  const loadTest = await api.ask("changeLoadTest", { id }, request);
  if (options.json) await context.writeOut(jsonLine(loadTest));
}

const addDeleteCommand: DefineCommand = (tests, context, run) => {
  withLocation(
    tests
      .command("delete")
      .description("Deletes a run with all its data. This cannot be undone.")
      .argument("<id>")
      .addOption(flag("--yes", "delete it even if it is pinned")),
  ).action((id: string, options) => run(() => deleteTest(id, options, context)));
};

/** A pinned load test needs `yes`. */
async function deleteTest(
  id: string,
  options: LocationOptions & { readonly yes?: true },
  context: CommandContext,
): Promise<void> {
  await using api = await openApi(options, context);
  if (options.yes !== true && (await isPinned(api, id))) {
    throw badParameter(`run "${id}" is pinned: repeat the command with --yes to delete it anyway`);
  }
  await api.ask("deleteLoadTest", { id });
}

/** A write-only key cannot ask; the load test then counts as not pinned. */
async function isPinned(api: Api, id: string): Promise<boolean> {
  const shown = await unless("server-refused", () => api.ask("getLoadTest", { id }));
  return shown?.pinned ?? false;
}
