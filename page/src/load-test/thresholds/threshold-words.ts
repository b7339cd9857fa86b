import type { CheckedThreshold, Verdict } from "../../api/thresholds.ts";
import { change, inWords } from "../../format/changes.ts";
import { count, duration, rate, share } from "../../format/numbers.ts";

/** `passed` if every check has a verdict, `2 passed, 1 without a verdict`, `2 failed`, `passed, 1 warning`; empty without thresholds. */
export function verdictText(verdict: Verdict): string {
  const { checked, failed, judged, thresholds } = verdict;
  if (checked === 0) return "";
  const results = thresholds.map(resultOf);
  const countOf = (wanted: Result): number => results.filter((each) => each === wanted).length;
  const [warnings, unknown, open] = [
    countOf("warning"),
    countOf("not evaluated"),
    checked - judged,
  ];
  const passed = judged - failed - warnings;
  // What is left out is no worse than what is listed.
  const least = leftOutText(verdict) === "" || results.includes("passed") ? "" : "at least ";
  const isPassed = failed === 0 && open === 0;
  const isPartly = failed === 0 && open > 0 && passed > 0;
  const parts: readonly (readonly [isShown: boolean, text: string])[] = [
    [failed > unknown, `${count(failed - unknown)} failed`],
    [unknown > 0, `${count(unknown)} not evaluated`],
    [isPassed, "passed"],
    [isPartly, `${count(passed)} passed`],
    [open > 0, open === checked ? "no verdict" : `${count(open)} without a verdict`],
    [warnings > 0, `${least}${count(warnings)} ${warnings === 1 ? "warning" : "warnings"}`],
  ];
  return parts.flatMap(([isShown, text]) => (isShown ? [text] : [])).join(", ");
}

/** Whether it is neither passed nor failed. */
export function isOpen({ fails, checked, judged }: Verdict): boolean {
  return !fails && judged < checked;
}

/** What the list leaves out; empty if it is complete. */
export function leftOutText({ checked, failed, thresholds }: Verdict): string {
  const more = checked - thresholds.length;
  const failedMore = failed - thresholds.filter(({ fails }) => fails).length;
  return more === 0 ? "" : `${count(more)} more checks, ${count(failedMore)} of them failed`;
}

type Result = "failed" | "not evaluated" | "warning" | "accepted" | "passed" | "no verdict";

export function resultOf({ outcome, fails, isAccepted }: CheckedThreshold): Result {
  if (fails) return outcome === "notEvaluated" ? "not evaluated" : "failed";
  if (outcome === "kept") return "passed";
  if (["inconclusive", "unjudged", "notEvaluated"].includes(outcome)) return "no verdict";
  return isAccepted ? "accepted" : "warning";
}

/** What decides, as ` · p95 grows > 10%: 400 ms → 512 ms, +28 % against nightly-41`; empty if all passed. */
export function reasonText(verdict: Verdict, formatTime: FormatTime): string {
  const { thresholds, against } = verdict;
  const decisive =
    thresholds.find(({ fails }) => fails) ??
    thresholds.find((each) => resultOf(each) === "no verdict");
  if (decisive === undefined) return "";
  const isGrown = decisive.kind === "growth" && decisive.measured !== undefined;
  const base = isGrown && against !== null ? ` against ${against}` : "";
  const where = windowText(decisive, formatTime);
  const window = where === "" ? "" : `, ${where}`;
  return ` · ${decisive.failIf}: ${measuredText(decisive, verdict)}${base}${window}`;
}

type VerdictBase = Pick<Verdict, "against" | "isAgainstHidden">;

/** Of a UNIX second. */
type FormatTime = (second: number) => string;

/** What was measured: `512 ms`, `at worst 512 ms`, `400 ms → 512 ms, +28 %`. */
export function measuredText(checked: CheckedThreshold, base: VerdictBase): string {
  const { kind, outcome, possible } = checked;
  if (outcome === "unmeasured") return "no requests";
  if (outcome === "notEvaluated") {
    return possible === undefined ? "unknown" : possibleText(checked, possible);
  }
  if (kind === "growth") return growthText(checked, base);
  if (kind === "value") {
    const isWorst = checked.window !== undefined && outcome === "kept";
    return `${isWorst ? "at worst " : ""}${valueText(checked)}`;
  }
  if (outcome === "unjudged") return "too few runs of this name";
  return outcome === "kept" ? "no change" : `changed, ${inWords(change(checked.measured ?? 0))}`;
}

function possibleText(
  { kind, figure, unit, isOmitted }: CheckedThreshold,
  { least, most }: NonNullable<CheckedThreshold["possible"]>,
): string {
  const show = (measured: number): string => {
    if (kind === "growth" && figure !== "errors") return inWords(change(measured));
    if (kind !== "change") return valueText({ unit, measured });
    if (figure === "requests") return count(measured);
    return figure === "errors" ? percent(measured) : inWords(duration(measured));
  };
  if (isOmitted) return `${show(least)}, at least ${show(most ?? 0)} with requests not sent`;
  const range = most === undefined ? `at least ${show(least)}` : `${show(least)} to ${show(most)}`;
  return `${range}: rows could not be read`;
}

function valueText({ unit, measured = 0 }: Pick<CheckedThreshold, "unit" | "measured">): string {
  if (unit === "seconds") return inWords(duration(measured));
  if (unit === "share") return percent(measured);
  return unit === "count" ? count(measured) : `${rate(measured)}/s`;
}

/** The window that was measured: `7 of 240 requests from 14:19:05 to 14:19:15`; empty if it was the run. */
export function windowText(
  { figure, failIf, window }: CheckedThreshold,
  formatTime: FormatTime,
): string {
  if (window === undefined) return "";
  const { from, until, requests, failedRequests } = window;
  const failed = figure === "errors" ? `${count(failedRequests)} of ` : "";
  const noun = /^(?:measure\s|checks\{)/.test(failIf) ? "value" : "request";
  const counted = `${failed}${count(requests)} ${noun}${requests === 1 ? "" : "s"}`;
  return `${counted} from ${formatTime(from)} to ${formatTime(until)}`;
}

function growthText(
  { figure, outcome, measured, base, value }: CheckedThreshold,
  { against, isAgainstHidden = false }: VerdictBase,
): string {
  if (against === null && !isAgainstHidden) return "there is no baseline";
  if (measured === undefined || base === undefined || value === undefined) {
    return `no requests to compare with ${against ?? HIDDEN}`;
  }
  const isShare = figure === "errors";
  const figures = [base, value].map((each) => (isShare ? percent(each) : inWords(duration(each))));
  const growth = isShare ? "" : `, ${inWords(change(measured))}`;
  const hidden = isAgainstHidden ? `, compared with ${HIDDEN}` : "";
  return `${figures.join(" → ")}${growth}${DOUBTS[outcome] ?? ""}${hidden}`;
}

const HIDDEN = "a run you cannot open";

const DOUBTS: Readonly<Record<string, string>> = {
  inconclusive: ", which noise may explain",
  unjudged: ", too little data",
};

function percent(value: number): string {
  const { digits } = share(value);
  return `${digits} %`;
}

/** Who, and what its failure means; empty if it says nothing special. */
export function policyText({ severity, owner, acceptedUntil, reason }: CheckedThreshold): string {
  return [
    severity === "warn" ? "warns only" : "",
    owner ?? "",
    acceptedUntil === undefined ? "" : `accepted until ${acceptedUntil}: ${reason ?? ""}`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
