import type { RunningLimit } from "../../api/live.ts";
import type { CheckedThreshold, Limit, Verdict } from "../../api/thresholds.ts";
import { change, inWords } from "../../format/changes.ts";
import { count, duration, rate, share } from "../../format/numbers.ts";
import { digitsAgainst } from "../../../../src/render/digits-against.ts";

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

export function resultOf(checked: CheckedThreshold): Result {
  const { outcome, fails, isAccepted, allowMissing } = checked;
  if (fails) return outcome === "notEvaluated" ? "not evaluated" : "failed";
  if (outcome === "kept" || (outcome === "unmeasured" && allowMissing)) return "passed";
  if (["inconclusive", "unjudged", "notEvaluated"].includes(outcome)) return "no verdict";
  return isAccepted ? "accepted" : "warning";
}

/** The deciding threshold and how many failed, such as `p95 +28 % against nightly-41 (limit 10 %), 400 ms → 512 ms · 2 failed`. */
export function reasonText(verdict: Verdict, formatTime: FormatTime): string {
  const { thresholds, checked } = verdict;
  const decisive =
    thresholds.find(({ fails }) => fails) ??
    thresholds.find((each) => resultOf(each) === "no verdict");
  const all = verdictText(verdict);
  if (decisive === undefined) return all.replace("passed", counted(checked, "threshold"));
  const where = windowText(decisive, formatTime);
  const window = where === "" ? "" : `, ${where}`;
  return `${sentenceOf(decisive, verdict)}${window}${checked === 1 ? "" : ` · ${all}`}`;
}

function sentenceOf(checked: CheckedThreshold, verdict: Verdict): string {
  const { failIf, kind, outcome, measured } = checked;
  if (measured !== undefined && outcome === "broken" && kind === "value") {
    return valueSentence({ ...checked, measured });
  }
  const isGrown = kind === "growth" && ["broken", "inconclusive"].includes(outcome);
  if (measured !== undefined && isGrown && subjectOf(checked) !== undefined) {
    return growthSentence({ ...checked, measured }, verdict);
  }
  return `${failIf}: ${measuredText(checked, verdict)}`;
}

function growthSentence(
  checked: CheckedThreshold & Pick<RunningLimit, "measured">,
  verdict: Verdict,
): string {
  const { outcome, measured } = checked;
  const subject = subjectOf(checked) ?? "";
  const against = `against ${verdict.against ?? HIDDEN} (limit ${limitText(checked)})`;
  const figures = figuresText(checked);
  const doubt = DOUBTS[outcome] ?? "";
  if (isOfShare(checked)) return `${subject} ${figures} ${against}${doubt}`;
  return `${subject} ${changeBesideBound(checked, measured)} ${against}, ${figures}${doubt}`;
}

/** `GET /cart: p95`; `undefined` if it takes the whole expression to say. */
function subjectOf({ figure, endpoint, measure, where }: Limit): string | undefined {
  if ((measure ?? where) !== undefined) return undefined;
  return endpoint === undefined ? figure : `${endpoint}: ${figure}`;
}

/** `p95 612 ms (limit 500 ms)`. */
export function valueSentence(limit: Limit & Pick<RunningLimit, "measured">): string {
  const subject = subjectOf(limit) ?? `${limit.failIf}:`;
  return `${subject} ${besideBound(limit, limit.measured)} (limit ${limitText(limit)})`;
}

/** The bound alone, exactly: `500 ms`, `10 %`. */
function limitText({ unit, bound }: Pick<Limit, "unit" | "bound">): string {
  if (unit === "seconds") return bound < 1 ? `${plain(bound * 1000)} ms` : `${plain(bound)} s`;
  if (unit === "share") return `${plain(bound * 100)} %`;
  return unit === "count" ? plain(bound) : `${plain(bound)}/s`;
}

/** All digits, without binary rounding errors. */
function plain(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** `p95 > 500ms over 10s: 412 ms, 240 requests from 14:19:05 to 14:19:15`. */
export function runningText(limit: RunningLimit, formatTime: FormatTime): string {
  return `${limit.failIf}: ${besideBound(limit, limit.measured)}, ${windowText(limit, formatTime)}`;
}

function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
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
    return `${isWorst ? "at worst " : ""}${besideBound(checked, checked.measured ?? 0)}`;
  }
  if (outcome === "unjudged") return "too few runs of this name";
  return outcome === "kept" ? "no change" : `changed, ${inWords(change(checked.measured ?? 0))}`;
}

function possibleText(
  checked: CheckedThreshold,
  { least, most }: NonNullable<CheckedThreshold["possible"]>,
): string {
  const { kind, figure, unit, isOmitted, window } = checked;
  const show = (measured: number): string => {
    if (kind === "growth" && !isOfShare(checked)) return inWords(change(measured));
    if (kind !== "change") return valueText({ unit, measured });
    if (figure === "requests") return count(measured);
    return valueText({ unit: figure === "errors" ? "share" : "seconds", measured });
  };
  if (isOmitted) {
    const recorded = window === undefined ? `${show(least)}, ` : "";
    return `${recorded}at least ${show(most ?? 0)} with requests not sent`;
  }
  const range = most === undefined ? `at least ${show(least)}` : `${show(least)} to ${show(most)}`;
  return `${range}: rows could not be read`;
}

/** A value with more digits if it would look like the bound and is not. */
function besideBound({ unit, bound }: Pick<Limit, "unit" | "bound">, measured: number): string {
  if (measured < 0) return `−${besideBound({ unit, bound: -bound }, -measured)}`;
  const text = valueText({ unit, measured });
  if (text !== valueText({ unit, measured: bound }) || measured === bound) return text;
  const inMs = unit === "seconds" && bound < 1;
  const factor = inMs ? 1000 : unit === "share" ? 100 : 1;
  const symbol = { seconds: inMs ? " ms" : " s", share: " %", count: "", perSecond: "/s" }[unit];
  return `${digitsAgainst(measured * factor, bound * factor)}${symbol}`;
}

/** The same for growth. */
function changeBesideBound({ bound }: Pick<Limit, "bound">, measured: number): string {
  const text = inWords(change(measured));
  if (text !== inWords(change(bound)) || measured === bound) return text;
  const digits = digitsAgainst(Math.abs(measured) * 100, Math.abs(bound) * 100, 3);
  return `${measured < 0 ? "−" : "+"}${digits} %`;
}

/** Values of measures may be negative, and have fractions. */
function valueText({ unit, measured = 0 }: Pick<CheckedThreshold, "unit" | "measured">): string {
  if (measured < 0) return `−${valueText({ unit, measured: -measured })}`;
  if (unit === "seconds") return inWords(duration(measured));
  if (unit === "share") return percent(measured);
  if (unit === "perSecond") return `${rate(measured)}/s`;
  return Number.isInteger(measured) ? count(measured) : `${Number(measured.toPrecision(6))}`;
}

/** The window that was measured: `7 of 240 requests from 14:19:05 to 14:19:15`; empty if it was the run. */
export function windowText(
  { figure, measure, window }: Pick<CheckedThreshold, "figure" | "measure" | "window">,
  formatTime: FormatTime,
): string {
  if (window === undefined) return "";
  const { from, until, requests, failedRequests } = window;
  const failed = figure === "errors" ? `${count(failedRequests)} of ` : "";
  const all = counted(requests, measure === undefined ? "request" : "value");
  return `${failed}${all} from ${formatTime(from)} to ${formatTime(until)}`;
}

function growthText(checked: CheckedThreshold, verdict: VerdictBase): string {
  const { measure, base, value } = checked;
  const { against, isAgainstHidden = false } = verdict;
  if (against === null && !isAgainstHidden) return "there is no baseline";
  if (base === undefined || value === undefined) {
    const noun = measure === undefined ? "requests" : "values";
    return `no ${noun} to compare with ${against ?? HIDDEN}`;
  }
  const hidden = isAgainstHidden ? `, compared with ${HIDDEN}` : "";
  return `${figuresText(checked)}${sizeText(checked)}${hidden}`;
}

/** Whether its growth is a difference in points. */
function isOfShare({ figure, isShare }: CheckedThreshold): boolean {
  return figure === "errors" || isShare === true;
}

function sizeText(checked: CheckedThreshold): string {
  const { outcome, measured, base, value } = checked;
  if (measured === undefined) return base === value ? "" : ": growth from 0 has no percentage";
  const size = isOfShare(checked) ? "" : `, ${changeBesideBound(checked, measured)}`;
  return `${size}${DOUBTS[outcome] ?? ""}`;
}

/** `400 ms → 512 ms`; values of measures have a unit of their own. */
function figuresText(checked: CheckedThreshold): string {
  const { measure, base = 0, value = 0 } = checked;
  const unit = isOfShare(checked) ? "share" : measure === undefined ? "seconds" : "count";
  return [base, value].map((measured) => valueText({ unit, measured })).join(" → ");
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
