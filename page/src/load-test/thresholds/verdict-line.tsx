import type { Verdict } from "../../api/thresholds.ts";
import { isOpen, reasonText, verdictText } from "./threshold-words.ts";

interface VerdictLineProps {
  readonly verdict: Verdict | undefined;
  readonly formatTime: (second: number) => string;
}

/** Pass or fail, and the threshold that decides; nothing without thresholds. */
export function VerdictLine({ verdict, formatTime }: VerdictLineProps) {
  const text = verdict === undefined ? "" : verdictText(verdict);
  if (verdict === undefined || text === "") return null;
  const [look, mark] = verdict.fails
    ? ["failed", "✗"]
    : isOpen(verdict)
      ? ["open", "–"]
      : ["passed", "✓"];
  return (
    <p class={`verdict ${look}`}>
      <b>
        <span aria-hidden="true">{`${mark} `}</span>
        {`Thresholds: ${text}`}
      </b>
      <span class="rest">{reasonText(verdict, formatTime)}</span>
    </p>
  );
}
