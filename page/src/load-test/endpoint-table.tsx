import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { EndpointFigures, Figures, Scope } from "../api/figures.ts";
import { count, duration, rate, share } from "../format/numbers.ts";
import { endpointColor, hasLines } from "./endpoint-lines.ts";
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
/** Rows drawn above and below those that are seen. */
const SPARE_ROWS = 12;
const FAILED_TOO_MUCH = 0.01;
const SLOW_RATIO = 2;
const ENOUGH_FOR_P95 = 100;
const ENOUGH_FOR_P99 = 500;

/** All endpoints of the scope; only the rows that are seen are drawn. */
export function EndpointTable(props: EndpointTableProps) {
  const { endpoints, sort, isAscending, scope, range } = props;
  const selected = scope.hashes;
  const rows = useMemo(() => sorted(endpoints, sort, isAscending), [endpoints, sort, isAscending]);
  const body = useRef<HTMLTableSectionElement>(null);
  const seen = useSeenRows(body, rows.length);
  const shown = rows.slice(seen.from, seen.until);
  const hashes = shown.map(({ hash }) => hash);
  const sparklines = useSparklines(scope, range, hashes, props.version);
  const chosen = new Set(selected);
  return (
    <table class="endpoints">
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
      <tbody ref={body} aria-rowcount={rows.length}>
        <Spacer rows={seen.from} />
        {shown.map((figures) => (
          <Row
            key={figures.hash}
            figures={figures}
            overall={props.overall}
            isSelected={chosen.has(figures.hash)}
            selected={selected}
          >
            <Sparkline series={sparklines.series.get(figures.hash)} grid={sparklines.grid} />
          </Row>
        ))}
        <Spacer rows={rows.length - seen.until} />
      </tbody>
    </table>
  );
}

function Spacer({ rows }: { readonly rows: number }) {
  if (rows <= 0) return null;
  // One cell: spanning the columns that narrow screens hide would bring them back.
  return (
    <tr aria-hidden="true">
      <td style={{ height: `${rows * ROW_HEIGHT}px`, padding: 0 }} />
    </tr>
  );
}

/** Which rows the window shows. */
function useSeenRows(
  body: { readonly current: HTMLElement | null },
  rows: number,
): { readonly from: number; readonly until: number } {
  const [seen, setSeen] = useState({ from: 0, until: 60 });
  useLayoutEffect(() => {
    const look = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / ROW_HEIGHT) - SPARE_ROWS);
      const until = Math.ceil((innerHeight - top) / ROW_HEIGHT) + SPARE_ROWS;
      setSeen((last) => (last.from === from && last.until === until ? last : { from, until }));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [rows]);
  return { from: Math.min(seen.from, rows), until: Math.min(Math.max(seen.until, 0), rows) };
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
  readonly overall: Figures;
  readonly isSelected: boolean;
  readonly selected: readonly string[];
  /** The small line at the end of the row. */
  readonly children: ComponentChildren;
}

function Row({ figures, overall, isSelected, selected, children }: RowProps) {
  const { hash, label, count: requests, errRate } = figures;
  const isSlow =
    requests >= ENOUGH_FOR_P95 && (figures.p95 ?? 0) > SLOW_RATIO * (overall.p95 ?? Infinity);
  const toggle = (isAdded: boolean): void => {
    const others = isAdded ? selected.filter((each) => each !== hash) : [];
    const isAlone = !isAdded && selected.length === 1 && isSelected;
    const next = isSelected && (isAdded || isAlone) ? others : [...others, hash];
    changeParameters({ endpoints: next.length === 0 ? undefined : next.join(",") });
  };
  return (
    <tr
      class={isSelected ? "selected" : ""}
      tabIndex={0}
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
      <Time
        name="p95"
        seconds={figures.p95}
        isSlow={isSlow}
        few={fewFor(95, requests, ENOUGH_FOR_P95)}
      />
      <Time name="p99" seconds={figures.p99} few={fewFor(99, requests, ENOUGH_FOR_P99)} />
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

function fewFor(percent: number, requests: number, enough: number): string | undefined {
  if (requests >= enough) return undefined;
  return `${count(requests)} request${requests === 1 ? "" : "s"}: too few for a p${percent}`;
}

/** A method is set apart; what is copied is the label as it is stored. */
function Label({ label }: { readonly label: string }) {
  if (label === "") return <i class="none">(empty)</i>;
  const method = /^([A-Z]+) (?=\/)/.exec(label)?.[1];
  if (method === undefined) return <>{label}</>;
  return (
    <>
      <span class="method">{`${method} `}</span>
      {label.slice(method.length + 1)}
    </>
  );
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

function Quantity({ digits, unit }: { readonly digits: string; readonly unit: string }) {
  return (
    <>
      {digits}
      <span class="unit">{unit}</span>
    </>
  );
}
