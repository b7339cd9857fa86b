import { useMemo, useRef } from "preact/hooks";
import { changeParameters } from "../address/use-address.ts";
import type { ComparedEndpoint, Comparison } from "../api/comparison.ts";
import { change, inWords } from "../format/changes.ts";
import { count, duration } from "../format/numbers.ts";
import { RowName } from "../parts/row-name.tsx";
import { Quantity } from "../parts/quantity.tsx";
import { Spacer, useSeenRows } from "../parts/seen-rows.tsx";
import { tooFewFor } from "../parts/too-few.ts";
import { type ChangeAxis, changeAxis } from "./change-axis.ts";
import type { ShownPart } from "./shown-part.ts";
import type { RowOrder, SortColumn } from "./sort-rows.ts";
import { failsMore, judged, kindOf, KINDS, otherMeasures } from "./verdicts.ts";

interface CompareTableProps {
  /** All rows: the axis of differences must fit them. */
  readonly endpoints: readonly ComparedEndpoint[];
  /** The shown rows in order. */
  readonly rows: readonly ComparedEndpoint[];
  readonly part: ShownPart;
}

const ROW_HEIGHT = 28;
const HEAD_ROWS = 1;

/** The verdict on each endpoint; only visible rows are drawn. */
export function CompareTable({ endpoints, rows, part }: CompareTableProps) {
  const { figure, figureName, order, hash } = part;
  const body = useRef<HTMLTableSectionElement>(null);
  const seen = useSeenRows(body, rows.length, ROW_HEIGHT);
  const axis = useMemo(
    () =>
      changeAxis(
        endpoints.map((row) => row[figure]),
        WHISKER_WIDTH,
      ),
    [endpoints, figure],
  );
  const heads: readonly (readonly [SortColumn, text: string, className: string])[] = [
    ["verdict", "verdict", "verdict"],
    ["label", "endpoint", "label"],
    ["count", "requests", "numeric count"],
    ["base", `base ${figureName}`, "numeric base"],
    ["value", figureName, "numeric value"],
    ["change", "difference", "numeric change"],
  ];
  return (
    <table class="endpoints comparison" aria-rowcount={rows.length + HEAD_ROWS}>
      <caption class="hidden-text">{`Endpoints by ${figureName}`}</caption>
      <thead>
        <tr>
          {heads.map(([column, text, className]) => (
            <Head key={column} column={column} text={text} className={className} order={order} />
          ))}
          <th class="whisker">
            <span class="hidden-text">interval of the difference</span>
            <AxisTexts axis={axis} />
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        <Spacer height={seen.from * ROW_HEIGHT} />
        {rows.slice(seen.from, seen.until).map((row, index) => (
          <Row
            key={row.hash}
            place={seen.from + index + HEAD_ROWS + 1}
            row={row}
            part={part}
            axis={axis}
            isChosen={row.hash === hash}
          />
        ))}
        <Spacer height={(rows.length - seen.until) * ROW_HEIGHT} />
      </tbody>
    </table>
  );
}

/** The axis above the dots. */
function AxisTexts({ axis }: { readonly axis: ChangeAxis }) {
  return (
    <svg class="axis-texts" width={WHISKER_WIDTH} height={16} aria-hidden="true">
      {axis.ticks.map((tick) => (
        <text key={tick} x={withinEnds(axis.at(tick))} y={12}>
          {tick === 0 ? "0" : inWords(change(tick))}
        </text>
      ))}
    </svg>
  );
}

const HALF_OF_A_TEXT = 20;

/** Middle of a text that must be fully visible. */
function withinEnds(place: number): number {
  return Math.min(WHISKER_WIDTH - HALF_OF_A_TEXT, Math.max(HALF_OF_A_TEXT, place));
}

interface HeadProps {
  readonly column: SortColumn;
  readonly text: string;
  readonly className: string;
  readonly order: RowOrder;
}

function Head({ column, text, className, order }: HeadProps) {
  const isSorted = order.column === column;
  // Labels and verdicts sort ascending first, numbers descending.
  const isDown = isSorted && !order.isReversed;
  const isAscending = (column === "label" || column === "verdict") === isDown;
  return (
    <th
      class={className}
      aria-sort={isSorted ? (isAscending ? "ascending" : "descending") : undefined}
    >
      <button
        type="button"
        class="word"
        onClick={() =>
          changeParameters({ sort: column, order: isDown ? "reversed" : undefined }, "replace")
        }
      >
        {text}
        {isSorted ? (order.isReversed ? " ▴" : " ▾") : ""}
      </button>
    </th>
  );
}

interface RowProps {
  /** Among all rows of the table, from 1. */
  readonly place: number;
  readonly row: ComparedEndpoint;
  readonly part: ShownPart;
  readonly axis: ChangeAxis;
  readonly isChosen: boolean;
}

function Row({ place, row, part, axis, isChosen }: RowProps) {
  const { hash, label, count: requests } = row;
  const { figure } = part;
  const { base, value, change: changed } = row[figure];
  const few = (of: number): string | undefined =>
    figure === "p95" || figure === "p99" ? tooFewFor(figure, of) : undefined;
  const choose = () => changeParameters({ endpoint: isChosen ? undefined : hash });
  return (
    <tr class={isChosen ? "selected" : ""} aria-rowindex={place} onClick={choose}>
      <td class="verdict">
        <VerdictText row={row} figure={figure} />
      </td>
      <RowName label={label} role={row.role} isChosen={isChosen} onChoose={choose} />
      <td
        class={`numeric count ${requests.value === 0 ? "none" : ""}`}
        title={`base ${count(requests.base)}`}
      >
        {requests.value === 0 ? "–" : count(requests.value)}
      </td>
      <Time name="base" seconds={base} few={few(requests.base)} />
      <Time name="value" seconds={value} few={few(requests.value)} />
      <td class={`numeric change ${judged(row[figure]) === "unchanged" ? "weak" : ""}`}>
        {changed === undefined ? null : <Quantity {...change(changed)} />}
      </td>
      <td class="whisker">
        <Whisker comparison={row[figure]} axis={axis} />
      </td>
    </tr>
  );
}

/** Words are in text colour and the sign is coloured: amber words in every row would shout. */
function VerdictText({
  row,
  figure,
}: Pick<ShownPart, "figure"> & { readonly row: ComparedEndpoint }) {
  const kind = kindOf(row);
  const others = otherMeasures(row, figure);
  const { sign, words } = KINDS[kind];
  return (
    <span class={`kind ${kind}`}>
      <span class={`sign ${kind}`}>{sign}</span>
      {words}
      {others.length === 0 ? null : (
        <span class="measures" title={`The verdict is by ${others.join(", ")}`}>
          {` by ${others.join(", ")}`}
        </span>
      )}
      {kind === "slower" && failsMore(row) ? (
        <span class="failing">{` ${KINDS.failing.sign} ${KINDS.failing.words}`}</span>
      ) : null}
    </span>
  );
}

interface TimeProps {
  readonly name: string;
  readonly seconds: number | undefined;
  /** Why the number means little. */
  readonly few: string | undefined;
}

function Time({ name, seconds, few }: TimeProps) {
  const isWeak = seconds === undefined || few !== undefined;
  return (
    <td
      class={`numeric ${name} ${isWeak ? "none" : ""}`}
      title={seconds === undefined ? undefined : few}
    >
      {seconds === undefined ? "–" : <Quantity {...duration(seconds)} />}
    </td>
  );
}

const WHISKER_WIDTH = 216;
const HEIGHT = 28;
const MIDDLE = HEIGHT / 2;
const RADIUS = { sure: 4, unsure: 3 };

interface WhiskerProps {
  readonly comparison: Comparison;
  readonly axis: ChangeAxis;
}

/** A difference as a dot with its interval as a line; hollow if within noise. */
function Whisker({ comparison, axis }: WhiskerProps) {
  const { change: by, low, high, isSignificant } = comparison;
  if (by === undefined) return null;
  const kind = judged(comparison);
  const radius = kind === "unchanged" ? RADIUS.unsure : RADIUS.sure;
  return (
    <svg class={`dot-and-whisker ${kind}`} width={WHISKER_WIDTH} height={HEIGHT} aria-hidden="true">
      {axis.ticks.map((tick) => (
        <path
          key={tick}
          class={tick === 0 ? "zero" : "tick-line"}
          d={`M${Math.round(axis.at(tick)) + 0.5} 0V${HEIGHT}`}
        />
      ))}
      {isSignificant === undefined ? null : (
        <path
          class="interval"
          d={`M${axis.at(low ?? -1)} ${MIDDLE}H${axis.at(high ?? Infinity)}`}
        />
      )}
      <circle cx={axis.at(by)} cy={MIDDLE} r={radius} />
    </svg>
  );
}
