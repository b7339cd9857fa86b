import type { LimitUnit, CheckedLimit, LimitOutcome } from "../../analysis/check/limit.ts";
import { formatChange, formatCount, formatMilliseconds, formatShare } from "./format-quantity.ts";
import { chanceText, levelText } from "./trend-texts.ts";
import { escapeMarkup } from "../../render/report-html.ts";
import { printable } from "./table.ts";

export const OUTCOMES: Readonly<Record<LimitOutcome, string>> = {
  kept: "ok",
  broken: "FAILED",
  unmeasured: "FAILED",
  notEvaluated: "not evaluated",
  unjudged: "no verdict",
};

/** Ignores what is allowed. */
export function isBroken({ outcome }: CheckedLimit): boolean {
  return outcome === "broken" || outcome === "unmeasured";
}

export function failsCheck(checked: CheckedLimit, allowUnknown: boolean): boolean {
  return isBroken(checked) || (checked.outcome === "notEvaluated" && !allowUnknown);
}

export function findingOf(checked: CheckedLimit): string {
  const { limit, outcome, measured } = checked;
  if (outcome === "unmeasured") {
    return limit.label === undefined
      ? "no request to measure"
      : "no endpoint with this label has a request";
  }
  if (outcome === "notEvaluated") return unknownOf(checked);
  if (limit.about === "change") return changeOf(checked);
  if (measured === undefined) return "no requests to compare with";
  if (limit.about === "value") {
    const quantity = QUANTITIES[limit.unit](measured);
    return checked.isWithinPrecision ? `${quantity}, within precision` : quantity;
  }
  return growthOf(checked, measured);
}

function unknownOf({ limit, comparison }: CheckedLimit): string {
  const unknown = `${limit.figure} is unknown`;
  if (limit.about === "change") return `${unknown} in this load test or in its history`;
  return comparison?.value === undefined ? unknown : `${unknown} in the load test of --against`;
}

const QUANTITIES: Readonly<Record<LimitUnit, (measured: number) => string>> = {
  seconds: formatMilliseconds,
  share: formatShare,
  count: String,
  perSecond: (rate) => `${Number(rate.toPrecision(3))}/s`,
};

function growthOf({ limit, outcome, comparison }: CheckedLimit, change: number): string {
  const isShare = limit.figure === "errors";
  const format = isShare ? formatShare : formatMilliseconds;
  const [from, to] = [format(comparison?.base ?? 0), format(comparison?.value ?? 0)];
  const pair = isShare ? `${from} → ${to}` : `${from} → ${to} (${formatChange(change)})`;
  if (outcome === "unjudged") return `${pair}, too few requests or too short to judge`;
  return comparison?.isSignificant ? pair : `${pair}, no more than noise`;
}

function changeOf({ outcome, change }: CheckedLimit): string {
  if (outcome === "unjudged") return "too few load tests in the history";
  if (change === undefined) return "no change";
  const { loadTestId, loadTestsAfter, chance } = change;
  // The first of these brought it, the last is the one checked.
  const since =
    loadTestsAfter === 1 ? "with" : `${formatCount(loadTestsAfter - 1, "load test")} ago, with`;
  return `${levelText(change)} ${since} ${loadTestId}, by noise in ${chanceText(chance)}`;
}

/** One JUnit suite; `notes` are lines about all of it. */
export function formatJunit(
  suite: string,
  cases: readonly JunitCase[],
  notes: readonly string[],
): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((each) => each.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="${escaped(suite)}" ${counts}>`,
    ...cases.map((each) => `    ${caseElement(each)}`),
    ...(notes.length === 0
      ? []
      : [`    <system-out>${notes.map(escaped).join("\n")}</system-out>`]),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

interface JunitCase {
  readonly group: string;
  readonly name: string;
  /** Absent if it passed. */
  readonly failure: string | undefined;
  /** Why it was skipped; absent if it was not. */
  readonly skipped: string | undefined;
}

function caseElement({ group, name, failure, skipped }: JunitCase): string {
  const head = `<testcase classname="${escaped(group)}" name="${escaped(name)}" time="0"`;
  if (failure !== undefined) {
    // Some build servers show the attribute, some the text.
    const text = `${escaped(name)}: ${escaped(failure)}`;
    return `${head}><failure message="${escaped(failure)}">${text}</failure></testcase>`;
  }
  return skipped === undefined
    ? `${head}></testcase>`
    : `${head}><skipped message="${escaped(skipped)}"></skipped></testcase>`;
}

/** XML cannot hold control characters and these two: written as escapes. */
function escaped(text: string): string {
  return escapeMarkup(printable(text.toWellFormed()).replaceAll(/[\ufffe\uffff]/g, "\ufffd"));
}
