import type { ComponentChildren } from "preact";
import { changeParameters } from "../../address/use-address.ts";
import type { EndpointFigures, Figures, ParentFigures } from "../../api/figures.ts";
import {
  bytesWith,
  count,
  durationsWith,
  type Quantity as QuantityText,
  rate,
  share,
} from "../../format/numbers.ts";
import { change } from "../../format/changes.ts";
import { Label } from "../../parts/label.tsx";
import { Quantity } from "../../parts/quantity.tsx";
import { showCharts } from "../scope/show-charts.ts";
import { toggled } from "../../parts/toggled.ts";
import { fewFor, type NumberColumn, originText } from "./endpoint-columns.ts";
import { type BaselineTimes, numberOf } from "./sort-endpoints.ts";
import { endpointColor, hasLines } from "./endpoint-lines.ts";

interface EndpointRowProps {
  readonly figures: EndpointFigures;
  /** Shown below a parent instead of the label. @default the label, without a parent */
  readonly text: string | undefined;
  /** Overall, of everything shown. */
  readonly overall: Figures;
  readonly columns: readonly NumberColumn[];
  readonly baseline: BaselineTimes;
  /** The largest value of each column, which gives it its unit. */
  readonly largest: Largest;
  readonly selected: readonly string[];
  /** Whether Tab reaches this row; arrow keys reach the others. */
  readonly isReached: boolean;
  readonly onReach: (hash: string) => void;
  /** Among all rows of the table, drawn or not, from 1. */
  readonly place: number;
  /** Called with the hash when pointer or focus enter, `undefined` when they leave. */
  readonly onPoint: (hash: string | undefined) => void;
  /** The sparkline at the end of the row. */
  readonly children: ComponentChildren;
}

export type Largest = Readonly<Partial<Record<NumberColumn, number>>>;

const FAILED_TOO_MUCH = 0.01;
const SLOW_RATIO = 2;

/** An endpoint: a click or Enter shows it alone; with Ctrl or Cmd, in addition to the selection. */
export function EndpointRow(props: EndpointRowProps) {
  const { figures, columns, selected, isReached, onPoint } = props;
  const { hash, label } = figures;
  const isSelected = selected.includes(hash);
  const select = ({ ctrlKey, metaKey }: MouseEvent | KeyboardEvent): void => {
    if (ctrlKey || metaKey) show(toggled(selected, hash));
    else {
      showAlone(selected, hash);
      showCharts();
    }
  };
  return (
    <tr
      class={isSelected ? "row selected" : "row"}
      data-parent={figures.parent}
      tabIndex={isReached ? 0 : -1}
      aria-selected={isSelected}
      aria-rowindex={props.place}
      onPointerEnter={() => onPoint(hash)}
      onPointerLeave={() => onPoint(undefined)}
      onFocusIn={() => {
        onPoint(hash);
        props.onReach(hash);
      }}
      onFocusOut={() => onPoint(undefined)}
      onClick={(event) => {
        // The row's text can be selected and copied.
        if (getSelection()?.isCollapsed !== false) select(event);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === event.currentTarget) select(event);
      }}
    >
      <td class="tick" onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          aria-label={`Select ${label}`}
          tabIndex={isReached ? 0 : -1}
          checked={isSelected}
          style={isSelected && hasLines(selected) ? swatchOf(selected.indexOf(hash)) : {}}
          onChange={() => show(toggled(selected, hash))}
        />
      </td>
      <th scope="row" class="label" title={label}>
        <span class="full">
          <Label label={props.text ?? label} role={figures.role} />
        </span>
      </th>
      {columns.map((column) => (
        <Cell key={column} {...props} column={column} />
      ))}
      <td class="over-time">{props.children}</td>
    </tr>
  );
}

interface ParentRowProps extends Pick<
  EndpointRowProps,
  "columns" | "overall" | "place" | "baseline" | "largest"
> {
  readonly figures: ParentFigures;
}

/** A transaction, group or other value of a facet, above its endpoints. */
export function ParentRow(props: ParentRowProps) {
  const { figures, columns, place } = props;
  return (
    <tr class="parent" aria-rowindex={place}>
      <td class="tick" />
      <th scope="row" class="label" title={figures.label}>
        <span class="full">
          <Label label={figures.label} role={figures.role} />
        </span>
      </th>
      {columns.map((column) => (
        <Cell key={column} {...props} column={column} />
      ))}
      <td class="over-time" />
    </tr>
  );
}

/** The tick has the line's colour. */
function swatchOf(index: number): Record<string, string> {
  return { "--swatch": `var(${endpointColor(index)})` };
}

/** A second click shows all again. */
function showAlone(selected: readonly string[], hash: string): void {
  show(selected.length === 1 && selected.includes(hash) ? [] : [hash]);
}

function show(hashes: readonly string[]): void {
  changeParameters({ endpoints: hashes.length === 0 ? undefined : hashes.join(",") });
}

interface CellProps extends Pick<ParentRowProps, "figures" | "overall" | "baseline" | "largest"> {
  readonly column: NumberColumn;
}

function Cell(props: CellProps) {
  const { column, figures, baseline, largest } = props;
  const value = numberOf(figures, column, baseline);
  if (column === "errRate") return <Failed figures={figures} />;
  if (/^p\d|LoadTime$/.test(column)) return <Time {...props} />;
  const few = fewFor(column, figures.count);
  const isQuiet = few !== undefined || (column === "impact" && value === 0);
  return (
    <td class={`numeric ${column} ${isQuiet ? "none" : ""}`} title={few}>
      {value === null ? "–" : <Quantity {...textOf(column, value, largest[column] ?? value)} />}
    </td>
  );
}

/** A number in the unit of its column. */
function textOf(column: NumberColumn, value: number, largest: number): QuantityText {
  if (column === "count") return { digits: count(value), unit: "" };
  if (column === "reqPerSec") return { digits: rate(value), unit: "/s" };
  if (column === "change") return change(value);
  if (column === "receivedBytesPerSec") return bytesWith(largest)(value);
  return durationsWith(largest)(value);
}

function Failed({ figures: { errRate, errCount } }: { readonly figures: Figures }) {
  const isTooMuch = errRate > FAILED_TOO_MUCH;
  const kind = isTooMuch ? "failing" : errCount === 0 ? "none" : "";
  return (
    <td class={`numeric errRate ${kind}`} title={`${count(errCount)} failed`}>
      {isTooMuch ? <b>! </b> : null}
      <Quantity {...share(errRate)} />
    </td>
  );
}

/** A response time; if requests are too few it is dimmed and not marked. */
function Time({ column, figures, overall, largest }: CellProps) {
  const seconds = numberOf(figures, column);
  const few = fewFor(column, figures.count);
  const isSlow =
    column === "p95" &&
    few === undefined &&
    (seconds ?? 0) > SLOW_RATIO * (overall.p95 ?? Infinity);
  const shown = seconds === null ? undefined : textOf(column, seconds, largest[column] ?? seconds);
  return (
    <td
      class={`numeric ${column} ${few === undefined ? "" : "none"}`}
      title={originText(column, figures.percentileOrigin) ?? few}
    >
      {shown === undefined ? (
        "–"
      ) : (
        <>
          <span class={isSlow ? "slow" : ""}>
            {isSlow ? "▲ " : ""}
            {shown.digits}
          </span>
          <span class="unit">{shown.unit}</span>
        </>
      )}
    </td>
  );
}
