import { useState } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import { Popup } from "../../parts/popup.tsx";
import { toggled } from "../../parts/toggled.ts";
import { type MeasureGroup, namesText } from "./measure-groups.ts";
import { pin } from "./use-measures.ts";

interface ChooseMeasuresProps {
  /** Of the load test; the choice applies to all of this name. */
  readonly name: string;
  readonly groups: readonly MeasureGroup[];
  /** Names of measures. */
  readonly chosen: readonly string[];
}

/** Chooses the measures that are drawn; nothing if there are none. */
export function ChooseMeasures({ name, groups, chosen }: ChooseMeasuresProps) {
  if (groups.length === 0) return null;
  return (
    <Popup button="Measures…" label="Choose measures" buttonClass="quiet">
      {() => <Choice name={name} groups={groups} chosen={chosen} />}
    </Popup>
  );
}

/** A longer list is narrowed by its filter. */
const LISTED_MAX = 100;

function Choice({ name, groups, chosen }: ChooseMeasuresProps) {
  const [filter, setFilter] = useState("");
  const names = [...new Set(groups.map((group) => group.name))];
  const matching = names.filter((each) => each.toLowerCase().includes(filter.toLowerCase()));
  const toggle = (measure: string): void => {
    const next = toggled(chosen, measure);
    pin(name, next);
    changeParameters({ measures: namesText(next) }, "replace");
  };
  return (
    <div class="choose-measures">
      <input
        type="search"
        aria-label="Filter measures"
        placeholder="Filter measures"
        value={filter}
        onInput={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      <fieldset>
        <legend class="hidden-text">Measures</legend>
        {matching.slice(0, LISTED_MAX).map((measure) => (
          <label key={measure}>
            <input
              type="checkbox"
              checked={chosen.includes(measure)}
              onChange={() => toggle(measure)}
            />
            {measure}
          </label>
        ))}
      </fieldset>
      {matching.length > LISTED_MAX ? (
        <p class="hint">{`and ${matching.length - LISTED_MAX} more: type part of a name`}</p>
      ) : null}
    </div>
  );
}
