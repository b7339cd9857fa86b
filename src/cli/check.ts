import { UserError } from "../model/errors.ts";
import {
  type CheckedHistory,
  type CheckedLimit,
  checkLoadTest,
} from "../operations/check-load-test.ts";
import type { Limit } from "../operations/limit.ts";
import { isMistake, parseLimit } from "../operations/parse-limit.ts";
import { LOAD_TESTS_DEFAULT } from "../operations/trend/trend-series.ts";
import { baseOf } from "./base-of.ts";
import { failsCheck, findingOf, OUTCOMES } from "./check-words.ts";
import { type ComparedParts, compareQuery } from "./compare.ts";
import { EXIT } from "./exit-codes.ts";
import { formatCount } from "./format-quantity.ts";
import { formatJunit } from "./junit.ts";
import { formatMarkdownTable, markdownCode, markdownSubject } from "./markdown.ts";
import { openReader } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import { writeReportFile } from "./report-file.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

export interface CheckOptions extends ComparedParts {
  readonly failIf: readonly string[];
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

/** Holds a load test against limits, and answers by the exit code whether all were kept. */
export async function checkCommand(
  id: string,
  options: CheckOptions,
  shell: Shell,
): Promise<number> {
  const limits = readLimits(options.failIf, shell);
  if (limits === undefined) return EXIT.unusable;
  const against = options.against && (await baseOf(options.against, id, options, shell));
  const history = historyOf(options);
  needs(limits, "growth", { given: against, flag: "--against, a load test before it" });
  needs(limits, "change", {
    given: history,
    flag: "--against-history, the name of those before it",
  });
  const { base, later } = compareQuery(against ?? id, id, options);
  await using opened = await openReader(options, shell);
  const query = { later, base: against === undefined ? undefined : base, history, limits };
  const checked = await checkLoadTest(opened.reader, query);
  const { junit, markdownFile } = options;
  if (junit !== undefined) await writeReportFile("--junit", junit, junitOf(id, checked));
  const markdown = (): string => markdownOf(id, against, checked);
  if (markdownFile !== undefined) {
    await writeReportFile("--markdown-file", markdownFile, markdown());
  }
  await shell.writeOut(options.markdown ? markdown() : report(checked, options));
  return checked.some(failsCheck) ? EXIT.limitBroken : EXIT.done;
}

/** The load tests that are the history; `undefined` where no flag says which. */
function historyOf(options: CheckOptions): CheckedHistory | undefined {
  const { againstHistory: name, historyTag: tag, last = LOAD_TESTS_DEFAULT } = options;
  const { since, ignoreBaseline } = options;
  return name === undefined && tag === undefined
    ? undefined
    : { name, tag, last, since, ignoreBaseline };
}

/** Throws `bad-parameter` where a limit is about what cannot be looked at without a flag. */
function needs(
  limits: readonly Limit[],
  about: Limit["about"],
  { given, flag }: { readonly given: unknown; readonly flag: string },
): void {
  const limit = limits.find((each) => each.about === about);
  if (limit === undefined || given !== undefined) return;
  throw new UserError("bad-parameter", `"${limit.text}" needs ${flag}`);
}

/** Points at each mistake; `undefined` where there is one. */
function readLimits(texts: readonly string[], shell: Shell): readonly Limit[] | undefined {
  const limits: Limit[] = [];
  for (const text of texts) {
    const parsed = parseLimit(text);
    if (!isMistake(parsed)) {
      limits.push(parsed);
      continue;
    }
    const before = blanksFor(printable(text.slice(0, parsed.at)));
    shell.writeError(`error: --fail-if: ${parsed.message}\n  ${printable(text)}\n  ${before}^\n`);
  }
  return limits.length === texts.length ? limits : undefined;
}

/** Blanks as wide as a text is on a terminal, where some characters take two columns. */
function blanksFor(text: string): string {
  return text.replaceAll(WIDE, "\u3000").replaceAll(/[^\u3000]/gu, " ");
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/gu;

function junitOf(id: string, checked: readonly CheckedLimit[]): string {
  const cases = checked.map((each) => ({
    group: each.limit.label ?? "(all)",
    name: `fail if ${each.limit.text}`,
    failure: failsCheck(each) ? findingOf(each) : undefined,
    skipped: each.outcome === "unjudged" ? findingOf(each) : undefined,
  }));
  return formatJunit(`tachograph check ${id}`, cases);
}

const HEAD = ["RESULT", "FAIL IF", "MEASURED"];

function report(checked: readonly CheckedLimit[], { json }: CheckOptions): string {
  if (json) return `${JSON.stringify(checked.map(jsonOf))}\n`;
  return `${formatTable(rowsOf(checked, printable))}${brokenCount(checked)}\n`;
}

function markdownOf(
  id: string,
  against: string | undefined,
  checked: readonly CheckedLimit[],
): string {
  const isCompared = against !== undefined && checked.some(({ limit }) => limit.about === "growth");
  const subject = markdownSubject(id, isCompared ? against : undefined);
  const table = formatMarkdownTable(rowsOf(checked, markdownCode));
  return `${subject}: ${brokenCount(checked)}\n\n${table}`;
}

function rowsOf(
  checked: readonly CheckedLimit[],
  show: (text: string) => string,
): readonly (readonly string[])[] {
  const rows = checked.map((each) => {
    return [OUTCOMES[each.outcome], show(each.limit.text), findingOf(each)];
  });
  return [HEAD, ...rows];
}

function brokenCount(checked: readonly CheckedLimit[]): string {
  const broken = checked.filter(failsCheck).length;
  return `${broken} of ${formatCount(checked.length, "limit")} broken`;
}

function jsonOf({ limit, outcome, measured, comparison, change }: CheckedLimit): unknown {
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
    ...(measured === undefined ? {} : { measured }),
    ...(comparison === undefined ? {} : { against: comparison }),
    ...(change === undefined ? {} : { change }),
  };
}
