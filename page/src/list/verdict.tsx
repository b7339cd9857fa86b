/** As the service tags them: docs/check.md. */
const PASSED = "thresholds-passed";
const FAILED = "thresholds-failed";

type ThresholdsVerdict = "passed" | "failed";

/** Of the thresholds of its name; `undefined`: it was not judged. */
export function verdictIn(tags: readonly string[]): ThresholdsVerdict | undefined {
  if (tags.includes(FAILED)) return "failed";
  return tags.includes(PASSED) ? "passed" : undefined;
}

/** A sign, so that colour alone says nothing. */
export function Verdict({ verdict }: { readonly verdict: ThresholdsVerdict | undefined }) {
  if (verdict === undefined) return null;
  return (
    <span class={`verdict-sign ${verdict}`} role="img" aria-label={`${verdict} its thresholds`}>
      {verdict === "failed" ? "✗" : "✓"}
    </span>
  );
}
