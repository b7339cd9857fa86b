import type { Comparison } from "../api/comparison.ts";
import type { ChangeAxis } from "./change-axis.ts";
import { judged } from "./verdicts.ts";

export const WHISKER_WIDTH = 216;
const HEIGHT = 28;
const MIDDLE = HEIGHT / 2;
const RADIUS = { sure: 4, unsure: 3 };

interface WhiskerProps {
  readonly comparison: Comparison;
  readonly axis: ChangeAxis;
}

/** A difference as a dot with its interval as a line; hollow if within noise. */
export function Whisker({ comparison, axis }: WhiskerProps) {
  const { change, low, high, isSignificant } = comparison;
  if (change === undefined) return null;
  const kind = judged(comparison);
  const radius = kind === "unchanged" ? RADIUS.unsure : RADIUS.sure;
  return (
    <svg class={`dot-and-whisker ${kind}`} width={WHISKER_WIDTH} height={HEIGHT} aria-hidden="true">
      {axis.ticks.map((tick) => (
        <path
          key={tick}
          class={tick === 0 ? "zero" : "tick-line"}
          d={`M${Math.round(axis.at(tick)) + 0.5} 0V${HEIGHT}`}
        />
      ))}
      {isSignificant === undefined ? null : (
        <path
          class="interval"
          d={`M${axis.at(low ?? -1)} ${MIDDLE}H${axis.at(high ?? Infinity)}`}
        />
      )}
      <circle cx={axis.at(change)} cy={MIDDLE} r={radius} />
    </svg>
  );
}
