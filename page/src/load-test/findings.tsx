import type { Finding, NamedEndpoint } from "../api/figures.ts";
import { count, duration } from "../format/numbers.ts";

interface FindingsProps {
  readonly findings: readonly Finding[];
  readonly formatTime: (second: number) => string;
  /** Shows the time around a finding and its endpoints. */
  readonly onOpen: (finding: Finding) => void;
}

/** What stands out, in facts: at most two lines. */
export function Findings({ findings, formatTime, onOpen }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <ol class="findings" aria-label="Findings">
      {findings.map((finding) => (
        <li key={finding.kind}>
          <button type="button" class="finding" onClick={() => onOpen(finding)}>
            <span class="when">{whenOf(finding, formatTime)}</span>
            <span>
              {finding.kind === "step" ? stepText(finding, formatTime) : burstText(finding)}
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The second at which a finding is marked in the charts. */
export function markOf(finding: Finding): number {
  return finding.kind === "step" ? finding.at : finding.from;
}

function whenOf(finding: Finding, formatTime: (second: number) => string): string {
  if (finding.kind === "step") return formatTime(finding.at);
  return `${formatTime(finding.from)} to ${formatTime(finding.until)}`;
}

function stepText(
  { p95Before, p95After, backAt, endpoints }: Extract<Finding, { kind: "step" }>,
  formatTime: (second: number) => string,
) {
  const [before, after] = [p95Before, p95After].map((seconds) => {
    const { digits, unit } = duration(seconds);
    return `${digits} ${unit}`;
  });
  const ratio = (p95After / p95Before).toFixed(1);
  const back = backAt === undefined ? "" : ` and is back at ${formatTime(backAt)}`;
  return (
    <>
      p95 rises from {before} to {after} <b>(×{ratio})</b>
      <span class="rest">{`${back}${endpointsText(endpoints)}`}</span>
    </>
  );
}

function burstText(finding: Extract<Finding, { kind: "burst" }>) {
  const { errCount, allErrCount, from, until, failure, endpoints } = finding;
  const seconds = until - from + 1;
  const why = failure === undefined ? "" : `: ${`${failure.code} ${failure.message}`.trim()}`;
  return (
    <>
      <b>
        {count(errCount)} of {count(allErrCount)} failures
      </b>
      <span class="rest">{` in ${seconds} s${why}${endpointsText(endpoints)}`}</span>
    </>
  );
}

function endpointsText([most, ...others]: readonly NamedEndpoint[]): string {
  if (most === undefined) return "";
  return others.length === 0
    ? `; ${most.label}`
    : `; ${others.length + 1} endpoints, ${most.label} most`;
}
