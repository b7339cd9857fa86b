import { writeFile } from "node:fs/promises";
import { UserError } from "../model/errors.ts";
import { type CheckedLimit, checkLoadTest } from "../operations/check-load-test.ts";
import type { Limit } from "../operations/limit.ts";
import { isMistake, parseLimit } from "../operations/parse-limit.ts";
import { failsCheck, findingOf, OUTCOMES } from "./check-words.ts";
import { type ComparedParts, compareQuery } from "./compare.ts";
import { EXIT } from "./exit-codes.ts";
import { formatCount } from "./format-quantity.ts";
import { formatJunit } from "./junit.ts";
import { formatMarkdownTable, markdownCode } from "./markdown.ts";
import { openReader } from "./opened-reader.ts";
import { printable } from "./printable.ts";
import type { Shell } from "./shell.ts";
import { formatTable } from "./table.ts";

export interface CheckOptions extends ComparedParts {
  readonly failIf: readonly string[];
  readonly against?: string;
  readonly junit?: string;
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
  const { against } = options;
  const growth = limits.find(({ isGrowth }) => isGrowth);
  if (growth !== undefined && against === undefined) {
    throw new UserError("bad-parameter", `"${growth.text}" needs --against, a load test before it`);
  }
  const { base, later } = compareQuery(against ?? id, id, options);
  await using opened = await openReader(options, shell);
  const query = { later, base: against === undefined ? undefined : base, limits };
  const checked = await checkLoadTest(opened.reader, query);
  if (options.junit !== undefined) await writeJunit(options.junit, id, checked);
  await shell.writeOut(report(checked, options));
  return checked.some(failsCheck) ? EXIT.limitBroken : EXIT.done;
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
    const caret = " ".repeat(printable(text.slice(0, parsed.at)).length);
    shell.writeError(`error: --fail-if: ${parsed.message}\n  ${printable(text)}\n  ${caret}^\n`);
  }
  return limits.length === texts.length ? limits : undefined;
}

async function writeJunit(
  file: string,
  id: string,
  checked: readonly CheckedLimit[],
): Promise<void> {
  const cases = checked.map((each) => ({
    group: each.limit.label ?? "(all)",
    name: `fail if ${each.limit.text}`,
    failure: failsCheck(each) ? findingOf(each) : undefined,
    skipped: each.outcome === "unjudged" ? findingOf(each) : undefined,
  }));
  try {
    await writeFile(file, formatJunit(`tachograph check ${id}`, cases));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new UserError("bad-parameter", `--junit: cannot write "${file}": ${cause}`);
  }
}

const HEAD = ["RESULT", "FAIL IF", "MEASURED"];

function report(checked: readonly CheckedLimit[], { json, markdown }: CheckOptions): string {
  if (json) return `${JSON.stringify(checked.map(jsonOf))}\n`;
  const rows = (show: (text: string) => string) => [
    HEAD,
    ...checked.map((each) => [OUTCOMES[each.outcome], show(each.limit.text), findingOf(each)]),
  ];
  const broken = checked.filter(failsCheck).length;
  const count = `${broken} of ${formatCount(checked.length, "limit")} broken\n`;
  return markdown
    ? `${count}\n${formatMarkdownTable(rows(markdownCode))}`
    : `${formatTable(rows(printable))}${count}`;
}

function jsonOf({ limit, outcome, measured, comparison }: CheckedLimit): unknown {
  const { text, label, figure, isGrowth, bound, unit } = limit;
  return {
    failIf: text,
    ...(label === undefined ? {} : { label }),
    figure,
    isGrowth,
    comparison: limit.comparison,
    bound,
    unit,
    outcome,
    ...(measured === undefined ? {} : { measured }),
    ...(comparison === undefined ? {} : { against: comparison }),
  };
}
