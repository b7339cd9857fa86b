import { changeParameters } from "../../address/use-address.ts";
import { type Scope, type Summary, endpointCountOf } from "../../api/figures.ts";
import type { Facet } from "../../api/facets.ts";
import { count } from "../../format/numbers.ts";
import type { PreviewStand } from "../charts/preview.ts";
import { NoMatch } from "../no-match.tsx";
import type { Range } from "../scope/range.ts";
import { columnText, requestedColumns, COLUMN_NAMES } from "./endpoint-columns.ts";
import { EndpointTable } from "./endpoint-table.tsx";
import { ListedPart } from "./listed-part.tsx";
import { sortingOf } from "./sort-endpoints.ts";
import { Popup } from "../../parts/popup.tsx";
import { toggleIn } from "../../parts/toggled.ts";
import { useIsPrinted } from "../../parts/use-is-printed.ts";

interface EndpointsSectionProps {
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
  const sorting = sortingOf(parameters.get("sort"), parameters.get("order"));
  const requested = requestedColumns(parameters.get("columns"));
  const isPrinted = useIsPrinted();
  const isAll = isPrinted || parameters.get("rows") === "all";
  return (
    <section aria-labelledby="endpoints">
      <div class="table-head">
        <h2 id="endpoints">
          Endpoints <span class="number">{countText(endpointCountOf(summary), props)}</span>
        </h2>
        <span class="sorted-by rest">{`Sorted by ${columnText(sorting.column)}`}</span>
        <TreeButton scope={scope} facets={props.facets} />
        <ColumnsButton requested={requested} />
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
        isAll={isAll}
      />
      <ListedPart summary={summary} sorting={sorting} isAll={isAll} />
      <NoMatch scope={scope} matches={summary.endpoints.length} allEndpoints={props.allEndpoints} />
    </section>
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
