import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";
import type { EndpointFigures, Figures, ParentFigures, Scope, Series } from "../../api/figures.ts";
import { useIsNarrow } from "../../charts/use-is-narrow.ts";
import { Spacer, useSeenRows } from "../../parts/seen-rows.tsx";
import { type SortColumn, columnsWith, NUMBER_COLUMNS } from "./endpoint-columns.ts";
import { EndpointRow, type Largest, ParentRow } from "./endpoint-row.tsx";
import type { PreviewStand } from "../charts/preview.ts";
import type { Range } from "../scope/range.ts";
import {
  type BaselineTimes,
  nextSorting,
  numberOf,
  sorted,
  type Sorting,
  sortingParameters,
} from "./sort-endpoints.ts";
import { treeRows } from "./tree-rows.ts";
import { useSparklines } from "../charts/use-sparklines.ts";
import { type Grid, valuesOn } from "../../charts/grid.ts";
import { type SparkBox, sparkBoxes, sparkPath } from "../../charts/spark-path.ts";

interface EndpointTableProps {
  readonly endpoints: readonly EndpointFigures[];
  /** Rows above their endpoints. @default none */
  readonly parents: readonly ParentFigures[] | undefined;
  readonly overall: Figures;
  readonly scope: Scope;
  readonly range: Range;
  /** Changes when new data arrive. */
  readonly version: number;
  readonly sorting: Sorting;
  /** Names of optional columns. */
  readonly requestedColumns: readonly string[];
  /** Tells the charts which row is pointed at. */
  readonly preview: PreviewStand;
  readonly baseline: BaselineTimes;
  /** How many of the first rows to list; selected ones are always listed. */
  readonly rowsMax: number;
}

/** Pixels, as in the style sheet. */
const ROW_HEIGHT = 28;
const NARROW_ROW_HEIGHT = 40;
const HEAD_ROWS = 1;

/** Endpoints of the scope; only visible rows are drawn. */
export function EndpointTable(props: EndpointTableProps) {
  const { endpoints, parents, sorting, scope, range, rowsMax } = props;
  const { column, isAscending } = sorting;
  const { baseline } = props;
  const ordered = useMemo(
    () => sorted(endpoints, sorting, baseline),
    [endpoints, column, isAscending, baseline],
  );
  const listed = ordered.filter(
    ({ hash }, place) => place < rowsMax || scope.hashes.includes(hash),
  );
  const rows = treeRows(listed, parents, sorting, baseline);
  const body = useRef<HTMLTableSectionElement>(null);
  const rowHeight = useIsNarrow() ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const seen = useSeenRows(body, rows.length, rowHeight);
  const shown = rows.slice(seen.from, seen.until);
  const hashes = shown.flatMap((row) => ("figures" in row ? row.figures.hash : []));
  const sparklines = useSparklines(scope, range, hashes, props.version);
  const isSplit = scope.by !== undefined && !scope.tree;
  const columns = columnsWith(props.requestedColumns, column, isSplit, baseline !== undefined);
  const largest = useMemo(() => largestOf([...listed, ...(parents ?? [])]), [endpoints, rowsMax]);
  const [reached, setReached] = useState("");
  // The last focused row, or the first if that is no longer drawn.
  const reachable = hashes.includes(reached) ? reached : hashes[0];
  const { preview } = props;
  useEffect(() => preview.put(sparklines, sparklines.resolution));
  return (
    <table class="endpoints" aria-rowcount={ordered.length + (parents?.length ?? 0) + HEAD_ROWS}>
      <caption class="hidden-text">Endpoints</caption>
      <thead>
        <tr>
          <th class="tick">
            <span class="hidden-text">selected</span>
          </th>
          <Head column="label" text="endpoint" sorting={sorting} />
          {columns.map(([each, text]) => (
            <Head key={each} column={each} text={text} sorting={sorting} />
          ))}
          <th class="over-time">p95 over time</th>
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={seen.from * rowHeight} />
        {shown.map((row, index) => {
          const common = {
            place: HEAD_ROWS + seen.from + index + 1,
            overall: props.overall,
            columns: columns.map(([each]) => each),
            baseline,
            largest,
          };
          if ("parent" in row) {
            return <ParentRow key={`of ${row.parent.label}`} figures={row.parent} {...common} />;
          }
          const { figures, text } = row;
          return (
            <EndpointRow
              key={figures.hash}
              {...common}
              figures={figures}
              text={text}
              selected={scope.hashes}
              isReached={figures.hash === reachable}
              onReach={setReached}
              onPoint={(hash) => preview.point(hash)}
            >
              <Sparkline series={sparklines.series.get(figures.hash)} grid={sparklines.grid} />
            </EndpointRow>
          );
        })}
        <Spacer height={(rows.length - seen.until) * rowHeight} />
      </tbody>
    </table>
  );
}

/** Of each column; the digits of all rows then line up. */
function largestOf(rows: readonly ParentFigures[]): Largest {
  const columns = NUMBER_COLUMNS.map((column) => [
    column,
    rows.reduce((largest, row) => Math.max(largest, numberOf(row, column) ?? 0), 0),
  ]);
  return Object.fromEntries(columns) as Largest;
}

const IMPACT =
  "Requests × (average − median of the same row): the extra time that slow requests took. 0 if all take about the same time";

const TITLES: Readonly<Partial<Record<SortColumn, string>>> = {
  impact: IMPACT,
  change: "Change of the p95 since the baseline",
};

interface HeadProps {
  readonly column: SortColumn;
  readonly text: string;
  readonly sorting: Sorting;
}

function Head({ column, text, sorting }: HeadProps) {
  const isSorted = sorting.column === column;
  const order = sorting.isAscending ? "ascending" : "descending";
  const sort = (): void =>
    changeParameters(sortingParameters(nextSorting(sorting, column)), "replace");
  return (
    <th
      class={column === "label" ? "label" : `numeric ${column}`}
      title={TITLES[column]}
      aria-sort={isSorted ? order : undefined}
    >
      <button type="button" class="word" onClick={sort}>
        {text}
        {isSorted ? (sorting.isAscending ? " ▴" : " ▾") : ""}
      </button>
    </th>
  );
}

const [WIDTH, HEIGHT] = [142, 20];
/** Failure ticks are at the bottom, below the line. */
const TICK_HEIGHT = 2;
const LINE_HEIGHT = HEIGHT - TICK_HEIGHT - 1;

function onFloor(): SparkBox {
  return { top: HEIGHT - TICK_HEIGHT, height: TICK_HEIGHT };
}

interface SparklineProps {
  /** `undefined` until it arrives. */
  readonly series: Series | undefined;
  readonly grid: Grid;
}

/** p95 over the range on its own scale, and where requests failed. */
function Sparkline({ series, grid }: SparklineProps) {
  if (series === undefined) return null;
  const p95 = valuesOn(grid, series, (point) => series.percentiles["p95"]?.[point] ?? null);
  const failed = valuesOn(grid, series, (point) => series.errCount[point] ?? 0);
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <path class="spark-line" d={sparkPath(p95.slice(0, -1), WIDTH, LINE_HEIGHT)} />
      <path class="spark-failed" d={sparkBoxes(failed.slice(0, -1), WIDTH, onFloor)} />
    </svg>
  );
}
