import { useState } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { Facet } from "../api/facets.ts";
import { count } from "../format/numbers.ts";
import { Off } from "../load-test/charts/off-button.tsx";
import { Popup } from "../parts/popup.tsx";
import { toggled } from "../parts/toggled.ts";
import { type FacetFilter, pairsOf, valuesOf, withValues } from "./facet-filter.ts";

interface FacetChipsProps extends FacetFilter {
  /** Of the whole run; `undefined` until they are known. */
  readonly facets: readonly Facet[] | undefined;
  /** Of the URL; tags of measures only filter. @default "where" */
  readonly parameter?: "where" | "tags";
}

/** Filters by each facet and splits by one; nothing without facets, in the run or the URL. */
export function FacetChips({ facets = [], where, by, parameter = "where" }: FacetChipsProps) {
  const known = facets.map(({ name }) => name);
  const chosen = pairsOf(where).map(([name]) => name);
  const names = new Set([...known, ...chosen, ...(by === undefined ? [] : [by])]);
  return (
    <>
      {[...names].map((name) => {
        const values = facets.find((facet) => facet.name === name)?.values ?? [];
        return (
          <FacetChip key={name} {...{ name, values, where, parameter }} isSplit={name === by} />
        );
      })}
    </>
  );
}

/** The chips in a line of their own. */
export function FacetBar(props: FacetChipsProps) {
  const { facets = [], where, by } = props;
  if (facets.length === 0 && where === undefined && by === undefined) return null;
  return (
    <div class="facet-bar">
      <FacetChips {...props} />
    </div>
  );
}

interface FacetChipProps
  extends Facet, Pick<FacetFilter, "where">, Pick<Required<FacetChipsProps>, "parameter"> {
  readonly isSplit: boolean;
}

function FacetChip({ isSplit, ...choice }: FacetChipProps) {
  const { name, values, where } = choice;
  const chosen = valuesOf(where, name);
  const shownName = name.replace("!", " other than");
  const isSet = chosen.length > 0;
  const number = `${count(values.length)} value${values.length === 1 ? "" : "s"}`;
  const text = isSet ? chosen.join(" or ") : (values.length === 1 && values[0]?.value) || number;
  return (
    <span class={`chip facet ${isSet || isSplit ? "set" : ""}`}>
      <Popup
        label={`${shownName} ${text}: filter`}
        button={
          <>
            <b title={shownName}>{shownName}</b>{" "}
            <span class="value" title={text}>
              {text}
            </span>
          </>
        }
        buttonClass="chip-button"
      >
        {() => <Values {...choice} chosen={chosen} />}
      </Popup>
      {isSet ? <Off label={`All of ${name}`} onClick={() => show(choice, [])} /> : null}
      {(values.length < 2 && !isSplit) || choice.parameter === "tags" ? null : (
        <button
          type="button"
          class="split"
          aria-pressed={isSplit}
          aria-label={`Split by ${name}`}
          title={`A row and a line for each ${name}`}
          onClick={() => split(isSplit ? undefined : name)}
        >
          Split
        </button>
      )}
    </span>
  );
}

/** Selected rows and hidden lines have other names then. */
function split(by: string | undefined): void {
  changeParameters({ by, endpoints: undefined, endpoint: undefined, hidden: undefined });
}

function show(
  { parameter, where, name }: Omit<FacetChipProps, "isSplit">,
  values: readonly string[],
) {
  changeParameters({ [parameter]: withValues(where, name, values) });
}

/** A longer list is narrowed by its filter. */
const LISTED_MAX = 12;

interface ValuesProps extends Omit<FacetChipProps, "isSplit"> {
  readonly chosen: readonly string[];
}

function Values({ chosen, ...choice }: ValuesProps) {
  const { name, values, parameter } = choice;
  const [filter, setFilter] = useState("");
  const isLong = values.length > LISTED_MAX;
  const missing = chosen
    .filter((value) => values.every((each) => each.value !== value))
    .map((value) => ({ value, requests: 0 }));
  const all = [...values, ...missing].filter(({ value }) =>
    value.toLowerCase().includes(filter.toLowerCase()),
  );
  return (
    <div class="choose-values">
      {isLong ? (
        <input
          type="search"
          aria-label={`Filter values of ${name}`}
          placeholder="Filter values"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      ) : null}
      <fieldset>
        <legend>{`Only ${parameter === "tags" ? "series" : "requests"} with ${name}`}</legend>
        {all.map(({ value, requests }) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={() => show(choice, toggled(chosen, value))}
            />
            <span class="value" title={value}>
              {value}
            </span>
            <span class="number">{count(requests)}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}
