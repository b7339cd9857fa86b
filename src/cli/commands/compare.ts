import type { LoadTestComparison } from "../../api/compare.ts";
import type { Api } from "../../client/api.ts";
import { type Command, InvalidArgumentError } from "commander";
import { openApiReader, selected } from "../../analysis/api-reader.ts";
import { RUNS_MAX } from "../../analysis/compare/select-runs.ts";
import { ALL_ENDPOINTS } from "../../series/endpoint-selection.ts";
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
import {
  comparedRunsTexts,
  SHOWN_STATISTICS,
  type ShownStatistic,
} from "../output/compared-runs-texts.ts";
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
import { reportIn, saveReport } from "../output/save-report.ts";
import { findBaseline } from "../targets/list-load-tests.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";
import { checkServer } from "../targets/store-location.ts";
import {
  partOf,
  type RampOptions,
  rangeOf,
  selectionOf,
  type SelectionOptions,
} from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Compares a run with an earlier one, or 2 to 20 runs with one of them, endpoint by endpoint, worst first. A verdict is " +
        "given only where noise does not explain the difference: docs/compare.md.",
    )
    .usage(
      [
        "[options] <id> --against <base>",
        "tachograph compare [options] <base> <id> [id...]",
        "tachograph compare [options] --name <name>",
      ].join("\n       "),
    )
    .argument("[id...]", "the base, then the others; with --against, the run")
    .addOption(
      flag(
        "--against <base>",
        "run to compare with, or @baseline: the baseline of its name",
      ).argParser(once("--against")),
    )
    .addOption(flag("--base <id>", "of several runs, the one that the others are compared with"))
    .addOption(flag("--name <name>", "compare the latest runs with this name"))
    .addOption(flag("--last <number>", "as many (default: 5)").argParser(wholeNumber(1, RUNS_MAX)))
    .addOption(
      flag("--per <property>", "only the latest run of each value of this property: version"),
    )
    .addOption(
      flag("--statistic <name>", "of endpoints of several runs (default: p95)").choices(
        SHOWN_STATISTICS,
      ),
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
    .addOption(flag("--html-file <file>", "also write a self-contained HTML report to this file"))
    .addHelpText("after", EXAMPLES)
    .action((ids: readonly string[], options: CompareOptions) => {
      // The variable, which check has too, gives way to the form with two words.
      const isFlag = command.getOptionValueSource("against") === "cli";
      const against = ids.length === 1 || isFlag ? options.against : undefined;
      return run(() => {
        if (ids.length > 2 || options.name !== undefined) {
          return printRuns(ids, { ...options, against }, context);
        }
        return printComparison(...loadTestsOf(ids, { ...options, against }), options, context);
      });
    });
};

/** Refuses a flag that is given twice: the last would win silently. */
function once(name: string) {
  return (text: string, earlier: string | undefined): string => {
    if (earlier === undefined) return text;
    throw new InvalidArgumentError(
      `Expected ${name} once; to compare several runs: compare BASE ID ID.`,
    );
  };
}

/** Throws `bad-parameter`. */
function loadTestsOf(
  ids: readonly string[],
  options: CompareOptions,
): readonly [base: string, id: string] {
  const { against, base, last, per, statistic } = options;
  refuseAny({ last, per, statistic }, "is for --name, or more than two runs");
  const [first, second] = ids;
  if (against !== undefined && first !== undefined && second === undefined) {
    if (base === undefined || base === against) return [against, first];
    throw badParameter(`compare: got --base ${base} and --against ${against}, want one of them`);
  }
  if (against === undefined && first !== undefined && second !== undefined) {
    return inOrder([first, second], base);
  }
  const runs = ["no run", "one run", "two"][ids.length];
  const got = against === undefined ? `${runs} and no --against` : `--against and ${runs}`;
  throw badParameter(
    `compare: got ${got}, want "compare ID --against BASE" or "compare BASE ID", "compare BASE ID ID" or "compare --name NAME"`,
  );
}

function inOrder([first, second]: readonly [string, string], base = first) {
  if (base === first) return [first, second] as const;
  if (base === second) return [second, first] as const;
  throw badParameter(`compare: got --base ${base}, want one of ${first} and ${second}`);
}

/** Throws `bad-parameter` for the first flag that is given. */
function refuseAny(flags: Readonly<Record<string, unknown>>, why: string): void {
  const extra = Object.keys(flags).find((name) => flags[name] !== undefined);
  if (extra !== undefined) throw badParameter(`compare: got --${extra}, which ${why}`);
}

const EXAMPLES = `
Examples:
  tachograph compare release-42 --against release-41 --skip-start 60
  tachograph compare release-41 release-42 release-43 --statistic p99
  tachograph compare --name checkout --per version --markdown
  tachograph compare --name checkout --last 5 --html-file compare.html
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
  readonly against?: string | undefined;
  readonly base?: string;
  readonly name?: string;
  readonly last?: number;
  readonly per?: string;
  readonly statistic?: ShownStatistic;
  readonly markdown?: true;
  readonly markdownFile?: string;
  readonly htmlFile?: string;
  readonly limit?: number;
  readonly measure?: MeasureSelector;
}

async function printComparison(
  given: string,
  id: string,
  options: CompareOptions,
  context: CommandContext,
): Promise<void> {
  if (options.htmlFile !== undefined) refuseAny(ofTwo(options), "--html-file does not show");
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
  if (options.htmlFile !== undefined) {
    await writeHtml(api, runsQuery([base, id], options), options, context);
  }
  await context.writeOut(options.markdown ? markdown() : report(comparison, options, context));
}

/** Several runs, beside each other. Throws `bad-parameter`. */
async function printRuns(
  ids: readonly string[],
  options: CompareOptions,
  context: CommandContext,
): Promise<void> {
  requireOfRuns(ids, options);
  const { limit = Infinity, statistic = "p95", markdownFile } = options;
  await using api = await openApi(options, context);
  const query = runsQuery(ids, options);
  const compared = await api.ask("compareRuns", query);
  const textsOf = (show: (text: string) => string) =>
    comparedRunsTexts(compared, statistic, limit, show);
  const markdown = (): string => {
    const { runs, endpoints, measures, notes } = textsOf(markdownCode);
    const above = `${formatMarkdownTable(runs, { otherLength: 0 })}\n`;
    return `${above}${markdownBelow(endpoints, measures, notes, above.length)}`;
  };
  if (markdownFile !== undefined) {
    await writeReportFile("--markdown-file", markdownFile, markdown());
  }
  if (options.htmlFile !== undefined) await writeHtml(api, query, options, context);
  if (options.json) return context.writeOut(jsonLine(compared));
  if (options.markdown) return context.writeOut(markdown());
  const { runs, endpoints, measures, notes } = textsOf(printable);
  const { columns: terminalColumns } = context.terminal;
  const ofRuns = formatFittedTable(runs, { terminalColumns, optional: ["STARTED", ...OPTIONAL] });
  // Without a column, a table of runs would lie.
  const [ofEndpoints = "", ofMeasures = ""] = [endpoints, measures].map((rows) => {
    return formatFittedTable(rows, { terminalColumns: Infinity, optional: [] });
  });
  const tables = [ofRuns, ofEndpoints, ...(measures.length === 0 ? [] : [ofMeasures])];
  await context.writeOut(`${tables.join("\n")}\n${notes.map((line) => `${line}\n`).join("")}`);
}

/** Of the operation. */
const ENDPOINTS_MAX = 1000;

function runsQuery(ids: readonly string[], options: CompareOptions) {
  const { name, last, per, base, limit = Infinity, skipStart, skipEnd } = options;
  return {
    ...selected(selectionOf(options) ?? ALL_ENDPOINTS),
    runs: name === undefined ? ids.join(",") : undefined,
    name,
    last,
    per,
    base: base === AT_BASELINE ? undefined : base,
    limit: Math.max(1, Math.min(ENDPOINTS_MAX, limit)),
    skipStart,
    skipEnd,
  };
}

async function writeHtml(
  api: Api,
  query: ReturnType<typeof runsQuery>,
  { htmlFile = "", url, key }: CompareOptions,
  context: CommandContext,
): Promise<void> {
  const shown = Object.entries(query).flatMap(([name, value]) => {
    return value === undefined || name === "limit" ? [] : [[name, `${value}`]];
  });
  const search = new URLSearchParams(shown);
  const address = url && `${checkServer(url, key).url}/compare?${search}`;
  const html = await reportIn(api.open("getComparisonReport", { ...query, address }));
  await saveReport("--html-file", htmlFile, html, context);
}

/** Throws `bad-parameter` for flags of a comparison of two. */
function requireOfRuns(ids: readonly string[], options: CompareOptions): void {
  const { name, against, base } = options;
  if (name !== undefined && ids.length > 0) {
    throw badParameter("compare: got --name and runs, want one of them");
  }
  refuseAny({ against, ...ofTwo(options) }, "is for a comparison of two runs");
  if (base === AT_BASELINE && name === undefined) {
    throw badParameter("compare: got --base @baseline, want an id, or --name");
  }
  if (name === undefined) refuseAny({ last: options.last, per: options.per }, "is for --name");
}

function ofTwo({ from, until, baseFrom, baseUntil, measure }: CompareOptions) {
  return { from, until, "base-from": baseFrom, "base-until": baseUntil, measure };
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
  const head = `${subject}: ${counts}\n\n`;
  return `${head}${markdownBelow(rows, measures, notes, head.length)}`;
}

type Rows = ComparisonTexts["rows"];

/** Both tables and the notes, below a text of this length. */
function markdownBelow(
  rows: Rows,
  measures: Rows,
  notes: readonly string[],
  aboveLength: number,
): string {
  // A leading star would start a list.
  const below = notes.map((note) => `\n${note.replace(/^\*/, String.raw`\*`)}\n`).join("");
  // Measures take at most half of the room.
  const otherLength = COMMENT_MAX / 2;
  const more = measures.length === 0 ? "" : `\n${formatMarkdownTable(measures, { otherLength })}`;
  const table = formatMarkdownTable(rows, {
    otherLength: aboveLength + below.length + more.length,
  });
  return `${table}${more}${below}`;
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
