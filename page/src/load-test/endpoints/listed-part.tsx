import { endpointCountOf, type Summary } from "../../api/figures.ts";
import { count } from "../../format/numbers.ts";
import { columnText } from "./endpoint-columns.ts";
import { isAscendingAtFirst, type Sorting } from "./sort-endpoints.ts";

interface ListedPartProps {
  readonly summary: Summary;
  readonly sorting: Sorting;
}

/** Where a table has not all endpoints: which they are, and how others are found. */
export function ListedPart({ summary, sorting: { column, isAscending } }: ListedPartProps) {
  const [listed, all] = [summary.endpoints.length, endpointCountOf(summary)];
  if (listed === all) return null;
  const which = isAscending === isAscendingAtFirst(column) ? "First" : "Last";
  const by = columnText(column);
  return (
    <p class="hint listed-part">
      {`${which} ${count(listed)} of ${count(all)} by ${by}; filter to find others`}
    </p>
  );
}
