import { useEffect, useRef } from "preact/hooks";
import type { ComparedRow, Comparison, Distribution, Pair } from "../api/comparison.ts";
import { change, inWords } from "../format/changes.ts";
import { duration, type Quantity as QuantityText, share } from "../format/numbers.ts";
import { Quantity } from "../parts/quantity.tsx";
import { FailureChange, TimeChange } from "./compare-tiles.tsx";
import { Curves, type CurvesProps } from "./curves.tsx";

interface CurvesPanelProps {
  readonly row: ComparedRow;
  /** Of the chosen endpoint; `undefined`: overall. */
  readonly label: string | undefined;
  readonly distributions: Pair<Distribution> | undefined;
}

/** Distributions of an endpoint in both load tests, and its figures. */
export function CurvesPanel({ row, label, distributions }: CurvesPanelProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // Beside the table it is always visible; above it, on narrow screens, it may not be.
    if (label !== undefined) panel.current?.scrollIntoView({ block: "nearest" });
  }, [label]);
  const name = label ?? "All endpoints";
  return (
    <aside ref={panel} class="curves-panel" aria-label={name}>
      <h2>
        <span class="name" title={name}>
          {name}
        </span>{" "}
        <span class="hint">share of requests up to this response time</span>
      </h2>
      <Curves row={row} name={name} distributions={distributions} />
      <FiguresTable row={row} name={name} distributions={distributions} />
      <p class="hint">
        Shift: how far response times moved overall. Whisker: confidence interval of the difference,
        sized for one false alarm per 100 comparisons of all endpoints. Slower or faster: the
        interval of shift, average, p50, p95 or p99 excludes 0, and the difference is at least 5 %.
        Unchanged: a shift of 5 % is ruled out. Inconclusive: neither. Rows are sorted by the end of
        the whisker closest to 0, worst first. Too few requests: under 50 in either run; too short:
        under 30 s in either run.
      </p>
    </aside>
  );
}

function FiguresTable({ row, name, distributions }: CurvesProps) {
  const longest = maxOf(distributions);
  return (
    <table class="rows figures">
      <caption class="hidden-text">{`Figures of ${name}`}</caption>
      <thead>
        <tr>
          <th />
          <th class="numeric">base</th>
          <th class="numeric">this</th>
          <th class="numeric">difference</th>
        </tr>
      </thead>
      <tbody>
        <ShiftRow shift={row.shift} />
        <TimeRow name="average" comparison={row.avgLoadTime} />
        <TimeRow name="p50" comparison={row.p50} />
        <TimeRow name="p95" comparison={row.p95} />
        <TimeRow name="p99" comparison={row.p99} />
        <Row name="max" {...longest} format={duration}>
          {longest.change === undefined ? null : inWords(change(longest.change))}
        </Row>
        <Row name="failed" {...row.errRate} format={share}>
          <FailureChange row={row} />
        </Row>
      </tbody>
    </table>
  );
}

/** Maxima are shown without a verdict: each is a single request. */
function maxOf(distributions: Pair<Distribution> | undefined): Comparison {
  const base = distributions?.base.overall.maxLoadTime ?? undefined;
  const value = distributions?.later.overall.maxLoadTime ?? undefined;
  const isComparable = base !== undefined && base > 0 && value !== undefined;
  return {
    ...(base === undefined ? {} : { base }),
    ...(value === undefined ? {} : { value }),
    ...(isComparable ? { change: value / base - 1 } : {}),
  };
}

function TimeRow({ name, comparison }: { readonly name: string; readonly comparison: Comparison }) {
  return (
    <Row name={name} {...comparison} format={duration}>
      <TimeChange {...comparison} />
    </Row>
  );
}

/** It has no value of either load test. */
function ShiftRow({ shift }: { readonly shift: Comparison }) {
  if (shift.change === undefined) return null;
  return (
    <tr>
      <th scope="row" colSpan={3}>
        shift
      </th>
      <td class="numeric">
        <TimeChange {...shift} />
      </td>
    </tr>
  );
}

interface RowProps extends Pick<Comparison, "base" | "value"> {
  readonly name: string;
  readonly format: (value: number) => QuantityText;
  readonly children: preact.ComponentChildren;
}

function Row({ name, base, value, format, children }: RowProps) {
  const cell = (each: number | undefined) =>
    each === undefined ? "–" : <Quantity {...format(each)} />;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="numeric base">{cell(base)}</td>
      <td class="numeric">{cell(value)}</td>
      <td class="numeric">{children}</td>
    </tr>
  );
}
