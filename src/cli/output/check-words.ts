import {
  type Bounds,
  type CheckedLimit,
  isBeyond,
  isFall,
  type JudgedWindow,
  kindOf,
  type Limit,
  type LimitOutcome,
  type LimitPolicy,
  type LimitUnit,
  type PairsFound,
  WINDOWS_IN_A_ROW,
} from "../../analysis/check/limit.ts";
import { formatChange, formatCount, formatMilliseconds, formatShare } from "./format-quantity.ts";
import { chanceText, levelText } from "./trend-texts.ts";
import { digitsAgainst } from "../../render/digits-against.ts";
import { escapeMarkup } from "../../render/report-html.ts";
import { printable } from "./table.ts";

const OUTCOMES: Readonly<Record<LimitOutcome, string>> = {
  kept: "ok",
  broken: "FAILED",
  unmeasured: "FAILED",
  notEvaluated: "not evaluated",
  inconclusive: "inconclusive",
  unjudged: "no verdict",
};

/** Word for the outcome; a failure that does not fail the check has one of its own. */
export function resultOf({ outcome, limit }: CheckedLimit): string {
  if (outcome === "unmeasured" && limit.policy?.allowMissing) return OUTCOMES.kept;
  const isFailure = ["broken", "unmeasured", "notEvaluated"].includes(outcome);
  if (isFailure && limit.policy?.isAccepted) return "accepted";
  return isFailure && limit.policy?.severity === "warn" ? "warning" : OUTCOMES[outcome];
}

/** `2 of 5 thresholds failed, 1 not evaluated, 1 warning`. */
export function countsOf(checked: readonly CheckedLimit[]): string {
  const results = checked.map(resultOf);
  const count = (word: string): number => results.filter((result) => result === word).length;
  const [warnings, accepted] = ["warning", "accepted"].map(count);
  const open = count("no verdict");
  return [
    `${count("FAILED")} of ${formatCount(checked.length, "threshold")} failed`,
    ...["not evaluated", "inconclusive"].flatMap((word) =>
      count(word) === 0 ? [] : [`${count(word)} ${word}`],
    ),
    ...(open === 0 ? [] : [`${open} without a verdict`]),
    ...(warnings ? [formatCount(warnings, "warning")] : []),
    ...(accepted ? [`${accepted} accepted`] : []),
  ].join(", ");
}

/** Adds columns if a limit comes from a file of thresholds; the first row is the head. */
export function policyColumns(
  [head = [], ...rows]: readonly (readonly string[])[],
  checked: readonly CheckedLimit[],
  show: (text: string) => string,
): readonly (readonly string[])[] {
  if (checked.every(({ limit }) => limit.policy === undefined)) return [head, ...rows];
  const own = checked.map(({ limit: { policy } }) => {
    const { severity = "fail", owner, acceptedUntil, reason } = policy ?? {};
    const accepted = acceptedUntil === undefined ? "" : `${acceptedUntil}: ${show(reason ?? "")}`;
    return [severity, owner === undefined ? "" : show(owner), accepted];
  });
  return [
    [...head, "SEVERITY", "OWNER", "ACCEPTED UNTIL"],
    ...rows.map((row, index) => [...row, ...(own[index] ?? [])]),
  ];
}

export function findingOf(checked: CheckedLimit): string {
  const { limit, outcome, measured } = checked;
  if (outcome === "unmeasured") return nothingOf(limit);
  if (outcome === "notEvaluated") return unknownOf(checked);
  if (checked.window !== undefined) return inWindow(checked, checked.window);
  if (checked.isWithoutBase) {
    return limit.kind === "growth" ? "no --against with another run" : "no --against-history";
  }
  if (limit.kind === "change") return changeOf(checked);
  if (checked.pairs) return pairsOf(checked, checked.pairs);
  if (measured === undefined) return shareless(checked);
  if (limit.kind === "value") {
    const quantity = quantityBeside(limit, measured);
    return checked.isWithinPrecision ? `${quantity}, within precision` : quantity;
  }
  return growthOf(checked, measured);
}

/** Without a percentage of growth. */
function shareless(checked: CheckedLimit): string {
  const { base, value } = checked.comparison ?? {};
  if (base === undefined || value === undefined) {
    return `no ${checked.limit.selector === undefined ? "requests" : "values"} to compare with`;
  }
  const [from, to] = [base, value].map(formatOf(checked));
  return `${from} → ${to}${from === to ? "" : `: growth from ${from} has no percentage`}`;
}

function inWindow(
  { limit, measured = 0, outcome }: CheckedLimit,
  { from, until, requests, failedRequests }: JudgedWindow,
): string {
  const [begin, end] = [from, until].map((second) =>
    new Date(second * 1000).toISOString().slice(11, 19),
  );
  const noun = limit.selector === undefined ? "request" : "value";
  const failed = limit.figure === "errors" ? `${failedRequests} of ` : "";
  const counted = `${failed}${formatCount(requests, noun)}`;
  const which = outcome === "broken" ? "" : "at worst ";
  return `${which}${quantityBeside(limit, measured)}, ${counted} from ${begin} to ${end} UTC`;
}

function nothingOf({ label, each, selector, facets }: Limit): string {
  if (selector !== undefined) return "no such measure in this run";
  const what = facets === undefined ? "request" : "request with these facets";
  if (label === undefined) return `no ${what} to measure`;
  const which = each === label ? "whose label matches this" : "with this label";
  return `no endpoint ${which} has a ${what}`;
}

function unknownOf(checked: CheckedLimit): string {
  const { limit, measured, comparison, possible } = checked;
  if (limit.window !== undefined) return unknownInWindow(checked);
  if (limit.selector !== undefined && measured !== undefined) {
    return `${QUANTITIES[limit.unit](measured)} in what could be read`;
  }
  if (possible !== undefined) return possibleText(checked, possible);
  const unknown = `${limit.figure} is unknown`;
  if (limit.kind === "change") return `${unknown} in this run or in its history`;
  return comparison?.value === undefined ? unknown : `${unknown} in the run of --against`;
}

function unknownInWindow(checked: CheckedLimit): string {
  const { limit, measured, possible, window } = checked;
  if (possible !== undefined && checked.isOmitted) {
    return `at least ${QUANTITIES[limit.unit](possible[1])} in windows with requests not sent while the load generator waited`;
  }
  if (possible !== undefined) return "rows could not be read: they may lie in any window";
  if (window === undefined || measured === undefined) return "no window with known figures";
  const lost =
    limit.selector === undefined
      ? "some requests lie in no window with known figures"
      : "rows could not be read";
  const { inARow = WINDOWS_IN_A_ROW } = limit.window ?? {};
  const short = `the run is too short for ${formatCount(inARow, "window")} in a row`;
  const why = isBeyond(measured, limit) ? short : lost;
  return `${inWindow(checked, window)}; ${why}`;
}

/** `480 ms to 1.2 s: …`, `at least 480 ms: …`. */
function possibleText({ limit, isOmitted, pairs }: CheckedLimit, [least, most]: Bounds): string {
  const show = (value: number): string => {
    if (limit.kind === "growth" && limit.figure !== "errors") return formatChange(value);
    if (limit.kind === "change" && kindOf(limit.figure).units.includes("seconds")) {
      return formatMilliseconds(value);
    }
    return value < 0 ? `-${formatShare(-value)}` : QUANTITIES[limit.unit](value);
  };
  if (isOmitted && pairs === undefined) {
    return `${show(least)}, but at least ${show(most)} with requests not sent while the load generator waited`;
  }
  const range = most === Infinity ? `at least ${show(least)}` : `${show(least)} to ${show(most)}`;
  // The bases of pairs may have waited, too: growth may be less than recorded.
  const why = isOmitted ? "not all requests were sent" : "rows could not be read";
  return `${range}: ${why}`;
}

const QUANTITIES: Readonly<Record<LimitUnit, (measured: number) => string>> = {
  seconds: formatMilliseconds,
  share: formatShare,
  // Measures have fractions, counts of requests do not.
  count: (count) => String(Number.isInteger(count) ? count : Number(count.toPrecision(6))),
  perSecond: (rate) => `${Number(rate.toPrecision(3))}/s`,
};

/** With more digits if it would look like the bound and is not. */
function quantityBeside({ unit, bound }: Limit, measured: number): string {
  const [text, ofBound] = [measured, bound].map(QUANTITIES[unit]) as [string, string];
  if (text !== ofBound || measured === bound) return text;
  const { factor, symbol } = EXACT[unit];
  return `${digitsAgainst(measured * factor, bound * factor)}${symbol}`;
}

const EXACT: Readonly<Record<LimitUnit, { readonly factor: number; readonly symbol: string }>> = {
  seconds: { factor: 1000, symbol: " ms" },
  share: { factor: 100, symbol: " %" },
  count: { factor: 1, symbol: "" },
  perSecond: { factor: 1, symbol: "/s" },
};

/** The same for growth. */
function changeBeside({ bound }: Limit, change: number): string {
  const [text, ofBound] = [change, bound].map(formatChange) as [string, string];
  if (text !== ofBound || change === bound) return text;
  return `${change > 0 ? "+" : ""}${digitsAgainst(change * 100, bound * 100)} %`;
}

function isOfShare({ limit, isShare }: CheckedLimit): boolean {
  return limit.figure === "errors" || isShare === true;
}

/** How the values of which growth is looked for are written; those of measures have a unit of their own. */
function formatOf(checked: CheckedLimit): (value: number) => string {
  if (isOfShare(checked)) return formatShare;
  return checked.limit.selector === undefined ? formatMilliseconds : QUANTITIES.count;
}

function pairsOf(checked: CheckedLimit, pairs: PairsFound): string {
  const { limit, outcome, measured = 0 } = checked;
  const { count, grown, chance, fewest } = pairs;
  const growth = isOfShare(checked)
    ? `${measured < 0 ? "-" : "+"}${formatShare(Math.abs(measured))}`
    : changeBeside(limit, measured);
  const found = `${growth} over ${formatCount(count, "pair")}, ${isFall(limit) ? "down" : "up"} in ${grown}`;
  if (outcome === "inconclusive" && count < fewest) return `${found}; ${fewest} pairs needed`;
  return outcome === "kept" ? found : `${found}, by noise in ${chanceText(chance)}`;
}

function growthOf(checked: CheckedLimit, change: number): string {
  const { comparison, limit } = checked;
  const isShare = isOfShare(checked);
  const format = formatOf(checked);
  const [from, to] = [format(comparison?.base ?? 0), format(comparison?.value ?? 0)];
  const pair = isShare ? `${from} → ${to}` : `${from} → ${to} (${changeBeside(limit, change)})`;
  return `${pair}${doubtOf(checked)}`;
}

/** Why growth is no failure, if noise is the reason. */
function doubtOf(checked: CheckedLimit): string {
  const { outcome, comparison } = checked;
  if (outcome === "unjudged") {
    return checked.limit.selector === undefined
      ? ", too few requests or too short to evaluate"
      : ", noise is unknown: no earlier runs, and too short to evaluate";
  }
  if (outcome === "broken") return "";
  if (outcome === "inconclusive" && comparison?.betweenRuns !== undefined) {
    return runNoiseOf(checked);
  }
  return comparison?.isSignificant ? "" : ", no more than noise";
}

function runNoiseOf(checked: CheckedLimit): string {
  const { comparison, detectable = Infinity } = checked;
  const { loadTests = 0, level = 0 } = comparison?.betweenRuns ?? {};
  const isShare = isOfShare(checked);
  const usual = formatOf(checked)(level);
  const noise = `, within the noise between ${loadTests} runs around ${usual}`;
  if (detectable === Infinity) return noise;
  return `${noise}; would find ${isShare ? `+${formatShare(detectable)}` : formatChange(detectable)}`;
}

function changeOf(checked: CheckedLimit): string {
  const { outcome, change, limit } = checked;
  if (outcome === "unjudged") return "too few runs in the history";
  if (change === undefined) return "no change";
  const { loadTestId, loadTestsAfter, chance } = change;
  // The first of these brought it, the last is the one checked.
  const since =
    loadTestsAfter === 1 ? "with" : `${formatCount(loadTestsAfter - 1, "run")} ago, with`;
  const format = limit.selector === undefined ? undefined : formatOf(checked);
  return `${levelText(change, format)} ${since} ${loadTestId}, by noise in ${chanceText(chance)}`;
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
  readonly policy: LimitPolicy | undefined;
}

function caseElement({ group, name, failure, skipped, policy }: JunitCase): string {
  const head = `<testcase classname="${escaped(group)}" name="${escaped(name)}" time="0"`;
  const properties = policy === undefined ? "" : propertiesElement(policy);
  if (failure !== undefined) {
    // Some build servers show the attribute, some the text.
    const text = `${escaped(name)}: ${escaped(failure)}`;
    return `${head}>${properties}<failure message="${escaped(failure)}">${text}</failure></testcase>`;
  }
  return skipped === undefined
    ? `${head}>${properties}</testcase>`
    : `${head}>${properties}<skipped message="${escaped(skipped)}"></skipped></testcase>`;
}

function propertiesElement({ severity, owner, acceptedUntil, reason }: LimitPolicy): string {
  const properties = Object.entries({ severity, owner, acceptedUntil, reason }).map(
    ([name, value]) =>
      value === undefined ? "" : `<property name="${name}" value="${escaped(value)}"></property>`,
  );
  return `<properties>${properties.join("")}</properties>`;
}

/** XML cannot hold control characters and these two: written as escapes. */
function escaped(text: string): string {
  return escapeMarkup(printable(text.toWellFormed()).replaceAll(/[\ufffe\uffff]/g, "\ufffd"));
}
