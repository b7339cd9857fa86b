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

/** Numbered as in the charts. */
export function Findings({ findings, endpoints, formatTime, onOpen }: FindingsProps) {
  const isShort = useIsNarrow();
  if (findings === undefined) return <div class="findings" aria-hidden="true" />;
  if (findings.length === 0) return null;
  return (
    <ol class="findings" aria-label="Findings">
      {findings.map((finding) => {
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
    </ol>
  );
}

/** The second at which the charts mark a finding. */
export function markOf(finding: Finding): number {
  return finding.kind === "step" ? finding.at : finding.from;
}
