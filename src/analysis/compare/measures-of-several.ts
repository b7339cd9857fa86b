import type {
  ComparedMeasure,
  ComparedMeasureCell,
  ComparedMeasureRow,
} from "../../api/compare.ts";
import { FIGURE_OF, measureKey } from "../trend/measure-runs.ts";
import { largestChange, rankOfMeasure } from "./compare-measures.ts";

interface Row {
  readonly about: ComparedMeasureRow;
  readonly cells: ComparedMeasureCell[];
  /** Of the worst run. */
  rank: number;
  change: number;
}

/** One for all: runs may have 2,000 measures each, and none in common. */
const NO_CELL: ComparedMeasureCell = { count: 0 };

/** Measures of several runs, each compared with the first one. */
export class MeasuresOfSeveral {
  readonly #runs: number;
  readonly #rows = new Map<string, Row>();

  constructor(runs: number) {
    this.#runs = runs;
  }

  /** Adds the comparison of the run at this place, from 1. */
  add(at: number, measures: readonly ComparedMeasure[]): void {
    for (const measure of measures) this.#addOne(at, measure);
  }

  #addOne(at: number, measure: ComparedMeasure): void {
    const { name, unit, kind, tags, worse, count, verdict } = measure;
    const key = measureKey(measure);
    const cells = Array.from({ length: this.#runs }, () => NO_CELL);
    const about = { name, unit, kind, tags, worse, cells };
    const row = this.#rows.get(key) ?? { about, cells, rank: Infinity, change: 0 };
    this.#rows.set(key, row);
    row.cells[0] = { count: count.base, ...valuesOf(measure, ({ base }) => ({ value: base })) };
    row.cells[at] = {
      count: count.value,
      verdict,
      ...valuesOf(measure, ({ value, change, isSignificant }) => ({
        value,
        change,
        isSignificant,
      })),
    };
    const [rank, change] = [rankOfMeasure(verdict), largestChange(measure)];
    if (rank > row.rank || (rank === row.rank && change <= row.change)) return;
    Object.assign(row, { rank, change });
  }

  /** Worst first. */
  rows(): readonly ComparedMeasureRow[] {
    return [...this.#rows.values()]
      .toSorted(
        (one, other) =>
          one.rank - other.rank ||
          other.change - one.change ||
          (one.about.name < other.about.name ? -1 : 1),
      )
      .map(({ about }) => about);
  }
}

type Value = NonNullable<ComparedMeasureCell["mean"]>;

/** Members that are undefined are left out. */
function valuesOf(
  measure: ComparedMeasure,
  valueOf: (compared: NonNullable<ComparedMeasure["mean"]>) => Value,
): Omit<ComparedMeasureCell, "count" | "verdict"> {
  const values = FIGURE_OF[measure.kind].map(([statistic]) => {
    const known = Object.entries(valueOf(measure[statistic] ?? {}));
    return [statistic, Object.fromEntries(known.filter(([, each]) => each !== undefined))];
  });
  return Object.fromEntries(values);
}
