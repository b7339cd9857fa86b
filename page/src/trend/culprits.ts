import type { Trend, TrendChange, TrendFigure } from "../api/trend.ts";
import { FIGURE_NAMES } from "./change-words.ts";

/** The endpoint that a run changed, by one of its statistics. */
export interface Culprit {
  /** Of p95 if that changed, else of the first statistic that did. */
  readonly change: TrendChange;
  /** Such as `p50 to p99, failed`. */
  readonly figures: string;
}

const TIMES = ["avgLoadTime", "p50", "p95", "p99"] as const satisfies readonly TrendFigure[];

/** One row for each run and endpoint, latest run first, the largest change first. All endpoints together change because some do: then they have no row. */
export function culpritsOf(changes: readonly TrendChange[]): readonly Culprit[] {
  const byRun = Map.groupBy(changes, ({ loadTestId }) => loadTestId);
  return [...byRun.values()].flatMap((ofRun) => {
    const named = ofRun.filter(({ hash }) => hash !== undefined);
    const shown = named.length === 0 ? ofRun : named;
    return [...Map.groupBy(shown, ({ hash }) => hash).values()]
      .flatMap(culpritOf)
      .toSorted((left, right) => sizeOf(right) - sizeOf(left));
  });
}

function culpritOf(own: readonly TrendChange[]): Culprit | readonly [] {
  const [first] = own;
  const change = own.find(({ figure }) => figure === "p95") ?? first;
  if (change === undefined) return [];
  const times = TIMES.filter((each) => own.some(({ figure }) => figure === each));
  const [low, high] = [times[0], times.at(-1)].map((each) => each && FIGURE_NAMES[each]);
  const others = own.filter(({ figure }) => !TIMES.some((each) => each === figure));
  const names = others.map(({ figure }) => FIGURE_NAMES[figure]);
  const range = low === high ? low : `${low} to ${high}`;
  return { change, figures: [range ?? [], ...names].flat().join(", ") };
}

/** Twice as long and half as long are as large. */
function sizeOf({ change: { before, after } }: Culprit): number {
  return Math.abs(Math.log(Math.max(after, 1e-9) / Math.max(before, 1e-9)));
}

/** Endpoints without any change. */
export function unchangedCount({ endpoints, changes }: Trend): number {
  const changed = new Set(changes.map(({ hash }) => hash));
  return endpoints.filter(({ hash }) => !changed.has(hash)).length;
}
