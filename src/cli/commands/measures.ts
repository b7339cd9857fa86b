import type { MeasuresJson } from "../../api/measures.ts";
import { unstoredText } from "../../model/measures/series-limits.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag, instant, withLocation } from "../flags.ts";
import { formatFittedTable, jsonLine, printable } from "../output/table.ts";
import { openApi } from "../targets/opened-store.ts";
import { definePull } from "./measures-pull.ts";
import { rangeOf, type SelectionOptions } from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  definePull(command.enablePositionalOptions().command("pull"), context, run);
  withLocation(command)
    .description(
      "Prints what else a run has measured: metrics of servers, phases of requests, checks and metrics of the script.",
    )
    .argument("<id>", "the run")
    .argument("[name]", "only measures of this name")
    .addOption(
      flag(
        "--select <selector>",
        "merge series, as thresholds do: 'NAME{tag=value, tag!=value} by TAG'",
      ),
    )
    .addOption(flag("--from <time>", "from this time: ISO 8601 or UNIX").argParser(instant))
    .addOption(flag("--until <time>", "before this time").argParser(instant))
    .addOption(flag("--json", "write JSON"))
    .action((id: string, measure: string | undefined, options: MeasuresOptions) =>
      run(async () => {
        await using api = await openApi(options, context);
        const { select: selector } = options;
        const found = await api.ask("getMeasures", { id, measure, selector, ...rangeOf(options) });
        await context.writeOut(options.json ? jsonLine(found) : textOf(found, context));
      }),
    );
};

interface MeasuresOptions extends SelectionOptions {
  readonly select?: string;
}

const HEAD = ["MEASURE", "UNIT", "COUNT", "SUM", "MEAN", "MIN", "P95", "MAX", "ENDPOINT, TAGS"];
const OPTIONAL = ["SUM", "MIN", "P95", "COUNT"];

function textOf(
  { measures, unstored }: MeasuresJson,
  { terminal: { columns: terminalColumns } }: CommandContext,
): string {
  const rows = measures.map(({ name, unit, endpoint, tags, count, ...figures }) => {
    const tagged = Object.entries(tags).map(([tag, value]) => `${tag}=${value}`);
    const about = [...(endpoint === undefined ? [] : [endpoint.label]), ...tagged].join(" ");
    const { sum, mean, min, p95, max } = figures;
    return [
      printable(name),
      unit === "" ? "-" : printable(unit),
      String(count),
      ...[sum, mean, min, p95, max].map(shortened),
      about === "" ? "-" : printable(about),
    ];
  });
  const fit = { terminalColumns, optional: OPTIONAL };
  const table = rows.length === 0 ? "no measures\n" : formatFittedTable([HEAD, ...rows], fit);
  const note = unstoredText(unstored);
  return note === undefined ? table : `${table}${note}\n`;
}

/** Whole from 10,000 on, otherwise five significant digits. */
function shortened(value: number | undefined): string {
  if (value === undefined) return "-";
  return String(Math.abs(value) < 10_000 ? Number(value.toPrecision(5)) : Math.round(value));
}
