import { changeParameters } from "../../address/use-address.ts";
import { type Scope, type Summary, endpointCountOf } from "../../api/figures.ts";
import type { Facet } from "../../api/facets.ts";
import { count } from "../../format/numbers.ts";
import type { PreviewStand } from "../charts/preview.ts";
import { NoMatch } from "../no-match.tsx";
import type { Range } from "../scope/range.ts";
import {
  columnsWith,
  columnText,
  FAILED_WORST,
  requestedColumns,
  COLUMN_NAMES,
} from "./endpoint-columns.ts";
import { EndpointTable } from "./endpoint-table.tsx";
import { areAllListed, firstRows, ListedPart } from "./listed-part.tsx";
import { sorted, type Sorting, sortingOf } from "./sort-endpoints.ts";
import { tableText } from "./table-text.ts";
import { useBaselineTimes } from "./use-baseline-times.ts";
import { SaveButton } from "../../parts/save-button.tsx";
import { saveText } from "../../parts/save-file.ts";
import type { LoadTestPart } from "../part.ts";
import { Popup } from "../../parts/popup.tsx";
import { toggleIn } from "../../parts/toggled.ts";
import { useIsPrinted } from "../../parts/use-is-printed.ts";

interface EndpointsSectionProps extends Pick<LoadTestPart, "name" | "whole" | "isGrowing"> {
  readonly scope: Scope;
  readonly range: Range;
  /** Endpoints of the load test, whatever is selected. */
  readonly allEndpoints: number;
  /** Changes when new data arrive. */
  readonly version: number;
  readonly summary: Summary;
  /** Of the whole run; `undefined` until they are known. */
  readonly facets: readonly Facet[] | undefined;
  /** Tells the charts which row is pointed at. */
  readonly preview: PreviewStand;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The endpoint table as the URL configures it, and a note about endpoints that it omits. */
export function EndpointsSection(props: EndpointsSectionProps) {
  const { scope, range, summary, preview, parameters } = props;
  const isPart = summary.endpoints.length < endpointCountOf(summary);
  const sorting = sortingOf(parameters.get("sort"), parameters.get("order"), isPart);
  const baseline = useBaselineTimes({ ...props, isPart });
  const requested = requestedColumns(parameters.get("columns"));
  const isSplit = scope.by !== undefined && !scope.tree;
  const isPrinted = useIsPrinted();
  const rowsMax = areAllListed(parameters)
    ? Infinity
    : firstRows(summary.endpoints.length, isPrinted);
  return (
    <section aria-labelledby="endpoints">
      <div class="table-head">
        <h2 id="endpoints">
          Endpoints <span class="number">{countText(endpointCountOf(summary), props)}</span>
        </h2>
        <Order sorting={sorting} isPart={isPart} />
        <TreeButton scope={scope} facets={props.facets} />
        <ColumnsButton requested={requested} />
        <SaveButton
          name="Save table"
          title="The rows and columns of this table, times in seconds"
          save={async () =>
            saveText(
              tableText(
                sorted(summary.endpoints, sorting, baseline),
                columnsWith(requested, sorting.column, isSplit, baseline !== undefined),
                baseline,
              ),
              `${scope.id}-endpoints.csv`,
            )
          }
        />
      </div>
      <ManyUrls summary={summary} allEndpoints={props.allEndpoints} />
      <EndpointTable
        endpoints={summary.endpoints}
        parents={summary.parents}
        overall={summary.overall}
        scope={scope}
        range={range}
        version={props.version}
        sorting={sorting}
        requestedColumns={requested}
        preview={preview}
        baseline={baseline}
        rowsMax={rowsMax}
      />
      <ListedPart {...{ summary, sorting, rowsMax, isPrinted }} />
      <NoMatch scope={scope} matches={summary.endpoints.length} allEndpoints={props.allEndpoints} />
    </section>
  );
}

/** The order in words; the worst first is a click away. */
function Order({ sorting, isPart }: { readonly sorting: Sorting; readonly isPart: boolean }) {
  if (sorting.column === "worst") {
    const failed = `failed ${FAILED_WORST * 100} % or more`;
    return <span class="rest order">{`Worst first: ${failed}, then by p95`}</span>;
  }
  return (
    <span class="rest order">
      {`Sorted by ${columnText(sorting.column)} `}
      {isPart ? null : (
        <button
          type="button"
          class="word"
          onClick={() => changeParameters({ sort: undefined, order: undefined }, "replace")}
        >
          Worst first
        </button>
      )}
    </span>
  );
}

/** `46 of 148`, or only `148`; `138 by region`. */
function countText(
  shown: number,
  { allEndpoints: all, scope: { by } }: Pick<EndpointsSectionProps, "allEndpoints" | "scope">,
): string {
  if (by !== undefined) return `${count(shown)} by ${by}`;
  return shown === all ? count(all) : `${count(shown)} of ${count(all)}`;
}

/** Facets that say which transaction or group of the script a request is part of. */
const TREES = ["transaction", "group"];

/** Lists endpoints below their transactions or groups; nothing without any. */
function TreeButton({ scope, facets = [] }: Pick<EndpointsSectionProps, "scope" | "facets">) {
  const name = TREES.find((each) => facets.some((facet) => facet.name === each));
  if (name === undefined) return null;
  const isOn = scope.tree === true && scope.by === name;
  const shown = isOn ? { by: undefined, tree: undefined } : { by: name, tree: "true" };
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={isOn}
      title={`Endpoints below their ${name}`}
      onClick={() => changeParameters({ ...shown, endpoints: undefined, hidden: undefined })}
    >
      Tree
    </button>
  );
}

/** Adds and removes columns of the endpoint table. */
function ColumnsButton({ requested }: { readonly requested: readonly string[] }) {
  return (
    <Popup button="Columns…" buttonClass="quiet" side="right">
      {() => (
        <fieldset>
          <legend>Further columns</legend>
          {COLUMN_NAMES.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={requested.includes(name)}
                onChange={() => toggleIn("columns", requested, name)}
              />{" "}
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </Popup>
  );
}

interface ManyUrlsProps {
  readonly summary: Summary;
  /** Endpoints of the load test. */
  readonly allEndpoints: number;
}

/** Fewer are likely to be named by people. */
const MANY = 1000;

/** If very many labels look like URLs with ids: how to group them. */
function ManyUrls({ summary: { endpoints }, allEndpoints }: ManyUrlsProps) {
  const withIds = endpoints.filter(({ label }) => hasId(label)).length;
  if (allEndpoints <= MANY || withIds * 2 < endpoints.length || withIds === 0) return null;
  return (
    <p class="hint many-urls">
      {`${count(allEndpoints)} endpoints: are they URLs with ids? `}
      <code>tachograph import --group-urls</code>
      {" groups them."}
    </p>
  );
}

/** A path segment or query value that a person would hardly choose. */
function hasId(label: string): boolean {
  return /[/=](?:\d+|[\da-f]{8,}|[\da-f-]{32,})(?=[/?&#]|$)/i.test(label);
}
