import type { Verdict } from "../../api/thresholds.ts";
import type { RunningLimit } from "../../api/live.ts";
import { isOpen, reasonText, runningText, valueSentence } from "./threshold-words.ts";

interface VerdictLineProps {
  readonly verdict: Verdict | undefined;
  /** Why there is no verdict for the current data. */
  readonly refusal?: string | undefined;
  /** Whether there will be a verdict: its line is reserved. */
  readonly isJudged: boolean;
  /** Whether the verdict is of a part of a run that grows, or grew. */
  readonly isSoFar: boolean;
  readonly formatTime: (second: number) => string;
}

/** Pass or fail, and the threshold that decides; nothing without thresholds. */
export function VerdictLine(props: VerdictLineProps) {
  const { verdict, refusal, isJudged, isSoFar, formatTime } = props;
  const isChecked = verdict === undefined ? isJudged : verdict.checked > 0;
  if (!isChecked) return null;
  if (refusal !== undefined) {
    return (
      <p class="verdict open">
        <b>
          <span aria-hidden="true">– </span>
          No verdict
        </b>
        {`: ${refusal}`}
      </p>
    );
  }
  if (verdict === undefined) return <p class="verdict">{"\u00a0"}</p>;
  const [look, mark, word] = verdict.fails
    ? ["failed", "✗", "Failed"]
    : isOpen(verdict)
      ? ["open", "–", "No verdict"]
      : ["passed", "✓", "Passed"];
  return (
    <p class={`verdict ${look}`}>
      <b>
        <span aria-hidden="true">{`${mark} `}</span>
        {isSoFar && !verdict.fails ? `${word} so far` : word}
      </b>
      {`: ${reasonText(verdict, formatTime)}`}
    </p>
  );
}

const LIMITS_MAX = 8;

interface RunningLimitsProps {
  /** Broken ones first. */
  readonly limits: readonly RunningLimit[];
  readonly formatTime: (second: number) => string;
}

/** The newest window of each threshold, and since when it has been broken. */
export function RunningLimits({ limits, formatTime }: RunningLimitsProps) {
  if (limits.length === 0) return null;
  const shown = limits.slice(0, LIMITS_MAX);
  const kept = shown.filter(({ isBroken }) => !isBroken);
  const more = limits.length - LIMITS_MAX;
  return (
    <ul class="running-limits" aria-label="Thresholds now">
      {shown.map((limit) => {
        const { failIf, isBroken, fails, brokenSince } = limit;
        if (!isBroken) return null;
        return (
          <li key={failIf} class={fails ? "broken" : "warning"}>
            <b role="alert">
              {`${fails ? "✗ Broken" : "Warning"} since ${formatTime(brokenSince ?? limit.window.until)}`}
            </b>
            {` ${runningText(limit, formatTime)}`}
          </li>
        );
      })}
      {kept.length === 0 ? null : <li>{`Now ${kept.map(valueSentence).join(" · ")}`}</li>}
      {more > 0 ? <li>{`and ${more} more`}</li> : null}
    </ul>
  );
}
