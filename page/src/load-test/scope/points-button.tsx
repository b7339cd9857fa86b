import { changeParameters } from "../../address/use-address.ts";
import { Popup } from "../../parts/popup.tsx";

export interface PointsButtonProps {
  /** Point lengths in words; empty if nothing is drawn. */
  readonly text: string;
  /** Point lengths to choose from, in seconds. */
  readonly choices: readonly number[];
  /** `undefined`: as fits the charts and the number of requests. */
  readonly chosen: number | undefined;
}

const AUTOMATIC = "Counts as fine as can be drawn; percentiles of 100 requests a point";

/** Shows the length of points and lets the user choose it. */
export function PointsButton({ text, choices, chosen }: PointsButtonProps) {
  return (
    <span class="spread in-menu">
      {text === "" ? null : (
        <Popup label={`Resolution: ${text}`} button={text} buttonClass="quiet" side="right">
          {(close) => (
            <div class="points-choice" role="group" aria-label="Resolution">
              {[undefined, ...choices].map((seconds) => (
                <button
                  key={seconds ?? 0}
                  type="button"
                  class="quiet"
                  aria-pressed={seconds === chosen}
                  title={seconds === undefined ? AUTOMATIC : undefined}
                  onClick={() => {
                    changeParameters({ resolution: seconds?.toString() }, "replace");
                    close();
                  }}
                >
                  {seconds === undefined ? "automatic" : `${seconds} s`}
                </button>
              ))}
            </div>
          )}
        </Popup>
      )}
    </span>
  );
}
