import { useContext } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { Scope } from "../api/figures.ts";
import { count } from "../format/numbers.ts";
import { HoldingContext } from "./holding.ts";
import type { Live } from "./live.tsx";
import { FilterField } from "../parts/filter-field.tsx";
import { Words } from "../parts/words.tsx";
import { WHOLE_TEST } from "./range.ts";

/** How times are written. */
export type Clock = "local" | "utc" | "start";

interface ScopeBarProps {
  readonly scope: Scope;
  /** Seconds up to the newest that are followed. */
  readonly following: number | undefined;
  readonly live: Live;
  readonly rangeText: string;
  readonly endpoints: number | undefined;
  /** Short name of the kind of failures that is marked in the charts. */
  readonly marked: string | undefined;
  /** How long a point of the charts is, in words. */
  readonly points: string;
  readonly clock: Clock;
  readonly zone: string;
}

/** The one place that says what is shown: range, filter, selection. */
export function ScopeBar(props: ScopeBarProps) {
  const { scope, rangeText, endpoints } = props;
  const { wholeName } = useContext(HoldingContext);
  const isWhole = scope.from === undefined && scope.until === undefined;
  return (
    <div class="scope">
      <span class={isWhole ? "chip" : "chip set"}>
        <b>{rangeName(props, wholeName)}</b> {rangeText}
        {followingText(props)}
        {isWhole ? null : <Off label="Show the whole test" onClick={showWhole} />}
      </span>
      {props.live.isGrowing && props.following === undefined ? (
        <button
          type="button"
          onClick={() => changeParameters({ ...WHOLE_TEST, last: FOLLOWED_SECONDS })}
        >
          Follow
        </button>
      ) : null}
      <FilterField text={scope.filter} />
      {scope.hashes.length === 0 ? null : (
        <span class="chip set">
          {`${scope.hashes.length} selected`}
          <Off label="Select none" onClick={() => changeParameters({ endpoints: undefined })} />
        </span>
      )}
      <span class="hint">
        {endpoints === undefined ? "" : `${count(endpoints)} endpoint${endpoints === 1 ? "" : "s"}`}
      </span>
      {props.marked === undefined ? null : (
        <span class="chip set">
          {`${props.marked} marked`}
          <Off label="Take the mark off" onClick={() => changeParameters({ failure: undefined })} />
        </span>
      )}
      <span class="spread hint">{props.points}</span>
      <ClockSwitch clock={props.clock} zone={props.zone} />
    </div>
  );
}

const FOLLOWED_SECONDS = "300";

function rangeName({ scope, following }: ScopeBarProps, wholeName: string): string {
  if (following !== undefined) {
    return following % 60 === 0 ? `Last ${following / 60} min` : `Last ${following} s`;
  }
  return scope.from === undefined && scope.until === undefined ? wholeName : "Range";
}

function followingText({ following, live }: ScopeBarProps): string {
  if (following === undefined || !live.isGrowing) return "";
  return live.isPaused ? ", paused" : ", following";
}

function showWhole(): void {
  changeParameters(WHOLE_TEST);
}

function Off({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="off" aria-label={label} title={label} onClick={onClick}>
      ✕
    </button>
  );
}

function ClockSwitch({ clock, zone }: { readonly clock: Clock; readonly zone: string }) {
  const all: readonly (readonly [Clock, string])[] = [
    ["local", zone],
    ["utc", "UTC"],
    ["start", "since start"],
  ];
  // Who lives in UTC has one choice less.
  const choices = all.filter(([choice, text]) => choice !== "utc" || text !== zone);
  return (
    <Words
      label="Times"
      choices={choices}
      chosen={clock}
      onChoose={(choice) => changeParameters({ clock: choice === "local" ? undefined : choice })}
    />
  );
}
