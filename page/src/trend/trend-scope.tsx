import { changeParameters } from "../address/use-address.ts";
import type { Facet } from "../api/facets.ts";
import { askMeasures, selectorOf } from "../api/measures.ts";
import type { Trend } from "../api/trend.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Off } from "../parts/off-button.tsx";
import { count } from "../format/numbers.ts";
import { FacetChips } from "../facets/facet-chips.tsx";
import { facetsIn } from "../facets/facet-filter.ts";
import { FilterField } from "../parts/filter-field.tsx";
import { Words } from "../parts/words.tsx";
import { chosenLast, LAST_CHOICES, LAST_DEFAULT } from "./trend-request.ts";

interface TrendScopeProps {
  /** Of the latest run. */
  readonly facets: readonly Facet[] | undefined;
  readonly trend: Trend | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The one place that states the load tests and endpoints shown. */
export function TrendScope({ trend, facets, parameters }: TrendScopeProps) {
  const upTo = parameters.get("upTo");
  const id = trend?.loadTests.at(-1)?.id ?? "";
  return (
    <div class="scope">
      <Begin trend={trend} since={parameters.get("since")} />
      {upTo === undefined ? null : (
        <span class="chip set">
          <span class="text">{`up to ${upTo}`}</span>
          <Off label="Up to the latest run" onClick={() => changeParameters({ upTo: undefined })} />
        </span>
      )}
      <FilterField text={parameters.get("filter") ?? ""} />
      <FacetChips {...facetsIn(parameters)} facets={facets} />
      <span class="hint">{trend === undefined ? "" : endpointsText(trend)}</span>
      <MeasureField id={id} text={parameters.get("measure") ?? ""} />
      {trend === undefined || !hasChoice(trend, parameters) ? null : (
        <span class="spread">
          <span class="hint">maximum runs </span>
          <Words
            label="Maximum number of runs"
            choices={LAST_CHOICES.map((each) => [each, each])}
            chosen={chosenLast(parameters)}
            onChoose={(last) =>
              changeParameters({ last: last === LAST_DEFAULT ? undefined : last })
            }
          />
        </span>
      )}
    </div>
  );
}

interface MeasureFieldProps {
  /** Of the latest load test, whose measures are suggested. */
  readonly id: string;
  /** The selector in the URL. */
  readonly text: string;
}

/** Chooses the measures below the charts; nothing if there are none. */
function MeasureField({ id, text }: MeasureFieldProps) {
  const { value = [] } = useAnswer("measures", id, (signal) => askMeasures(id, signal));
  if (value.length === 0 && text === "") return null;
  return (
    <span class="field">
      <input
        type="search"
        class="measure-field"
        aria-label="Measure"
        placeholder="Measure, such as cpu by host"
        list="measure-names"
        value={text}
        onChange={({ currentTarget }) =>
          changeParameters({ measure: currentTarget.value.trim() || undefined })
        }
      />
      <datalist id="measure-names">
        {[...new Set(value.map(({ name }) => name))].map((name) => (
          <option key={name} value={selectorOf(name)} />
        ))}
      </datalist>
    </span>
  );
}

/** Whether another number would show others. */
function hasChoice({ leftOut, loadTests }: Trend, parameters: TrendScopeProps["parameters"]) {
  const least = Number(LAST_CHOICES[0]);
  return parameters.has("last") || leftOut.loadTests > 0 || loadTests.length > least;
}

function endpointsText({ endpoints, leftOut }: Trend): string {
  const text = `${count(endpoints.length)} endpoint${endpoints.length === 1 ? "" : "s"}`;
  if (leftOut.endpoints === 0) return text;
  return `${text}, the busiest; ${count(leftOut.endpoints)} or more with fewer requests are not examined`;
}

interface BeginProps {
  readonly trend: Trend | undefined;
  /** The load test in the URL. */
  readonly since: string | undefined;
}

/** The start of the history, and the way to earlier runs. */
function Begin({ trend, since }: BeginProps) {
  const baseline = trend?.baseline;
  if (since !== undefined) {
    return (
      <span class="chip set">
        <span class="text">{`since ${since}`}</span>
        <Off label="Since the first run" onClick={() => changeParameters({ since: undefined })} />
      </span>
    );
  }
  if (baseline === undefined) return null;
  if (trend?.since === baseline) {
    return (
      <span class="chip set">
        <span class="text">{`since the baseline ${baseline}`}</span>
        <Off
          label="Include runs before the baseline"
          onClick={() => changeParameters({ baseline: "ignored" })}
        />
      </span>
    );
  }
  return (
    <button type="button" onClick={() => changeParameters({ baseline: undefined })}>
      {`Start at the baseline ${baseline}`}
    </button>
  );
}
