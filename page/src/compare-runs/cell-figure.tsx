import type { ComparedCell } from "../api/comparison.ts";
import { judged } from "../compare/verdicts.ts";
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
