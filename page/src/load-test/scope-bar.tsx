import { useRef } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { Scope } from "../api/figures.ts";
import { count } from "../format/numbers.ts";
import { useKeys } from "../shell/keyboard.ts";

/** How times are written. */
export type Clock = "local" | "utc" | "start";

interface ScopeBarProps {
  readonly scope: Scope;
  readonly rangeText: string;
  readonly endpoints: number | undefined;
  readonly resolution: number;
  readonly clock: Clock;
  readonly zone: string;
}

/** The one place that says what is shown: range, filter, selection. */
export function ScopeBar(props: ScopeBarProps) {
  const { scope, rangeText, endpoints, resolution } = props;
  const isWhole = scope.from === undefined && scope.until === undefined;
  return (
    <div class="scope">
      <span class={isWhole ? "chip" : "chip set"}>
        <b>{isWhole ? "Whole test" : "Range"}</b> {rangeText}
        {isWhole ? null : <Off label="Show the whole test" onClick={showWhole} />}
      </span>
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
      <span class="spread hint">{`${resolution} s a point`}</span>
      <ClockSwitch clock={props.clock} zone={props.zone} />
    </div>
  );
}

function showWhole(): void {
  changeParameters({ from: undefined, until: undefined });
}

function Off({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="off" aria-label={label} title={label} onClick={onClick}>
      ✕
    </button>
  );
}

/** `/` puts the cursor here. The text is the filter of the API: letter case counts. */
function FilterField({ text }: { readonly text: string }) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => field.current?.focus() });
  return (
    <span class="field">
      <input
        ref={field}
        type="search"
        aria-label="Filter endpoints"
        placeholder="Filter endpoints"
        value={text}
        onInput={({ currentTarget: { value } }) =>
          changeParameters({ filter: value === "" ? undefined : value }, "replace")
        }
      />
      <kbd aria-hidden="true">/</kbd>
    </span>
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
    <span class="switch" role="group" aria-label="Times">
      {choices.map(([choice, text]) => (
        <button
          key={choice}
          type="button"
          class="word"
          aria-pressed={clock === choice}
          onClick={() => changeParameters({ clock: choice === "local" ? undefined : choice })}
        >
          {text}
        </button>
      ))}
    </span>
  );
}
