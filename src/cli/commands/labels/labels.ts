import type { LabelList } from "../../../catalogue/list-labels.ts";
import type { SuggestedGroups } from "../../../catalogue/suggest-groups.ts";
import { groupingOf } from "../../../import/decode-settings.ts";
import type { CommandContext, DefineCommand } from "../../command-context.ts";
import { flag, list, wholeNumber, withProject, withStore } from "../../flags.ts";
import { formatCount } from "../../output/format-quantity.ts";
import { printable, formatTable, jsonLine } from "../../output/table.ts";
import { openStore, type StoreOptions } from "../../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withProject(withStore(command))
    .description(
      "Prints the endpoint labels of a run with their requests. With --suggest: which labels an import " +
        "with these flags would merge, and how many would remain.",
    )
    .argument("<id>", "the run")
    .addOption(flag("--search <text>", "labels that contain this text"))
    .addOption(
      flag("--limit <number>", "show at most this many, ordered by requests or labels")
        .argParser(wholeNumber(1, 2 ** 32))
        .default(50),
    )
    .addOption(flag("--suggest", "print suggested groups"))
    .addOption(flag("--group-urls", "replace ids, as import does (default: without --group)"))
    .addOption(
      flag(
        "--group <list>",
        "path patterns that are merged into one label, as in import",
      ).argParser(list),
    )
    .addOption(flag("--json", "write JSON"))
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => printLabels(id, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph labels nightly-7 --search /products/ --limit 10
  tachograph labels nightly-7 --suggest
  tachograph labels nightly-7 --suggest --group-urls --group '/products/*'
`;

interface LabelsOptions extends StoreOptions {
  readonly search?: string;
  readonly limit: number;
  readonly suggest?: true;
  readonly groupUrls?: true;
  readonly group?: readonly string[];
  readonly json?: true;
}

async function printLabels(
  loadTestId: string,
  options: LabelsOptions,
  context: CommandContext,
): Promise<void> {
  const { search = "", limit } = options;
  const query = { loadTestId, search };
  const flags = grouping(options);
  await using opened = await openStore(options, context);
  if (options.suggest) {
    const { suggestGroups } = await import("../../../catalogue/suggest-groups.ts");
    const { groups, ...counts } = await suggestGroups(opened.store, query, flags);
    const suggested = { ...counts, groups: groups.slice(0, limit) };
    const words = () => suggestion(suggested, groups.length, commandLine(flags));
    await context.writeOut(options.json ? jsonLine(suggested) : words());
  } else {
    const { listLabels } = await import("../../../catalogue/list-labels.ts");
    const listed = await listLabels(opened.store.points, query, limit);
    await context.writeOut(options.json ? jsonLine(listed) : table(listed));
  }
}

/** Folds ids by default. */
function grouping({ groupUrls, group }: LabelsOptions): {
  readonly ids: boolean;
  readonly rules: readonly string[];
} {
  return groupingOf(groupUrls === true, group) ?? { ids: true, rules: [] };
}

function table({ labels, requests, most }: LabelList): string {
  if (labels === 0) return "no labels\n";
  const rows = most.map((count) => [String(count.requests), printable(count.label)]);
  const of = most.length < labels ? `${formatCount(most.length, "label")} of ` : "";
  const all = `${formatCount(labels, "label")}, ${formatCount(requests, "request")}`;
  return `${formatTable([["REQUESTS", "LABEL"], ...rows])}${of}${all}\n`;
}

function suggestion(
  { labels, labelsLeft, groups }: SuggestedGroups,
  groupCount: number,
  command: string,
): string {
  if (groups.length === 0) return `none of ${formatCount(labels, "label")} would be folded\n`;
  const rows = groups.map((group) => [
    String(group.labels),
    String(group.requests),
    printable(group.label),
    group.examples.map(printable).join("  "),
  ]);
  const more = groupCount - groups.length;
  return (
    formatTable([["LABELS", "REQUESTS", "WOULD BE", "FOR EXAMPLE"], ...rows]) +
    (more > 0 ? `and ${formatCount(more, "further group")}\n` : "") +
    `${formatCount(labels, "label")} would be ${formatCount(labelsLeft, "label")}:\n  ${command}\n`
  );
}

function commandLine({ ids, rules }: ReturnType<typeof grouping>): string {
  const words = rules.map((rule) => `--group '${rule.replaceAll("'", String.raw`'\''`)}'`);
  return ["tachograph import", ...(ids ? ["--group-urls"] : []), ...words, "FILE"].join(" ");
}
