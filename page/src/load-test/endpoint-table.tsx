import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { EndpointFigures, Figures, Scope } from "../api/figures.ts";
import { count, duration, rate, share } from "../format/numbers.ts";
import { Label } from "../parts/label.tsx";
import { Quantity } from "../parts/quantity.tsx";
import { tooFewFor } from "../parts/too-few.ts";
import { Spacer, useSeenRows } from "../parts/seen-rows.tsx";
import { endpointColor, hasLines } from "./endpoint-lines.ts";
import type { PreviewStand } from "./preview.ts";
import type { Range } from "./range.ts";
import { sorted, type SortColumn } from "./sort-endpoints.ts";
import { Sparkline } from "./sparkline.tsx";
import { useSparklines } from "./use-sparklines.ts";

interface EndpointTableProps {
  readonly endpoints: readonly EndpointFigures[];
  readonly overall: Figures;
  readonly scope: Scope;
  readonly range: Range;
  /** Changes when there are new data. */
  readonly version: number;
  readonly sort: SortColumn;
  readonly isAscending: boolean;
  /** Where the charts learn which row is pointed at. */
  readonly preview: PreviewStand;
}

const COLUMNS: readonly (readonly [SortColumn, string])[] = [
  ["count", "requests"],
  ["errRate", "failed"],
  ["avgLoadTime", "average"],
  ["p50", "p50"],
  ["p95", "p95"],
  ["p99", "p99"],
  ["maxLoadTime", "max"],
  ["kbPerSec", "KB/s"],
];

const ROW_HEIGHT = 28;
const HEAD_ROWS = 1;
const FAILED_TOO_MUCH = 0.01;
const SLOW_RATIO = 2;

/** All endpoints of the scope; only the rows that are seen are drawn. */
export function EndpointTable(props: EndpointTableProps) {
  const { endpoints, sort, isAscending, scope, range } = props;
  const selected = scope.hashes;
  const rows = useMemo(() => sorted(endpoints, sort, isAscending), [endpoints, sort, isAscending]);
  const body = useRef<HTMLTableSectionElement>(null);
  const seen = useSeenRows(body, rows.length, ROW_HEIGHT);
  const shown = rows.slice(seen.from, seen.until);
  const hashes = shown.map(({ hash }) => hash);
  const sparklines = useSparklines(scope, range, hashes, props.version);
  const chosen = new Set(selected);
  const { preview } = props;
  useEffect(() => preview.put(sparklines, sparklines.resolution));
  return (
    <table class="endpoints" aria-rowcount={rows.length + HEAD_ROWS}>
      <caption class="hidden-text">Endpoints</caption>
      <thead>
        <tr>
          <th class="tick">
            <span class="hidden-text">selected</span>
          </th>
          <Head column="label" text="endpoint" {...props} />
          {COLUMNS.map(([column, text]) => (
            <Head key={column} column={column} text={text} {...props} />
          ))}
          <th class="over-time">p95 over time</th>
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={seen.from * ROW_HEIGHT} />
        {shown.map((figures, index) => (
          <Row
            key={figures.hash}
            place={HEAD_ROWS + seen.from + index + 1}
            figures={figures}
            overall={props.overall}
            isSelected={chosen.has(figures.hash)}
            selected={selected}
            onPoint={(hash) => preview.point(hash)}
          >
            <Sparkline series={sparklines.series.get(figures.hash)} grid={sparklines.grid} />
          </Row>
        ))}
        <Spacer height={(rows.length - seen.until) * ROW_HEIGHT} />
      </tbody>
    </table>
  );
}

interface HeadProps {
  readonly column: SortColumn;
  readonly text: string;
  readonly sort: SortColumn;
  readonly isAscending: boolean;
}

function Head({ column, text, sort, isAscending }: HeadProps) {
  const isSorted = sort === column;
  const next = isSorted && !isAscending ? "ascending" : undefined;
  const order = isAscending ? "ascending" : "descending";
  return (
    <th
      class={column === "label" ? "label" : `numeric ${column}`}
      aria-sort={isSorted ? order : undefined}
    >
      <button
        type="button"
        class="word"
        onClick={() => changeParameters({ sort: column, order: next }, "replace")}
      >
        {text}
        {isSorted ? (isAscending ? " ▴" : " ▾") : ""}
      </button>
    </th>
  );
}

interface RowProps {
  readonly figures: EndpointFigures;
  /** Among all rows of the table, drawn or not, from 1 on. */
  readonly place: number;
  readonly overall: Figures;
  readonly isSelected: boolean;
  readonly selected: readonly string[];
  /** Told the hash when pointer or focus come, `undefined` when they go. */
  readonly onPoint: (hash: string | undefined) => void;
  /** The small line at the end of the row. */
  readonly children: ComponentChildren;
}

function Row({ figures, place, overall, isSelected, selected, onPoint, children }: RowProps) {
  const { hash, label, count: requests, errRate } = figures;
  const isSlow =
    tooFewFor("p95", requests) === undefined &&
    (figures.p95 ?? 0) > SLOW_RATIO * (overall.p95 ?? Infinity);
  const toggle = (isAdded: boolean): void => {
    const others = isAdded ? selected.filter((each) => each !== hash) : [];
    const isAlone = !isAdded && selected.length === 1 && isSelected;
    const next = isSelected && (isAdded || isAlone) ? others : [...others, hash];
    changeParameters({ endpoints: next.length === 0 ? undefined : next.join(",") });
  };
  return (
    <tr
      class={isSelected ? "selected" : ""}
      aria-rowindex={place}
      tabIndex={0}
      onPointerEnter={() => onPoint(hash)}
      onPointerLeave={() => onPoint(undefined)}
      onFocusIn={() => onPoint(hash)}
      onFocusOut={() => onPoint(undefined)}
      onClick={(event) => toggle(event.ctrlKey || event.metaKey)}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) {
          toggle(event.ctrlKey || event.metaKey);
        }
      }}
    >
      <td class="tick" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label={`Select ${label}`}
          checked={isSelected}
          style={isSelected && hasLines(selected) ? swatchOf(selected.indexOf(hash)) : {}}
          onChange={() => toggle(true)}
        />
      </td>
      <th scope="row" class="label" title={label}>
        <Label label={label} />
      </th>
      <td class="numeric count">{count(requests)}</td>
      <td
        class={`numeric errRate ${errRate > FAILED_TOO_MUCH ? "failing" : ""}`}
        title={count(figures.errCount)}
      >
        {errRate > FAILED_TOO_MUCH ? "! " : ""}
        <Quantity {...share(errRate)} />
      </td>
      <Time name="avgLoadTime" seconds={figures.avgLoadTime} />
      <Time name="p50" seconds={figures.p50} />
      <Time name="p95" seconds={figures.p95} isSlow={isSlow} few={tooFewFor("p95", requests)} />
      <Time name="p99" seconds={figures.p99} few={tooFewFor("p99", requests)} />
      <Time name="maxLoadTime" seconds={figures.maxLoadTime} />
      <td class="numeric kbPerSec">{rate(figures.kbPerSec)}</td>
      <td class="over-time">{children}</td>
    </tr>
  );
}

/** The tick has the colour of the line. */
function swatchOf(index: number): { readonly accentColor: string } {
  return { accentColor: `var(${endpointColor(index)})` };
}

interface TimeProps {
  readonly name: string;
  readonly seconds: number | undefined;
  readonly isSlow?: boolean;
  /** Why the number means little. */
  readonly few?: string | undefined;
}

function Time({ name, seconds, isSlow = false, few }: TimeProps) {
  const kind = few === undefined ? (isSlow ? "slow" : "") : "none";
  return (
    <td class={`numeric ${name} ${kind}`} title={few}>
      {isSlow ? "▲ " : ""}
      {seconds === undefined ? "–" : <Quantity {...duration(seconds)} />}
    </td>
  );
}
