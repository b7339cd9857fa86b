import type { ComparedCell } from "../api/comparison.ts";
import { judged, kindOf, KINDS } from "../compare/verdicts.ts";
import { change } from "../format/changes.ts";
import { duration, share } from "../format/numbers.ts";
import { Quantity } from "../parts/quantity.tsx";
import { FIGURES, type RunStatistic } from "./shown-runs.ts";

interface CellFigureProps {
  readonly cell: ComparedCell;
  readonly statistic: RunStatistic;
}

/** A statistic of a run and its change from the base, bold beyond noise. */
export function CellFigure({ cell, statistic }: CellFigureProps) {
  const { value, change: by, isSignificant } = cell[FIGURES[statistic]];
  if (value === undefined) return <span class="none">–</span>;
  if (statistic === "failed") {
    const kind = isSignificant === true && by !== undefined && by > 0 ? "failing" : "";
    return (
      <span class={isSignificant === true ? `sure ${kind}` : ""}>
        <Quantity {...share(value)} />
      </span>
    );
  }
  const kind = judged(cell[FIGURES[statistic]]);
  return (
    <>
      <Quantity {...duration(value)} />
      {by === undefined ? null : (
        <span class={`by ${isSignificant === true ? `sure ${kind}` : ""}`}>
          <Quantity {...change(by)} />
        </span>
      )}
    </>
  );
}

/** The verdict on a run against the base; nothing of the base. */
export function CellVerdict({ cell }: Pick<CellFigureProps, "cell">) {
  const { verdict, count, ...row } = cell;
  if (verdict === undefined) return null;
  const kind = kindOf({ ...row, verdict, count: { base: 0, value: count } });
  const { sign, words } = KINDS[kind];
  return (
    <span class={`kind ${kind}`}>
      <span class={`sign ${kind}`}>{sign}</span>
      {words}
    </span>
  );
}
