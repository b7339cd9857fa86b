import { groupingOf } from "../operations/decode-settings.ts";
import { type LabelList, listLabels } from "../operations/list-labels.ts";
import { type SuggestedGroups, suggestGroups } from "../operations/suggest-groups.ts";
import { EXIT } from "./exit-codes.ts";
import { formatCount } from "./format-quantity.ts";
import { openStore, type StoreOptions } from "./opened-store.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

export interface LabelsOptions extends StoreOptions {
  readonly search?: string;
  readonly limit: number;
  readonly suggest?: true;
  readonly groupUrls?: true;
  readonly group?: readonly string[];
  readonly json?: true;
}

/** Prints the labels of a load test, or what would become of them if they were folded. */
export async function labelsCommand(
  loadTestId: string,
  options: LabelsOptions,
  shell: Shell,
): Promise<number> {
  const { search = "", limit } = options;
  const query = { loadTestId, search };
  const flags = grouping(options);
  await using opened = await openStore(options, shell);
  if (options.suggest) {
    const { groups, ...counts } = await suggestGroups(opened.store, query, flags);
    const suggested = { ...counts, groups: groups.slice(0, limit) };
    const words = () => suggestion(suggested, groups.length, commandLine(flags));
    await shell.writeOut(options.json ? json(suggested) : words());
  } else {
    const list = await listLabels(opened.store.points, query, limit);
    await shell.writeOut(options.json ? json(list) : table(list));
  }
  return EXIT.done;
}

/** Without a flag that says how, ids are folded. */
function grouping({ groupUrls, group }: LabelsOptions): {
  readonly ids: boolean;
  readonly rules: readonly string[];
} {
  return groupingOf(groupUrls === true, group) ?? { ids: true, rules: [] };
}

function json(value: LabelList | SuggestedGroups): string {
  return `${JSON.stringify(value)}\n`;
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
