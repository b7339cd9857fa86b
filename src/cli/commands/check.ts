import type { Command } from "commander";
import type { CheckedHistory, CheckedLimit, Limit } from "../../analysis/check/limit.ts";
import { LOAD_TESTS_DEFAULT, LOAD_TESTS_MAX } from "../../analysis/trend/trend-series.ts";
import { UserError } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT, type Run } from "../exit-codes.ts";
import { flag, switchFlag, wholeNumber } from "../flags.ts";
import {
  type CheckRules,
  countsOf,
  failsCheck,
  formatJunit,
  findingOf,
  policyColumns,
  resultOf,
} from "../output/check-words.ts";
import { messagesOf } from "../output/comparison-texts.ts";
import {
  formatMarkdownTable,
  markdownCode,
  markdownSubject,
  printable,
  formatTable,
  writeReportFile,
} from "../output/table.ts";
import { openReader } from "../targets/opened-store.ts";
import { readExpressions } from "../targets/read-expressions.ts";
import {
  baseOf,
  addOutputFlags,
  addPartFlags,
  type ComparedParts,
  compareQuery,
} from "./compare.ts";

export function defineCommand(command: Command, context: CommandContext, run: Run): void {
  command
    .description(
      "Checks a run against thresholds, for a pipeline. Exit code 4 if one failed or could not be " +
        "evaluated. A threshold is an expression such as 'GET /cart: p95 > 500ms': docs/check.md.",
    )
    .argument("<id>", "the run")
    .option("--fail-if <limit>", "when to fail; may be repeated", oneMore)
    .addOption(flag("--thresholds <file>", "thresholds in YAML, in addition to --fail-if"))
    .addOption(flag("--against <id>", "run to compare with for growth, or @baseline"))
    .addOption(flag("--against-history <name>", "name of the runs to search for changes"))
    .addOption(
      flag("--history-tag <tag>", "only runs with this tag, with or without --against-history"),
    )
    .addOption(flag("--since <id>", "first run of the history (default: the baseline)"))
    .addOption(
      switchFlag(
        "--ignore-baseline",
        "include runs before the pinned baseline",
        context.environment,
      ),
    )
    .addOption(
      flag("--last <number>", "use at most this many runs of the history (default: 100)").argParser(
        wholeNumber(2, LOAD_TESTS_MAX),
      ),
    )
    .addOption(
      switchFlag(
        "--allow-unknown",
        "pass thresholds that cannot be evaluated",
        context.environment,
      ),
    )
    .addOption(
      switchFlag(
        "--fail-inconclusive",
        "fail if noise may explain growth or there is too little data",
        context.environment,
      ),
    )
    .addOption(flag("--junit <file>", "write a JUnit XML report"));
  addOutputFlags(addPartFlags(command), context)
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) => run(() => checkLimits(id, options, context)));
}

const EXAMPLES = `
Examples:
  tachograph check release-42 --fail-if 'p95 > 500ms' --fail-if 'errors > 1%'
  tachograph check release-42 --fail-if 'GET /cart: avg > 0.2s' --junit check.xml
  tachograph check release-42 --thresholds thresholds.yaml --against release-41
  tachograph check release-42 --against release-41 --fail-if 'p95 grows > 10%' --skip-start 1m
  tachograph check release-42 --against-history checkout --fail-if 'p95 changed'
  tachograph check release-42 --url https://results.example.org --fail-if 'errors > 1%'
`;

function oneMore(text: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), text];
}

interface CheckOptions extends ComparedParts, CheckRules {
  readonly failIf?: readonly string[];
  readonly thresholds?: string;
  readonly against?: string;
  readonly againstHistory?: string;
  readonly historyTag?: string;
  readonly last?: number;
  readonly since?: string;
  readonly ignoreBaseline?: true;
  readonly junit?: string;
  readonly markdownFile?: string;
  readonly json?: true;
  readonly markdown?: true;
}

/** Exit code 0 if all limits are kept. */
async function checkLimits(
  id: string,
  options: CheckOptions,
  context: CommandContext,
): Promise<number> {
  const limits = await limitsOf(options, context);
  if (limits === undefined) return EXIT.unusable;
  const against = options.against && (await baseOf(options.against, id, options, context));
  const history = historyOf(options);
  needs(limits, "growth", { given: against, by: "--against, an earlier run" });
  needs(limits, "change", {
    given: history,
    by: "--against-history, the name of those before it",
  });
  const { base, later } = compareQuery(against ?? id, id, options);
  await using opened = await openReader(options, context);
  const { checkThresholds } = await import("../../analysis/thresholds/check-thresholds.ts");
  const checked = await checkThresholds(opened.reader, {
    later,
    base: against === undefined ? undefined : base,
    history,
    limits,
  });
  const { junit, markdownFile } = options;
  if (junit !== undefined)
    await writeReportFile("--junit", junit, junitOf(id, against, checked, options));
  const markdown = (): string => markdownOf(id, against, checked);
  if (markdownFile !== undefined) {
    await writeReportFile("--markdown-file", markdownFile, markdown());
  }
  await context.writeOut(options.markdown ? markdown() : report(against, checked, options));
  return checked.some((each) => failsCheck(each, options)) ? EXIT.limitBroken : EXIT.done;
}

/** `undefined` without a flag. */
function historyOf(options: CheckOptions): CheckedHistory | undefined {
  const { againstHistory: name, historyTag: tag, last = LOAD_TESTS_DEFAULT } = options;
  const { since, ignoreBaseline } = options;
  return name === undefined && tag === undefined
    ? undefined
    : { name, tag, last, since, ignoreBaseline };
}

/**
 * Limits of flags, then those of the file; `undefined` after printing what is wrong. Throws `bad-parameter`,
 * `unreadable-source`.
 */
async function limitsOf(
  { failIf = [], thresholds }: CheckOptions,
  context: CommandContext,
): Promise<readonly Limit[] | undefined> {
  if (failIf.length === 0 && thresholds === undefined) {
    throw new UserError("bad-parameter", "expected --fail-if or --thresholds, got neither");
  }
  const ofFlags = readExpressions(failIf, context);
  if (thresholds === undefined) return ofFlags;
  const { readThresholdsFile } = await import("../targets/thresholds-file.ts");
  const ofFile = await readThresholdsFile(thresholds, context);
  return ofFlags && ofFile && [...ofFlags, ...ofFile];
}

/** Throws `bad-parameter` if the expression of a flag needs another flag; those of a file are skipped. */
function needs(
  limits: readonly Limit[],
  about: Limit["about"],
  { given, by }: { readonly given: unknown; readonly by: string },
): void {
  const limit = limits.find((each) => each.about === about && each.policy === undefined);
  if (limit === undefined || given !== undefined) return;
  throw new UserError("bad-parameter", `"${limit.text}" needs ${by}`);
}

function junitOf(
  id: string,
  against: string | undefined,
  checked: readonly CheckedLimit[],
  rules: CheckRules,
): string {
  const cases = checked.map((each) => {
    const { limit, outcome } = each;
    const result = resultOf(each);
    const isNamed = outcome === "notEvaluated" || result === "warning" || result === "accepted";
    const words = isNamed ? `${result}: ${findingOf(each)}` : findingOf(each);
    const fails = failsCheck(each, rules);
    return {
      group: limit.label ?? "(all)",
      name: `fail if ${limit.text}`,
      failure: fails ? words : undefined,
      skipped: fails || outcome === "kept" ? undefined : words,
      policy: limit.policy,
    };
  });
  return formatJunit(`tachograph check ${id}`, cases, qualityNotes(against, checked, String));
}

const HEAD = ["RESULT", "FAIL IF", "MEASURED"];

function report(
  against: string | undefined,
  checked: readonly CheckedLimit[],
  { json }: CheckOptions,
): string {
  if (json) return `${JSON.stringify(checked.map(jsonOf))}\n`;
  const lines = [countsOf(checked), ...qualityNotes(against, checked, printable)];
  return `${formatTable(rowsOf(checked, printable))}${lines.map((line) => `${line}\n`).join("")}`;
}

/** Unique sentences; those of another load test with its id. */
function qualityNotes(
  against: string | undefined,
  checked: readonly CheckedLimit[],
  show: (text: string) => string,
): readonly string[] {
  const own = messagesOf(checked.flatMap(({ quality }) => quality.value));
  const ofBase = messagesOf(checked.flatMap(({ quality }) => quality.base));
  return [
    ...[...own].map(show),
    ...[...ofBase].map((message) => `${show(message)} (${show(against ?? "")})`),
    ...[...new Set(checked.flatMap(({ noise }) => noise?.message ?? []))].map(show),
  ];
}

function markdownOf(
  id: string,
  against: string | undefined,
  checked: readonly CheckedLimit[],
): string {
  const isCompared = against !== undefined && checked.some(({ limit }) => limit.about === "growth");
  const subject = markdownSubject(id, isCompared ? against : undefined);
  const head = `${subject}: ${countsOf(checked)}\n\n`;
  const notes = qualityNotes(against, checked, markdownCode).map((note) => `\n${note}\n`);
  const below = notes.join("");
  const table = formatMarkdownTable(rowsOf(checked, markdownCode), {
    beside: head.length + below.length,
    importanceOf: ([result]) => (result === "ok" ? 0 : 1),
  });
  return `${head}${table}${below}`;
}

function rowsOf(
  checked: readonly CheckedLimit[],
  show: (text: string) => string,
): readonly (readonly string[])[] {
  const rows = checked.map((each) => [resultOf(each), show(each.limit.text), findingOf(each)]);
  return policyColumns([HEAD, ...rows], checked, show);
}

function jsonOf({ limit, outcome, measured, ...found }: CheckedLimit): unknown {
  const { isWithinPrecision = false, comparison, detectable, noise, change, quality } = found;
  const { text, label, figure, about, bound, unit } = limit;
  return {
    failIf: text,
    ...(label === undefined ? {} : { label }),
    figure,
    isGrowth: about === "growth",
    isChange: about === "change",
    comparison: limit.comparison,
    bound,
    unit,
    outcome,
    ...limit.policy,
    ...(measured === undefined ? {} : { measured }),
    ...(isWithinPrecision ? { isWithinPrecision } : {}),
    ...(comparison === undefined ? {} : { against: comparison }),
    ...(detectable === undefined ? {} : { detectable }),
    ...(noise === undefined ? {} : { noise }),
    ...(change === undefined ? {} : { change }),
    ...(quality.value.length === 0 ? {} : { quality: quality.value }),
    ...(quality.base.length === 0 ? {} : { againstQuality: quality.base }),
  };
}
