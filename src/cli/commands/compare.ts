import type { LoadTestComparison } from "../../api/compare.ts";
import type { Command } from "commander";
import { openApiReader } from "../../analysis/api-reader.ts";
import type { CompareQuery } from "../../analysis/compare/compare-load-tests.ts";
import type { MeasureSelector } from "../../model/measures/measure-selector.ts";
import { badParameter, UserError } from "../../model/errors.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import {
  flag,
  instant,
  measureSelector,
  wholeNumber,
  withLocation,
  withRamps,
  withSelection,
} from "../flags.ts";
import { type ComparisonTexts, comparisonTexts } from "../output/comparison-texts.ts";
import {
  COMMENT_MAX,
  formatMarkdownTable,
  jsonLine,
  markdownCode,
  markdownSubject,
  printable,
  formatFittedTable,
  writeReportFile,
} from "../output/table.ts";
import { findBaseline } from "../targets/list-load-tests.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";
import { partOf, type RampOptions, rangeOf, type SelectionOptions } from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Compares a run with an earlier one, endpoint by endpoint, worst first. A verdict is " +
        "given only where noise does not explain the difference: docs/compare.md.",
    )
    .usage("[options] <id> --against <base>\n       tachograph compare [options] <base> <id>")
    .argument("<first>", "the run; without --against, the run to compare with")
    .argument("[id]", "the run, if --against is not given")
    .addOption(
      flag("--against <base>", "run to compare with, or @baseline: the baseline of its name"),
    );
  addPartFlags(command)
    .addOption(
      flag("--limit <number>", "show at most this many endpoints, and measures").argParser(
        wholeNumber(0, 2 ** 32),
      ),
    )
    .addOption(
      flag(
        "--measure <selector>",
        "compare these measures: 'NAME{tag=value} by TAG' (default: each of the run as a whole)",
      ).argParser(measureSelector),
    );
  addOutputFlags(command)
    .addHelpText("after", EXAMPLES)
    .action((first: string, second: string | undefined, options: CompareOptions) => {
      // The variable, which check has too, gives way to the form with two words.
      const isFlag = command.getOptionValueSource("against") === "cli";
      const against = second === undefined || isFlag ? options.against : undefined;
      return run(() => printComparison(...loadTestsOf(first, second, against), options, context));
    });
};

/** Throws `bad-parameter`. */
function loadTestsOf(
  first: string,
  second: string | undefined,
  against: string | undefined,
): readonly [base: string, id: string] {
  if (against !== undefined && second === undefined) return [against, first];
  if (against === undefined && second !== undefined) return [first, second];
  const got = against === undefined ? "one run and no --against" : "--against and two";
  throw badParameter(`compare: got ${got}, want "compare ID --against BASE" or "compare BASE ID"`);
}

const EXAMPLES = `
Examples:
  tachograph compare release-42 --against release-41 --skip-start 60
  tachograph compare release-42 --against @baseline --filter /cart --limit 20 --markdown-file compare.md
`;

export function addPartFlags(command: Command): Command {
  withRamps(withSelection(command))
    .addOption(flag("--base-from <time>", "--from of the other run").argParser(instant))
    .addOption(flag("--base-until <time>", "--until of the other run").argParser(instant));
  return withLocation(command);
}

export function addOutputFlags(command: Command): Command {
  return command
    .addOption(flag("--json", "write JSON"))
    .addOption(flag("--markdown", "write Markdown, for example for a pull request"))
    .addOption(flag("--markdown-file <file>", "also write Markdown to this file"));
}

export interface ComparedParts extends SelectionOptions, RampOptions {
  readonly baseFrom?: number;
  readonly baseUntil?: number;
}

interface CompareOptions extends ComparedParts {
  readonly against?: string;
  readonly markdown?: true;
  readonly markdownFile?: string;
  readonly limit?: number;
  readonly measure?: MeasureSelector;
}

async function printComparison(
  given: string,
  id: string,
  options: CompareOptions,
  context: CommandContext,
): Promise<void> {
  const base = await baseOf(given, id, options, context);
  const query = { ...compareQuery(base, id, options), selector: options.measure };
  await using api = await openApi(options, context);
  const comparison = await openApiReader(api).compare(query);
  const { markdownFile, limit = Infinity } = options;
  const markdown = (): string =>
    markdownOf(markdownSubject(id, base), comparisonTexts(comparison, limit, markdownCode));
  if (markdownFile !== undefined) {
    await writeReportFile("--markdown-file", markdownFile, markdown());
  }
  await context.writeOut(options.markdown ? markdown() : report(comparison, options, context));
}

/** Columns that go in a narrow terminal, the first one first. */
const OPTIONAL = ["AVG", "P99", "P50", "SHIFT"];
const OF_MEASURES = ["P50", "P99", "MAX", "P95"];

function report(
  comparison: LoadTestComparison,
  { json, limit = Infinity }: CompareOptions,
  { terminal: { columns: terminalColumns } }: CommandContext,
): string {
  if (json) return jsonLine(comparison);
  const { counts, rows, measures, notes } = comparisonTexts(comparison, limit, printable);
  const table = formatFittedTable(rows, { terminalColumns, optional: OPTIONAL });
  const ofMeasures = formatFittedTable(measures, { terminalColumns, optional: OF_MEASURES });
  const below = measures.length === 0 ? "" : `\n${ofMeasures}\n`;
  return `${table}${counts}\n${below}${notes.map((line) => `${line}\n`).join("")}`;
}

function markdownOf(subject: string, { counts, rows, measures, notes }: ComparisonTexts): string {
  // A leading star would start a list.
  const lines = notes.map((note) => `\n${note.replace(/^\*/, String.raw`\*`)}\n`);
  const [head, below] = [`${subject}: ${counts}\n\n`, lines.join("")];
  // Measures take at most half of the room.
  const beside = COMMENT_MAX / 2;
  const more = measures.length === 0 ? "" : `\n${formatMarkdownTable(measures, { beside })}`;
  const table = formatMarkdownTable(rows, { beside: head.length + below.length + more.length });
  return `${head}${table}${more}${below}`;
}

/** Throws `bad-parameter`. */
export function compareQuery(base: string, id: string, options: ComparedParts): CompareQuery {
  const later = partOf(id, options);
  const range = rangeOf({ from: options.baseFrom, until: options.baseUntil });
  return { base: { ...later, loadTestId: base, range }, later };
}

/** Names the baseline; no id has this character. */
const AT_BASELINE = "@baseline";

/** Returns `base`, or the id of the baseline of the name of load test `id`. Throws `unknown-load-test`. */
export async function baseOf(
  base: string,
  id: string,
  options: LocationOptions,
  context: CommandContext,
): Promise<string> {
  if (base !== AT_BASELINE) return base;
  await using api = await openApi(options, context);
  const { name } = await api.ask("getLoadTest", { id });
  const baseline = await findBaseline(api, name);
  if (baseline !== undefined) return baseline.id;
  throw new UserError(
    "unknown-load-test",
    `no run named ${JSON.stringify(name)}, the name of ${id}, is the baseline: tachograph tests baseline ID`,
  );
}
