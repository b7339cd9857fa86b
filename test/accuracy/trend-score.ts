/** Scores the reported changes of a generated history. */

import { FIGURES, type GeneratedHistory, type HistorySeries } from "./generated-histories.ts";

/** A change counts as found if it is reported within this many load tests. */
const REACH = 5;

export interface Score {
  /** True changes, and how many of them were found. */
  readonly changes: number;
  readonly found: number;
  /** Reported changes that do not exist. */
  readonly falseAlarms: number;
}

/** Scores `told`, the indexes of changes reported in one series. */
export function scoreOf(
  history: GeneratedHistory,
  { figure, values }: HistorySeries,
  told: readonly number[],
): Score {
  const isTimed = FIGURES[figure];
  if (isTimed && history.drift !== 1) return scoreOfDrift(history.drift, values, told);
  const steps = isTimed ? history.steps : [];
  const left = [...told];
  for (const { at } of steps) {
    const nearest = left.toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at))[0];
    if (nearest === undefined || Math.abs(nearest - at) > REACH) continue;
    left.splice(left.indexOf(nearest), 1);
  }
  const found = told.length - left.length;
  return { changes: steps.length, found, falseAlarms: left.length };
}

/** A drift is found if it is reported as one or more changes in its direction; others are false. */
function scoreOfDrift(drift: number, values: readonly number[], told: readonly number[]): Score {
  const edges = [0, ...told, values.length];
  const along = told.filter((at, index) => {
    const [before, after] = [values.slice(edges[index], at), values.slice(at, edges[index + 2])];
    return averageOf(after) > averageOf(before) === drift > 1;
  });
  return {
    changes: 1,
    found: along.length > 0 ? 1 : 0,
    falseAlarms: told.length - along.length,
  };
}

function averageOf(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}
