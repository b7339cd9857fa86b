import { InvalidArgumentError } from "commander";
import { openApiReader } from "../../analysis/api-reader.ts";
import { EARLIER_MAX } from "../../analysis/compare/earlier-runs.ts";
import { type FigurePower, PAIRS_MAX, readPower } from "../../analysis/check/power.ts";
import { EARLIER_MIN } from "../../analysis/compare/run-noise.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import type { MeasureSelector } from "../../model/measures/measure-selector.ts";
import { flag, measureSelector, withEndpoints, withLocation, withRamps } from "../flags.ts";
import { formatChange, formatCount, formatShare } from "../output/format-quantity.ts";
import { formatTable, jsonLine, printable } from "../output/table.ts";
import { FIGURES } from "../output/trend-texts.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";
import {
  type EndpointOptions,
  type RampOptions,
  rampsOf,
  selectionOf,
} from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Tells how small a growth a check of the next run finds, and how many runs find a given one in " +
        "9 of 10 cases, by how much earlier runs differ: docs/check.md.",
    )
    .argument("<name>", "name of the runs")
    .addOption(
      flag("--change <percent>", "growth to find; of errors in percentage points")
        .argParser(percent)
        .makeOptionMandatory(),
    );
  withEndpoints(command).addOption(
    flag("--measure <selector>", "measures instead of requests, such as 'cpu by host'").argParser(
      measureSelector,
    ),
  );
  withLocation(withRamps(command))
    .addOption(flag("--json", "write JSON"))
    .addHelpText("after", EXAMPLES)
    .action((name: string, options) => run(() => printPower(name, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph power checkout --change 5%
  tachograph power checkout --change 10% --filter /cart --skip-start 1m --json
`;

interface PowerOptions extends LocationOptions, RampOptions, EndpointOptions {
  /** As a share. */
  readonly change: number;
  readonly measure?: MeasureSelector;
}

function percent(text: string): number {
  const [, number] = /^(\d{1,5}(?:\.\d{1,3})?)%$/.exec(text) ?? [];
  if (Number(number) > 0) return Number(number) / 100;
  throw new InvalidArgumentError("Expected a percentage such as 5%.");
}

async function printPower(
  name: string,
  options: PowerOptions,
  context: CommandContext,
): Promise<void> {
  const selection = selectionOf(options) ?? ALL_ENDPOINTS;
  await using api = await openApi(options, context);
  const { change } = options;
  const query = { name, change, selection, selector: options.measure, ...rampsOf(options) };
  const { loadTests, figures } = await readPower(openApiReader(api), query);
  const text = options.json
    ? jsonLine({ name, change, loadTests, figures })
    : report(`${printable(name)}: ${formatCount(loadTests, "run")}`, change, figures);
  await context.writeOut(text);
}

function report(head: string, change: number, figures: readonly FigurePower[]): string {
  if (figures.length === 0) {
    return `${head}; noise between runs is unknown: ${EARLIER_MIN} runs on one level are needed\n`;
  }
  const wanted = `EARLIER RUNS FOR ${formatShare(change)}`;
  const rows = figures.map((power) => {
    const { figure, level, spread, detectable, earlierRuns, pairs } = power;
    const { name, format } = wordsOf(power);
    const isShare = figure === "errRate" || power.isShare === true;
    const growth = isShare ? formatShare : (value: number) => formatChange(value).slice(1);
    return [
      name,
      format(level),
      growth(spread),
      detectable === undefined ? "nothing" : growth(detectable),
      earlierRuns === undefined ? `more than ${EARLIER_MAX}` : String(earlierRuns),
      pairs === undefined ? `more than ${PAIRS_MAX}` : String(pairs),
    ];
  });
  const table = formatTable([
    ["STATISTIC", "LEVEL", "SPREAD", "NEXT RUN FINDS", wanted, "PAIRS"],
    ...rows,
  ]);
  return `${head}\n\n${table}\n9 of 10 checks find it: of one run after these earlier ones, or of these pairs\n`;
}

function wordsOf({ figure, measure, isShare }: FigurePower) {
  if (measure === undefined) return FIGURES[figure as keyof typeof FIGURES];
  const format = isShare ? formatShare : (value: number) => String(Number(value.toPrecision(6)));
  return { name: `${printable(measure)} ${figure}`, format };
}
