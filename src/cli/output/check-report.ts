import {
  boundsJson,
  type CheckedLimit,
  type CheckRules,
  failsCheck,
  type Limit,
} from "../../analysis/check/limit.ts";
import { countsOf, findingOf, formatJunit, policyColumns, resultOf } from "./check-words.ts";
import { messagesOf } from "./comparison-texts.ts";
import {
  formatMarkdownTable,
  formatTable,
  jsonLine,
  markdownCode,
  markdownSubject,
  printable,
} from "./table.ts";

export function junitOf(
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
      group: limit.label ?? measureIn(limit) ?? "(all)",
      name: `fail if ${limit.text}`,
      failure: fails ? words : undefined,
      skipped: fails || outcome === "kept" ? undefined : words,
      policy: limit.policy,
    };
  });
  return formatJunit(`tachograph check ${id}`, cases, qualityNotes(against, checked, String));
}

function measureIn({ selector, text }: Limit): string | undefined {
  if (selector === undefined) return undefined;
  return text.slice("measure ".length, text.lastIndexOf(":")).trim();
}

const HEAD = ["RESULT", "FAIL IF", "MEASURED"];

export function report(
  against: string | undefined,
  checked: readonly CheckedLimit[],
  { json }: { readonly json?: true },
): string {
  if (json) return jsonLine(checked.map(jsonOf));
  const lines = [countsOf(checked), ...qualityNotes(against, checked, printable)];
  return `${formatTable(rowsOf(checked, printable))}${lines.map((line) => `${line}\n`).join("")}`;
}

/** Unique sentences; those of the other load test alone with its id. */
function qualityNotes(
  against: string | undefined,
  checked: readonly CheckedLimit[],
  show: (text: string) => string,
): readonly string[] {
  const own = messagesOf(checked.flatMap(({ quality }) => quality.value));
  const ofBase = messagesOf(checked.flatMap(({ quality }) => quality.base));
  return [
    ...[...own].map(show),
    ...[...ofBase]
      .filter((message) => !own.has(message))
      .map((message) => `${show(message)} (${show(against ?? "")})`),
    ...[...new Set(checked.flatMap(({ noise }) => noise?.message ?? []))].map(show),
    ...noiseNote(checked),
  ];
}

/** All thresholds on growth share one probability of a false failure: `GROWTH_ERROR`, `PAIRS_ERROR`. */
function noiseNote(checked: readonly CheckedLimit[]): readonly string[] {
  const grown = checked.filter(
    ({ limit, isWithoutBase }) => limit.kind === "growth" && !isWithoutBase,
  );
  if (grown.length < 2) return [];
  return [
    `noise alone fails any of these ${grown.length} thresholds on growth in about 1 % of checks`,
  ];
}

export function markdownSubjectOf(
  id: string,
  against: string | undefined,
  checked: readonly CheckedLimit[],
): string {
  const isCompared = against !== undefined && checked.some(({ limit }) => limit.kind === "growth");
  return markdownSubject(id, isCompared ? against : undefined);
}

export function markdownOf(
  subject: string,
  against: string | undefined,
  checked: readonly CheckedLimit[],
): string {
  const head = `${subject}: ${countsOf(checked)}\n\n`;
  const notes = qualityNotes(against, checked, markdownCode).map((note) => `\n${note}\n`);
  const below = notes.join("");
  const table = formatMarkdownTable(rowsOf(checked, markdownCode), {
    otherLength: head.length + below.length,
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

function jsonOf({ limit, outcome, measured, possible, ...found }: CheckedLimit): unknown {
  const {
    isWithinPrecision,
    isOmitted,
    window,
    comparison: against,
    detectable,
    noise,
    pairs,
    change,
    quality,
  } = found;
  const { text, label, figure, kind, bound, unit } = limit;
  const measure = measureIn(limit);
  return {
    failIf: text,
    label,
    measure,
    figure,
    isGrowth: kind === "growth",
    isChange: kind === "change",
    comparison: limit.comparison,
    bound,
    unit,
    outcome,
    ...limit.policy,
    measured,
    ...(possible && { possible: boundsJson(possible) }),
    ...(isOmitted && { isOmitted }),
    ...(isWithinPrecision && { isWithinPrecision }),
    window,
    against,
    detectable,
    noise,
    pairs,
    change,
    ...(quality.value.length === 0 ? {} : { quality: quality.value }),
    ...(quality.base.length === 0 ? {} : { againstQuality: quality.base }),
  };
}
