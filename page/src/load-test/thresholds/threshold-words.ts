import type { CheckedThreshold, Verdict } from "../../api/thresholds.ts";
import { change, inWords } from "../../format/changes.ts";
import { count, duration, rate, share } from "../../format/numbers.ts";

/** `passed`, `2 failed`, `passed, 1 warning`; empty without thresholds. */
export function verdictText(verdict: Verdict): string {
  const { checked, failed, thresholds } = verdict;
  if (checked === 0) return "";
  const results = thresholds.map(resultOf);
  const warnings = results.filter((each) => each === "warning").length;
  // What is left out is no worse than what is listed.
  const least = leftOutText(verdict) === "" || results.includes("passed") ? "" : "at least ";
  const noun = warnings === 1 ? "warning" : "warnings";
  const warned = warnings ? `, ${least}${count(warnings)} ${noun}` : "";
  return `${failed ? `${count(failed)} failed` : "passed"}${warned}`;
}

/** What the list leaves out; empty if it is complete. */
export function leftOutText({ checked, failed, thresholds }: Verdict): string {
  const more = checked - thresholds.length;
  const failedMore = failed - thresholds.filter(({ fails }) => fails).length;
  return more === 0 ? "" : `${count(more)} more checks, ${count(failedMore)} of them failed`;
}

type Result = "failed" | "warning" | "accepted" | "passed" | "no verdict";

export function resultOf({ outcome, fails, isAccepted }: CheckedThreshold): Result {
  if (fails) return "failed";
  if (outcome === "kept") return "passed";
  if (outcome === "inconclusive" || outcome === "unjudged") return "no verdict";
  return isAccepted ? "accepted" : "warning";
}

/** What was measured: `512 ms`, `400 ms → 512 ms, +28 %`. */
export function measuredText(checked: CheckedThreshold, against: string | null): string {
  const { about, outcome } = checked;
  if (outcome === "unmeasured") return "no requests";
  if (outcome === "notEvaluated") return "unknown";
  if (about === "growth") return growthText(checked, against);
  if (about === "value") return valueText(checked);
  if (outcome === "unjudged") return "too few runs of this name";
  return outcome === "kept" ? "no change" : `changed, ${inWords(change(checked.measured ?? 0))}`;
}

function valueText({ unit, measured = 0 }: CheckedThreshold): string {
  if (unit === "seconds") return inWords(duration(measured));
  if (unit === "share") return percent(measured);
  return unit === "count" ? count(measured) : `${rate(measured)}/s`;
}

function growthText(
  { figure, outcome, measured, base, value }: CheckedThreshold,
  against: string | null,
): string {
  if (against === null) return "no baseline is pinned";
  if (measured === undefined || base === undefined || value === undefined) {
    return `no requests to compare with ${against}`;
  }
  const isShare = figure === "errors";
  const figures = [base, value].map((each) => (isShare ? percent(each) : inWords(duration(each))));
  const growth = isShare ? "" : `, ${inWords(change(measured))}`;
  return `${figures.join(" → ")}${growth}${DOUBTS[outcome] ?? ""}`;
}

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
