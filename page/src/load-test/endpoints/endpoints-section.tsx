import { endpointCountOf, type Scope, type Summary } from "../../api/figures.ts";
import { count } from "../../format/numbers.ts";
import type { PreviewStand } from "../charts/preview.ts";
import { NoMatch } from "../no-match.tsx";
import type { Range } from "../scope/range.ts";
import { ColumnsButton } from "./columns-button.tsx";
import { columnText, requestedColumns } from "./endpoint-columns.ts";
import { EndpointTable } from "./endpoint-table.tsx";
import { ListedPart } from "./listed-part.tsx";
import { ManyUrls } from "./many-urls.tsx";
import { sortingOf } from "./sort-endpoints.ts";

interface EndpointsSectionProps {
  readonly scope: Scope;
  readonly range: Range;
  /** Endpoints of the load test, whatever is selected. */
  readonly allEndpoints: number;
  /** Changes when new data arrive. */
  readonly version: number;
  readonly summary: Summary;
  /** Tells the charts which row is pointed at. */
  readonly preview: PreviewStand;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The endpoint table, as the URL says, and what it leaves out. */
export function EndpointsSection(props: EndpointsSectionProps) {
  const { scope, range, summary, preview, parameters } = props;
  const sorting = sortingOf(parameters.get("sort"), parameters.get("order"));
  const requested = requestedColumns(parameters.get("columns"));
  const isAll = parameters.get("rows") === "all";
  return (
    <section aria-labelledby="endpoints">
      <div class="table-head">
        <h2 id="endpoints">
          Endpoints{" "}
          <span class="number">{countOfAll(endpointCountOf(summary), props.allEndpoints)}</span>
        </h2>
        <span class="sorted-by rest">{`Sorted by ${columnText(sorting.column)}`}</span>
        <ColumnsButton requested={requested} />
      </div>
      <ManyUrls summary={summary} allEndpoints={props.allEndpoints} id={scope.id} />
      <EndpointTable
        endpoints={summary.endpoints}
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

/** `46 of 148`, or only `148`. */
function countOfAll(shown: number, all: number): string {
  return shown === all ? count(all) : `${count(shown)} of ${count(all)}`;
}
