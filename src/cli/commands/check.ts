import {
  type CheckedHistory,
  type CheckedLimit,
  type CheckRules,
  failsCheck,
  type Limit,
} from "../../analysis/check/limit.ts";
import type { CompareQuery } from "../../analysis/compare/compare-load-tests.ts";
import { LOAD_TESTS_DEFAULT, LOAD_TESTS_MAX } from "../../analysis/trend/trend-series.ts";
import { badParameter } from "../../model/errors.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { addFlags, failIfFlag, flag, percentage, stopFlags, wholeNumber } from "../flags.ts";
import { junitOf, markdownOf, markdownSubjectOf, report } from "../output/check-report.ts";
import { formatCount } from "../output/format-quantity.ts";
import { writeReportFile } from "../output/table.ts";
import { openApi } from "../targets/opened-store.ts";
import { type PairOptions, readPairs } from "../targets/read-pairs.ts";
import type { StopOptions } from "../targets/watch-check.ts";
import { readExpressions } from "../targets/thresholds-file.ts";
import {
  baseOf,
  addOutputFlags,
  addPartFlags,
  type ComparedParts,
  compareQuery,
} from "./compare.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Checks a run against thresholds, for a pipeline. Exit code 4 if one failed or could not be " +
        "evaluated. A threshold is an expression such as 'GET /cart: p95 > 500ms': docs/check.md. " +
        "Without --fail-if and --thresholds, checks those of `tachograph thresholds set`.",
    )
    .argument("[id]", "the run; not with pairs")
    .addOption(failIfFlag("when to fail; may be repeated"))
    .addOption(flag("--thresholds <file>", "thresholds in YAML, in addition to --fail-if"))
    .addOption(flag("--against <id>", "run to compare with for growth, or @baseline"))
    .option("--pairs <base:head...>", "measure growth over pairs of runs instead")
    .addOption(
      flag("--pair-tags <base:head>", "pair the runs with these two tags, in order of start"),
    )
    .addOption(flag("--against-history <name>", "name of the runs to search for changes"))
    .addOption(
      flag("--history-tag <tag>", "only runs with this tag, with or without --against-history"),
    )
    .addOption(flag("--since <id>", "first run of the history (default: the baseline)"))
    .addOption(flag("--ignore-baseline", "include runs before the baseline"))
    .addOption(
      flag("--last <number>", "use at most this many runs of the history (default: 100)").argParser(
        wholeNumber(2, LOAD_TESTS_MAX),
      ),
    )
    .addOption(
      flag(
        "--allow-rejected <percent>",
        "judge as if all rows were read if at most this share could not be",
      ).argParser(percentage),
    )
    .addOption(flag("--allow-unknown", "pass thresholds that cannot be evaluated"))
    .addOption(
      flag("--fail-inconclusive", "fail if noise may explain growth or there is too little data"),
    )
    .addOption(
      flag("--watch", "wait until the run is over, or until a threshold over a window breaks"),
    )
    .addOption(flag("--junit <file>", "write a JUnit XML report"));
  addFlags(command, stopFlags());
  addOutputFlags(addPartFlags(command))
    .addHelpText("after", EXAMPLES)
    .action((id: string | undefined, options) => run(() => checkLimits(id, options, context)));
};

const EXAMPLES = `
Examples:
  tachograph check release-42 --fail-if 'p95 > 500ms' --fail-if 'errors > 1%'
  tachograph check release-42 --fail-if 'GET /cart: avg > 0.2s' --junit check.xml
  tachograph check release-42 --thresholds thresholds.yaml --against release-41
  tachograph check release-42 --against release-41 --fail-if 'p95 grows > 10%' --skip-start 1m
  tachograph check --pairs base-1:head-1 base-2:head-2 --fail-if 'p95 grows > 5%'
  tachograph check release-42 --against-history checkout --fail-if 'p95 changed'
  tachograph check release-42 --url https://results.example.org --fail-if 'errors > 1%'
`;

export interface CheckOptions extends ComparedParts, CheckRules, PairOptions, StopOptions {
  readonly failIf?: readonly string[];
  readonly thresholds?: string;
  /** A share. */
  readonly allowRejected?: number;
  readonly against?: string;
  readonly againstHistory?: string;
  readonly historyTag?: string;
  readonly last?: number;
  readonly since?: string;
  readonly ignoreBaseline?: true;
  readonly watch?: true;
  readonly junit?: string;
  readonly markdownFile?: string;
  readonly markdown?: true;
}

/** Exit code 0 if all limits are kept. */
export async function checkLimits(
  given: string | undefined,
  options: CheckOptions,
  context: CommandContext,
): Promise<number> {
  const { allowRejected } = options;
  const limits = (await limitsOf(given, options, context))?.map((limit) => ({
    ...limit,
    allowRejected: limit.allowRejected ?? allowRejected,
  }));
  if (limits === undefined) return EXIT.unusable;
  refuseWithoutWatch(options);
  const { id, against, pairs } = await loadTestsOf(given, options, limits, context);
  const history = historyOf(options);
  needs(limits, "growth", { given: against, by: "--against, an earlier run" });
  needs(limits, "change", {
    given: history,
    by: "--against-history, the name of those before it",
  });
  refusePartOfHistory(options, limits, history);
  if (options.watch) {
    const { watchLimits } = await import("../targets/watch-check.ts");
    const broken = await watchLimits(id, limits, options, context);
    if (broken !== undefined) return reportBroken(id, broken, options, context);
    // A run that goes on is not judged as a whole.
    context.interrupted.throwIfAborted();
  }
  const { base, later } = compareQuery(against ?? id, id, options);
  await using api = await openApi(options, context);
  const { openApiReader } = await import("../../analysis/api-reader.ts");
  const { readWithinRun } = await import("../../analysis/load-test-reader.ts");
  const { checkThresholds } = await import("../../analysis/thresholds/check-thresholds.ts");
  const reader = openApiReader(api);
  // Windows beyond the run would be empty, or too many.
  const isCut = later.range !== undefined && limits.some(({ window }) => window !== undefined);
  const query = {
    later,
    rangeOfWindows: isCut ? await readWithinRun(reader, later) : undefined,
    base: baseIn(against, { base, later }),
    history,
    limits,
    pairs: pairs && { pairs: pairs.map((pair) => compareQuery(pair.base, pair.id, options)) },
  };
  const checked: CheckedLimit[] = [];
  await checkThresholds(reader, query, (each) => void checked.push(each));
  await writeReports({ id, against, pairs: pairs?.length, checked }, options, context);
  return checked.some((each) => failsCheck(each, options)) ? EXIT.limitBroken : EXIT.done;
}

/** None if it is what is checked, such as the baseline against `@baseline`: nothing would have grown. */
function baseIn(against: string | undefined, { base, later }: CompareQuery) {
  const isSame = JSON.stringify(base) === JSON.stringify(later);
  return against === undefined || isSame ? undefined : base;
}

export async function reportBroken(
  id: string,
  broken: CheckedLimit,
  options: CheckOptions,
  context: CommandContext,
): Promise<number> {
  const { against } = options;
  await writeReports({ id, against, pairs: undefined, checked: [broken] }, options, context);
  return EXIT.limitBroken;
}

/** What is checked, and against what; of pairs the last one. Throws `bad-parameter`, `unknown-load-test`. */
async function loadTestsOf(
  id: string | undefined,
  options: CheckOptions,
  limits: readonly Limit[],
  context: CommandContext,
) {
  const pairs = await readPairs(options, context);
  const last = pairs?.at(-1);
  if (last !== undefined) {
    refuseBesidePairs(id, options, limits);
    return { id: last.id, against: last.base, pairs };
  }
  if (id === undefined) throw badParameter("expected a run or --pairs");
  const { against } = options;
  return { id, against: against && (await baseOf(against, id, options, context)), pairs };
}

interface Reported {
  readonly id: string;
  readonly against: string | undefined;
  readonly pairs: number | undefined;
  readonly checked: readonly CheckedLimit[];
}

async function writeReports(
  { id, against, pairs, checked }: Reported,
  options: CheckOptions,
  context: CommandContext,
): Promise<void> {
  const { junit, markdownFile } = options;
  const counted = pairs === undefined ? undefined : formatCount(pairs, "pair");
  if (junit !== undefined)
    await writeReportFile("--junit", junit, junitOf(counted ?? id, against, checked, options));
  const subject = counted ?? markdownSubjectOf(id, against, checked);
  const markdown = (): string => markdownOf(subject, against, checked);
  if (markdownFile !== undefined) {
    await writeReportFile("--markdown-file", markdownFile, markdown());
  }
  await context.writeOut(options.markdown ? markdown() : report(against, checked, options));
}

/** Throws `bad-parameter`. */
function refuseWithoutWatch({ watch, stopCommand, stopPid, pairs, pairTags }: CheckOptions): void {
  if (watch && (pairs ?? pairTags) !== undefined) {
    throw badParameter("--watch: expected one run, got pairs");
  }
  if (!watch && (stopCommand ?? stopPid) !== undefined) {
    throw badParameter("--stop-command and --stop-pid: expected --watch as well, got none");
  }
}

/** Throws `bad-parameter`. */
function refusePartOfHistory(
  { from, until }: CheckOptions,
  limits: readonly Limit[],
  history: CheckedHistory | undefined,
): void {
  const limit = limits.find(({ kind }) => kind === "change");
  if (limit === undefined || history === undefined || (from ?? until) === undefined) return;
  throw badParameter(
    `"${limit.text}" judges whole runs: expected --skip-start and --skip-end, got --from or --until`,
  );
}

/** Throws `bad-parameter`. */
function refuseBesidePairs(
  id: string | undefined,
  { against, ...options }: CheckOptions,
  limits: readonly Limit[],
): void {
  const other = limits.find(({ kind }) => kind !== "growth");
  if (other !== undefined) {
    throw badParameter(`"${other.text}" is not about growth, the only thing that pairs measure`);
  }
  if (id !== undefined || against !== undefined || historyOf(options) !== undefined) {
    throw badParameter("expected pairs alone, got another run or a history");
  }
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
 * Limits of flags, then those of the file; without both, those kept for the name of the run. `undefined` after
 * printing what is wrong. Throws `bad-parameter`, `unreadable-source`, `unknown-load-test`.
 */
async function limitsOf(
  id: string | undefined,
  options: CheckOptions,
  context: CommandContext,
): Promise<readonly Limit[] | undefined> {
  const { failIf = [], thresholds } = options;
  if (failIf.length === 0 && thresholds === undefined) {
    if (id !== undefined) return keptLimits(id, options, context);
    throw badParameter("expected --fail-if or --thresholds, got neither");
  }
  const ofFlags = readExpressions(failIf, context);
  if (thresholds === undefined) return ofFlags;
  const { readThresholdsFile } = await import("../targets/thresholds-file.ts");
  const ofFile = await readThresholdsFile(thresholds, context);
  const limits = ofFlags && ofFile && [...ofFlags, ...ofFile.limits];
  if (limits?.length !== 0) return limits;
  throw badParameter(`expected a threshold: there is none in "${thresholds}"`);
}

async function keptLimits(
  id: string,
  options: CheckOptions,
  context: CommandContext,
): Promise<readonly Limit[]> {
  await using api = await openApi(options, context);
  const { name } = await api.ask("getLoadTest", { id });
  const { limitsOf: limitsOfStored } =
    await import("../../analysis/thresholds/stored-thresholds.ts");
  const limits = limitsOfStored(await api.ask("getThresholds", { name }), name, context.now());
  if (limits.length > 0) return limits;
  throw badParameter(
    `expected --fail-if or --thresholds, or thresholds set for ${JSON.stringify(name)}`,
  );
}

/** Throws `bad-parameter` if the expression of a flag needs another flag; those of a file are skipped. */
function needs(
  limits: readonly Limit[],
  kind: Limit["kind"],
  { given, by }: { readonly given: unknown; readonly by: string },
): void {
  const limit = limits.find((each) => each.kind === kind && each.policy === undefined);
  if (limit === undefined || given !== undefined) return;
  throw badParameter(`"${limit.text}" needs ${by}`);
}
