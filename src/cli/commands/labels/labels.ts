import type { LabelList } from "../../../catalogue/list-labels.ts";
import type { CommandContext, DefineCommand } from "../../command-context.ts";
import { flag, wholeNumber, withProject, withStore } from "../../flags.ts";
import { formatCount } from "../../output/format-quantity.ts";
import { printable, formatTable, jsonLine } from "../../output/table.ts";
import { openStore, type StoreOptions } from "../../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withProject(withStore(command))
    .description("Prints the endpoint labels of a run with their requests.")
    .argument("<id>", "the run")
    .addOption(flag("--search <text>", "labels that contain this text"))
    .addOption(
      flag("--limit <number>", "show at most this many, ordered by requests")
        .argParser(wholeNumber(1, 2 ** 32))
        .default(50),
    )
    .addOption(flag("--json", "write JSON"))
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => printLabels(id, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph labels nightly-7 --search /products/ --limit 10
`;

interface LabelsOptions extends StoreOptions {
  readonly search?: string;
  readonly limit: number;
  readonly json?: true;
}

async function printLabels(
  loadTestId: string,
  { search = "", limit, json, ...options }: LabelsOptions,
  context: CommandContext,
): Promise<void> {
  await using opened = await openStore(options, context);
  const { listLabels } = await import("../../../catalogue/list-labels.ts");
  const listed = await listLabels(opened.store.points, { loadTestId, search }, limit);
  await context.writeOut(json ? jsonLine(listed) : table(listed));
}

function table({ labels, requests, most }: LabelList): string {
  if (labels === 0) return "no labels\n";
  const rows = most.map((count) => [String(count.requests), printable(count.label)]);
  const of = most.length < labels ? `${formatCount(most.length, "label")} of ` : "";
  const all = `${formatCount(labels, "label")}, ${formatCount(requests, "request")}`;
  return `${formatTable([["REQUESTS", "LABEL"], ...rows])}${of}${all}\n`;
}
