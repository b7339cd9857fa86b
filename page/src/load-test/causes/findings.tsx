import { useContext, useState } from "preact/hooks";
import type { Finding, Incident } from "../../api/figures.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { HoldingContext } from "../scope/holding.ts";
import { findingText } from "./finding-texts.ts";

interface FindingsProps {
  /** `undefined` until they arrive; space is reserved. */
  readonly findings: readonly Incident[] | undefined;
  /** Number of endpoints analysed. */
  readonly endpoints: number;
  readonly formatTime: (second: number) => string;
  /** Shows the time around a finding and its endpoints. */
  readonly onOpen: (finding: Finding) => void;
}

/** More would push the charts off the first screen. */
const SHOWN = 5;

/** Incidents, numbered as in the charts: what happened and what may explain it, then a line per symptom. */
export function Findings({ findings, endpoints, formatTime, onOpen }: FindingsProps) {
  const isShort = useIsNarrow();
  const [isWhole, setWhole] = useState(false);
  const { grainSeconds, measureSeconds } = useContext(HoldingContext);
  if (findings === undefined) return <div class="findings" aria-hidden="true" />;
  if (findings.length === 0) {
    // Of a part of a report with coarse points they are unknown.
    const areKnown = grainSeconds === 1 && measureSeconds === 1;
    return areKnown ? <p class="findings rest">No anomalies found</p> : null;
  }
  // A single one takes no more room than the button.
  const folded = isWhole || findings.length <= SHOWN + 1 ? 0 : findings.length - SHOWN;
  return (
    <ol class="findings" aria-label="Findings">
      {findings.slice(0, findings.length - folded).map(({ from, findings: own, causes }) => (
        <li key={`${from} ${own[0]?.kind}`}>
          {own.map((finding, at) => {
            const said = findingText(finding, { formatTime, endpoints, isShort });
            const { when, text, strong, rest } = said;
            const known = at === 0 ? causes.map((each) => ` · ${each.text}`).join("") : "";
            return (
              <button
                key={`${finding.kind} ${when} ${text}`}
                type="button"
                class={at === 0 ? "finding" : "finding symptom"}
                onClick={() => onOpen(finding)}
              >
                <span class="when">{when}</span>
                <span>
                  {text}
                  {strong === "" ? null : <b>{` ${strong}`}</b>}
                  <span class="rest">{`${rest.startsWith(",") ? "" : " "}${rest}`}</span>
                  {known === "" ? null : <b>{known}</b>}
                </span>
              </button>
            );
          })}
        </li>
      ))}
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
