import { openApiReader } from "../../analysis/api-reader.ts";
import { LOAD_TESTS_DEFAULT, LOAD_TESTS_MAX } from "../../analysis/trend/trend-series.ts";
import { type MeasureSelector, selectorText } from "../../model/measures/measure-selector.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import {
  flag,
  measureSelector,
  wholeNumber,
  withEndpoints,
  withLocation,
  withRamps,
} from "../flags.ts";
import {
  COMMENT_MAX,
  formatMarkdownTable,
  jsonLine,
  markdownCode,
  printable,
  formatFittedTable,
} from "../output/table.ts";
import { measureTexts, trendTexts } from "../output/trend-texts.ts";
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
      "Shows the runs of one name, or with one tag, and which of them changed response times or " +
        "failures by more than noise: docs/trend.md.",
    )
    .argument("[name]", "name of the runs")
    .addOption(flag("--tag <tag>", "that have this tag"))
    .addOption(
      flag("--last <number>", "use at most this many runs (default: 100)").argParser(
        wholeNumber(1, LOAD_TESTS_MAX),
      ),
    )
    .addOption(flag("--since <id>", "first run of the history (default: the baseline)"))
    .addOption(flag("--ignore-baseline", "include runs before the baseline"))
    .addOption(flag("--up-to <id>", "last run of the history"));
  withEndpoints(command).addOption(
    flag(
      "--measure <selector>",
      "measures of the runs instead of response times: 'NAME{tag=value} by TAG'",
    ).argParser(measureSelector),
  );
  withLocation(withRamps(command))
    .addOption(
      flag("--limit <number>", "list at most this many runs with changes")
        .argParser(wholeNumber(1, LOAD_TESTS_MAX))
        .default(CHANGED_LOAD_TESTS),
    )
    .addOption(flag("--all", "list every change of every statistic and endpoint"))
    .addOption(flag("--json", "write JSON"))
    .addOption(flag("--markdown", "write Markdown"))
    .addHelpText("after", EXAMPLES)
    .action((name: string | undefined, options) => run(() => printTrend(name, options, context)));
};

/** Columns of either table that go in a narrow terminal, the first one first. */
const OPTIONAL = ["STATISTICS", "CHANCE", "P50", "AVG", "REQUESTS"];

/** As many as a screen shows above the load tests. */
const CHANGED_LOAD_TESTS = 12;

const EXAMPLES = `
Examples:
  tachograph trend checkout
  tachograph trend checkout --since release-40 --last 50 --filter /cart
  tachograph trend checkout --measure 'cpu.usage_user by host'
  tachograph trend --tag main --skip-start 60s --json
`;

interface TrendOptions extends LocationOptions, RampOptions, EndpointOptions {
  readonly tag?: string;
  readonly last?: number;
  readonly since?: string;
  readonly ignoreBaseline?: true;
  readonly upTo?: string;
  readonly limit: number;
  readonly all?: true;
  readonly markdown?: true;
  readonly measure?: MeasureSelector;
}

async function printTrend(
  name: string | undefined,
  options: TrendOptions,
  context: CommandContext,
): Promise<void> {
  const { tag, last = LOAD_TESTS_DEFAULT, since, ignoreBaseline, upTo } = options;
  const selection = selectionOf(options) ?? ALL_ENDPOINTS;
  await using api = await openApi(options, context);
  const series = { name, tag, last, since, ignoreBaseline, upTo };
  const query = { ...series, selection, ...rampsOf(options), selector: options.measure };
  const trend = await openApiReader(api).trend(query);
  if (options.json) return context.writeOut(jsonLine(trend));
  const show = options.markdown ? markdownCode : printable;
  const { measure } = options;
  const changed = { limit: options.limit, isEach: options.all === true };
  const { head, tables, notes } =
    measure === undefined
      ? trendTexts(trend, show, changed)
      : measureTexts(trend, show, selectorText(measure));
  const subject = [name, tag].flatMap((each) => (each === undefined ? [] : [show(each)]));
  const above = `${subject.join(", ")}: ${head}\n`;
  if (options.markdown) {
    const below = notes.map((note) => `${note.replace(/^\*/, String.raw`\*`)}\n`).join("\n");
    const written = markdownTables(tables, above.length + below.length);
    await context.writeOut([above, ...written, below].join("\n"));
  } else {
    const { columns: terminalColumns } = context.terminal;
    const fit = { terminalColumns, optional: OPTIONAL };
    const below = notes.map((note) => `${note}\n`);
    const written = tables.map((rows) => formatFittedTable(rows, fit));
    await context.writeOut([above, ...written, ...below].join("\n"));
  }
}

/** In a comment, changes take at most half of the room. The oldest load tests are left out first. */
function markdownTables(
  tables: readonly (readonly (readonly string[])[])[],
  otherLength: number,
): readonly string[] {
  let used = otherLength + tables.length;
  return tables.map((rows, at) => {
    const isLast = at === tables.length - 1;
    const table = formatMarkdownTable(rows, {
      otherLength: isLast ? used : Math.max(used, COMMENT_MAX / 2),
      importanceOf: isLast ? (_, index) => index : undefined,
    });
    used += table.length;
    return table;
  });
}
