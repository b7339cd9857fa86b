/** Figures of measures over runs, as those of requests whose noise is alike. */

import type { MeasuresJson } from "../../api/measures.ts";
import { TREND_FIGURES, type TrendFigure } from "../../api/trend.ts";
import { type MeasureSelector, selectorText } from "../../model/measures/measure-selector.ts";
import type { MeasureKind } from "../../model/measures/measure-table.ts";
import { unless } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { readMeasures } from "../../query/read-measures.ts";
import { revisionOf } from "../../series/open-snapshot.ts";
import type { Points } from "../../store/store.ts";
import { partOfRun, type TrendPart } from "./run-values.ts";
import type { LevelValues } from "./trend-figures.ts";

export type MeasureStatistic = "mean" | "rate" | "p50" | "p95" | "p99" | "max";

/** Of a measure of each kind, and what their noise is like: that of a share, or of a positive number, in ratios. */
export const FIGURE_OF: Readonly<
  Record<MeasureKind, readonly (readonly [MeasureStatistic, TrendFigure])[]>
> = {
  counter: [["rate", "avgLoadTime"]],
  gauge: [
    ["mean", "avgLoadTime"],
    ["max", "p99"],
  ],
  rate: [["mean", "errRate"]],
  distribution: [
    ["mean", "avgLoadTime"],
    ["p50", "p50"],
    ["p95", "p95"],
    ["p99", "p99"],
  ],
};

/** Percentiles of measures are steps of this share apart. */
export const PERCENTILE_STEP = 0.02;

export type RunMeasure = MeasuresJson["measures"][number];

/** What identifies a measure in all runs. */
export function measureKey({
  name,
  unit,
  kind,
  tags,
  endpoint,
}: Pick<RunMeasure, "name" | "unit" | "kind" | "tags" | "endpoint">): string {
  return JSON.stringify([name, unit, kind, Object.entries(tags), endpoint?.label ?? null]);
}

export interface MeasurePart extends Omit<TrendPart, "selection"> {
  readonly selector: MeasureSelector;
}

export interface MeasureRow {
  readonly about: RunMeasure;
  /** A value of each run; `null` if unknown. */
  readonly values: LevelValues;
}

/** Reads each measure that any of the runs has, in the order of the latest ones. Throws what `readMeasures` throws, except for deleted runs. */
export async function readMeasureRows(
  points: Pick<Points, "snapshot" | "figures">,
  loadTests: readonly LoadTestSummary[],
  part: MeasurePart,
): Promise<ReadonlyMap<string, MeasureRow>> {
  const rows = new Map<string, { about: RunMeasure; values: Writable }>();
  for (let at = loadTests.length - 1; at >= 0; at--) {
    const loadTest = loadTests[at] as LoadTestSummary;
    for (const measure of (await readRun(points, loadTest, part)) ?? []) {
      const key = measureKey(measure);
      const row = rows.get(key) ?? { about: measure, values: noValues(loadTests.length, measure) };
      rows.set(key, row);
      if (measure.count === 0) continue;
      row.values.count[at] = measure.count;
      for (const [statistic, figure] of FIGURE_OF[measure.kind]) {
        row.values[figure][at] = measure[statistic] ?? null;
      }
    }
  }
  return rows;
}

type Writable = Record<TrendFigure, (number | null)[]> & { readonly relativeStep: number };

function noValues(length: number, { kind }: RunMeasure): Writable {
  const lists = TREND_FIGURES.map((figure) => {
    return [figure, Array.from({ length }, (): null => null)];
  });
  return {
    ...Object.fromEntries(lists),
    relativeStep: kind === "distribution" ? PERCENTILE_STEP : 0,
  };
}

/** Increment when other figures are computed of the same data. */
const STORED_FORM = 3;

interface StoredMeasures {
  /** With that of what environments measured, which figures are not kept by. */
  readonly revision: string;
  readonly span: readonly [from: number | null, until: number | null];
  readonly measures: readonly RunMeasure[];
}

/** `undefined` for a deleted run. */
async function readRun(
  points: Pick<Points, "snapshot" | "figures">,
  loadTest: LoadTestSummary,
  part: MeasurePart,
): Promise<readonly RunMeasure[] | undefined> {
  const { id } = loadTest;
  const { selector, skipStartSeconds, skipEndSeconds } = part;
  const of = [STORED_FORM, selectorText(selector), skipStartSeconds, skipEndSeconds];
  const name = JSON.stringify(["measures", ...of]);
  // Before they are read: then what is kept is never older than it says.
  const revision = await revisionOf(points, id);
  const known = (await points.figures.find([id], name)).get(id);
  const stored = known && (JSON.parse(known.text) as StoredMeasures);
  const ends = [loadTest.from ?? null, loadTest.until ?? null] as const;
  const isCurrent = stored?.revision === revision;
  if (isCurrent && stored?.span[0] === ends[0] && stored.span[1] === ends[1]) {
    return stored.measures;
  }
  const found = await unless("unknown-load-test", async () => {
    const ramps = { skipStartSeconds, skipEndSeconds };
    return readMeasures(points, { ...(await partOfRun(points, loadTest, ramps)), selector });
  });
  if (found === undefined || revision === undefined) return undefined;
  const text: StoredMeasures = { revision, span: ends, measures: found.measures };
  await points.figures.keep(id, name, { revision, text: JSON.stringify(text) });
  return found.measures;
}
