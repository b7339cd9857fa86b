import { useContext } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import type { Figures, Outcome } from "../../api/figures.ts";
import { share } from "../../format/numbers.ts";
import { Words } from "../../parts/words.tsx";
import { HoldingContext } from "../scope/holding.ts";

interface OutcomesProps {
  /** `undefined`: all requests. */
  readonly outcome: Outcome | undefined;
}

/** Which requests count, everywhere on the page. */
export function OutcomeSwitch({ outcome }: OutcomesProps) {
  if (!useContext(HoldingContext).hasOutcomes) return null;
  return (
    <Words
      label="Requests"
      choices={[
        ["all", "All"],
        ["passed", "Passed"],
        ["failed", "Failed"],
      ]}
      chosen={outcome ?? "all"}
      onChoose={(choice) => changeParameters({ outcome: choice === "all" ? undefined : choice })}
    />
  );
}

interface OutcomeNoteProps extends OutcomesProps {
  /** Of the shown requests; `undefined` until the first answer. */
  readonly figures: Figures | undefined;
}

/** A larger share of failed requests changes response times enough to say so; if all failed, there is nothing else. */
const SHARE_TOLD = 0.01;

/** Says that failed requests count, too, or that the times of the chosen ones are unknown. */
export function OutcomeNote({ outcome, figures }: OutcomeNoteProps) {
  const { hasOutcomes } = useContext(HoldingContext);
  if (!hasOutcomes || figures === undefined) return null;
  if (outcome !== undefined) {
    if (figures.count === figures.untimedCount || figures.percentileOrigin !== "unknown")
      return null;
    return (
      <span class="hint">
        {`not recorded: percentiles of ${outcome} requests where others of the same second ${outcome === "passed" ? "failed" : "passed"}`}
      </span>
    );
  }
  if (figures.errRate <= SHARE_TOLD || figures.errCount === figures.count) return null;
  const { digits, unit } = share(figures.errRate);
  return (
    <span class="hint">
      {`includes ${digits} ${unit} failed requests `}
      <button type="button" class="word" onClick={() => changeParameters({ outcome: "passed" })}>
        passed only
      </button>
    </span>
  );
}
