import { changeParameters } from "../../address/use-address.ts";
import { endpointCountOf, type Summary } from "../../api/figures.ts";
import { count } from "../../format/numbers.ts";
import { columnText } from "./endpoint-columns.ts";
import { isAscendingAtFirst, type Sorting } from "./sort-endpoints.ts";

interface ListedPartProps {
  readonly summary: Summary;
  readonly sorting: Sorting;
  /** Rows listed at most. */
  readonly rowsMax: number;
  readonly isPrinted: boolean;
}

/** Rows listed until all are requested; shorter tables are listed in full. */
const [FIRST_ROWS, FEW_ROWS] = [10, 20];

/** Rows requested of very many at a time. */
const PAGE = 200;
const PARAMETER = /^[1-9]\d{2,4}$/;

/** The rows to request of very many. */
export function rowsIn(parameters: ReadonlyMap<string, string>): number {
  const text = parameters.get("rows") ?? "";
  return PARAMETER.test(text) ? Number(text) : PAGE;
}

/** Whether all requested rows are listed. */
export function areAllListed(parameters: ReadonlyMap<string, string>): boolean {
  const text = parameters.get("rows") ?? "";
  return text === "all" || PARAMETER.test(text);
}

/** Rows printed: with charts, server metrics and failures they fill two sheets. */
const PRINTED_ROWS = 20;

/** Number of rows listed until all are requested. */
export function firstRows(rows: number, isPrinted: boolean): number {
  if (isPrinted) return PRINTED_ROWS;
  return rows > FEW_ROWS ? FIRST_ROWS : rows;
}

/** Below a truncated table: the way to the other endpoints. */
export function ListedPart({ summary, sorting, rowsMax, isPrinted }: ListedPartProps) {
  const [listed, all] = [summary.endpoints.length, endpointCountOf(summary)];
  const { column, isAscending } = sorting;
  const which = isAscending === isAscendingAtFirst(column) ? "First" : "Last";
  const part = `${which} ${count(listed)} of ${count(all)} by ${columnText(column)}`;
  if (rowsMax < listed) {
    if (isPrinted) {
      const first = `First ${count(rowsMax)} of ${count(all)} in this order`;
      return <p class="hint listed-part">{`${first}; list all to print all.`}</p>;
    }
    return (
      <button
        type="button"
        class="word"
        onClick={() => changeParameters({ rows: "all" }, "replace")}
      >
        {listed === all ? `All ${count(all)}` : part}
      </button>
    );
  }
  if (listed >= all) return null;
  const more = Math.min(PAGE, all - listed);
  return (
    <p class="hint listed-part">
      {`${part}; filter to find others, or `}
      <button
        type="button"
        class="word"
        onClick={() => changeParameters({ rows: String(listed + more) }, "replace")}
      >
        {`list ${count(more)} more`}
      </button>
    </p>
  );
}
