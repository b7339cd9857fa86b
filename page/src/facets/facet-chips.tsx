import { changeParameters } from "../address/use-address.ts";
import type { Facet } from "../api/facets.ts";
import { count } from "../format/numbers.ts";
import { Off } from "../parts/off-button.tsx";
import { ChooseFrom } from "../parts/choose-from.tsx";
import { Popup } from "../parts/popup.tsx";
import { type FacetFilter, pairsOf, valuesOf, withValues } from "./facet-filter.ts";

interface FacetChipsProps extends FacetFilter {
  /** Of the whole run; `undefined` until they are known. */
  readonly facets: readonly Facet[] | undefined;
  /** Of the URL; tags of measures only filter. @default "where" */
  readonly parameter?: "where" | "tags";
}

/** Filters by each facet and splits by one; nothing without facets, in the run or the URL. */
export function FacetChips({ facets = [], where, by, parameter = "where" }: FacetChipsProps) {
  const names = namesOf({ facets, where, by });
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

/** A facet with a single value filters and splits nothing: it is left out unless the URL names it. */
function namesOf({ facets = [], where, by }: FacetChipsProps): ReadonlySet<string> {
  const known = facets.filter(({ values }) => values.length > 1).map(({ name }) => name);
  const chosen = pairsOf(where).map(([name]) => name);
  return new Set([...known, ...chosen, ...(by === undefined ? [] : [by])]);
}

/** The chips in a line of their own. */
export function FacetBar(props: FacetChipsProps) {
  if (namesOf(props).size === 0) return null;
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
  const missing = chosen
    .filter((value) => values.every((each) => each.value !== value))
    .map((value) => ({ value }));
  const isSet = chosen.length > 0;
  const number = `${count(values.length)} value${values.length === 1 ? "" : "s"}`;
  const text = isSet ? chosen.join(" or ") : number;
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
        {() => (
          <ChooseFrom
            name={`values of ${name}`}
            all={[...values, ...missing]}
            chosen={chosen}
            onChoose={(next) => show(choice, next)}
          />
        )}
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
  changeParameters({
    by,
    tree: undefined,
    endpoints: undefined,
    endpoint: undefined,
    hidden: undefined,
  });
}

function show(
  { parameter, where, name }: Omit<FacetChipProps, "isSplit">,
  values: readonly string[],
) {
  changeParameters({ [parameter]: withValues(where, name, values) });
}
