import type { Finding } from "../../api/figures.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { findingText } from "./finding-texts.ts";

interface FindingsProps {
  /** `undefined` as long as they have not come: their place is kept. */
  readonly findings: readonly Finding[] | undefined;
  /** Endpoints that are looked at. */
  readonly endpoints: number;
  readonly formatTime: (second: number) => string;
  /** Shows the time around a finding and its endpoints. */
  readonly onOpen: (finding: Finding) => void;
}

/** What stands out, in facts: at most two lines, with the numbers that they have in the charts. */
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
          <li key={finding.kind}>
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

/** The second at which a finding is marked in the charts. */
export function markOf(finding: Finding): number {
  return finding.kind === "step" ? finding.at : finding.from;
}
