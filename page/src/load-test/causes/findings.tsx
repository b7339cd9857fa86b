import { useState } from "preact/hooks";
import type { Finding } from "../../api/figures.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { findingText } from "./finding-texts.ts";

interface FindingsProps {
  /** `undefined` until they arrive; space is reserved. */
  readonly findings: readonly Finding[] | undefined;
  /** Number of endpoints analysed. */
  readonly endpoints: number;
  readonly formatTime: (second: number) => string;
  /** Shows the time around a finding and its endpoints. */
  readonly onOpen: (finding: Finding) => void;
}

/** More would push the charts off the first screen. */
const SHOWN = 5;

/** Findings, numbered as in the charts. */
export function Findings({ findings, endpoints, formatTime, onOpen }: FindingsProps) {
  const isShort = useIsNarrow();
  const [isWhole, setWhole] = useState(false);
  if (findings === undefined) return <div class="findings" aria-hidden="true" />;
  if (findings.length === 0) return null;
  // A single one takes no more room than the button.
  const folded = isWhole || findings.length <= SHOWN + 1 ? 0 : findings.length - SHOWN;
  return (
    <ol class="findings" aria-label="Findings">
      {findings.slice(0, findings.length - folded).map((finding) => {
        const words = { formatTime, endpoints, isShort };
        const { when, text, strong, rest } = findingText(finding, words);
        return (
          <li key={`${finding.kind} ${markOf(finding)} ${text}`}>
            <button type="button" class="finding" onClick={() => onOpen(finding)}>
              <span class="when">{when}</span>
              <span>
                {text}
                {strong === "" ? null : <b>{` ${strong}`}</b>}
                <span class="rest">{`${rest.startsWith(",") ? "" : " "}${rest}`}</span>
              </span>
            </button>
          </li>
        );
      })}
      {folded === 0 ? null : (
        <li class="more">
          <button type="button" class="quiet" onClick={() => setWhole(true)}>
            {`${folded} more`}
          </button>
        </li>
      )}
    </ol>
  );
}

/** The second at which the charts mark a finding. */
export function markOf(finding: Finding): number {
  return finding.kind === "step" ? finding.at : finding.from;
}
