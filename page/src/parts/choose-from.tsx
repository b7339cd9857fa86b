import { useState } from "preact/hooks";
import { count } from "../format/numbers.ts";
import { toggled } from "./toggled.ts";

interface ChooseFromProps {
  /** What they are: `measures`. */
  readonly name: string;
  readonly all: readonly Choosable[];
  readonly chosen: readonly string[];
  readonly onChoose: (values: readonly string[]) => void;
}

interface Choosable {
  readonly value: string;
  /** Beside it. */
  readonly requests?: number;
}

/** Shorter lists need no filter. */
const UNFILTERED_MAX = 12;
/** A longer list is narrowed by its filter. */
const LISTED_MAX = 100;

/** Check boxes in a popup. */
export function ChooseFrom({ name, all, chosen, onChoose }: ChooseFromProps) {
  const [filter, setFilter] = useState("");
  const matching = all.filter(({ value }) => value.toLowerCase().includes(filter.toLowerCase()));
  return (
    <div class="choose-from">
      {all.length <= UNFILTERED_MAX ? null : (
        <input
          type="search"
          aria-label={`Filter ${name}`}
          placeholder={`Filter ${name}`}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      )}
      <fieldset>
        <legend class="hidden-text">{name}</legend>
        {matching.slice(0, LISTED_MAX).map(({ value, requests }) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => onChoose(toggled(chosen, value))}
            />
            <span class="value" title={value}>
              {value}
            </span>
            {requests === undefined ? null : <span class="number">{count(requests)}</span>}
          </label>
        ))}
      </fieldset>
      {matching.length > LISTED_MAX ? (
        <p class="hint">{`and ${matching.length - LISTED_MAX} more: type part of a name`}</p>
      ) : null}
    </div>
  );
}
