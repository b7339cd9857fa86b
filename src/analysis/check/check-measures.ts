import type { ComparedMeasure, Comparison, LoadTestComparison } from "../../api/compare.ts";
import type { MeasuresJson } from "../../api/measures.ts";
import {
  ENDPOINT_TAG,
  type MeasureSelector,
  selectorText,
} from "../../model/measures/measure-selector.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import { possibleValuesOf } from "../../model/measures/value-buckets.ts";
import type { SelectedPart } from "../../series/endpoint-selection.ts";
import type { CompareQuery } from "../compare/compare-load-tests.ts";
import type { LoadTestReader } from "../load-test-reader.ts";
import { measureKey } from "../trend/measure-runs.ts";
import {
  type Bounds,
  type CheckedLimit,
  isBeyond,
  type Limit,
  type LimitedFigure,
  type LimitUnit,
} from "./limit.ts";

export type SelectedMeasure = MeasuresJson["measures"][number];

/** By the text of their selector. */
export type ReadMeasures = ReadonlyMap<string, readonly SelectedMeasure[]>;

/** Reads what limits are about. Throws what `LoadTestReader.measures` throws. */
export async function readMeasures(
  reader: Pick<LoadTestReader, "measures">,
  { loadTestId, range }: Pick<SelectedPart, "loadTestId" | "range">,
  limits: readonly Limit[],
): Promise<ReadMeasures> {
  const found = new Map<string, readonly SelectedMeasure[]>();
  const selecting = limits.filter(({ selector }) => selector !== undefined);
  const yielder = new Yielder();
  for (const [text, own] of Map.groupBy(selecting, selectorOf)) {
    const percents = [...new Set(own.flatMap(({ figure }) => percentIn(figure) ?? []))];
    const query = { loadTestId, range, selector: own[0]?.selector, percents };
    found.set(text, (await reader.measures(query)).measures);
    await yielder.pass();
  }
  return found;
}

/** The text of its selector; empty without one. */
export function selectorOf({ selector }: Pick<Limit, "selector">): string {
  return selector === undefined ? "" : selectorText(selector);
}

/** Compares what limits on growth select, by the text of their selector. Throws what `LoadTestReader.compare` throws. */
export async function compareEach(
  reader: Pick<LoadTestReader, "compare">,
  parts: Pick<CompareQuery, "base" | "later">,
  limits: readonly Limit[],
): Promise<ReadonlyMap<string, LoadTestComparison>> {
  const found = new Map<string, LoadTestComparison>();
  for (const limit of limits) {
    const { kind, selector } = limit;
    const text = selectorOf(limit);
    if (kind !== "growth" || selector === undefined || found.has(text)) continue;
    found.set(text, await reader.compare({ ...parts, selector }));
  }
  return found;
}

/** What a comparison has of a statistic; `undefined` if it does not have it. Of a rate, `avg` and `rate` are the same. */
export function comparedStatistic(
  figure: LimitedFigure,
  row: ComparedMeasure,
): Comparison | undefined {
  if (figure === "avg" || (figure === "rate" && row.kind === "rate")) return row.mean;
  const { rate, p50, p95, p99, max } = row;
  return new Map<LimitedFigure, Comparison | undefined>(
    Object.entries({ rate, p50, p95, p99, max }) as [LimitedFigure, Comparison | undefined][],
  ).get(figure);
}

function percentIn(figure: LimitedFigure): number | undefined {
  return /^p\d/.test(figure) ? Number(figure.slice(1)) : undefined;
}

/**
 * Returns a limit for each series that a selector keeps apart, or finds under a name; the limit itself for one or none. Of growth also for those that
 * only the base has.
 */
export function limitPerSeries(
  limit: Limit,
  measures: ReadMeasures,
  ofBase: ReadMeasures = new Map(),
): readonly Limit[] {
  const { kind, selector, text } = limit;
  const later = measures.get(selectorOf(limit)) ?? [];
  const keys = new Set(later.map(measureKey));
  const before = (kind === "growth" && ofBase.get(selectorOf(limit))) || [];
  const found = [...later, ...before.filter((each) => !keys.has(measureKey(each)))];
  if (selector === undefined || found.length === 0) return [limit];
  if (found.length === 1 && selector.by.length === 0) return [limit];
  const condition = text.slice(text.lastIndexOf(":") + 1).trim();
  return found.map((each) => {
    const own = { ...selector, name: each.name, by: [], matches: matchesOf(selector, each) };
    const series = { series: measureKey(each), text: `measure ${selectorText(own)}: ${condition}` };
    return { ...limit, ...series };
  });
}

function matchesOf({ matches, by }: MeasureSelector, each: SelectedMeasure) {
  const apart = by.map((tag) => {
    const label = tag === ENDPOINT_TAG ? (each.endpoint?.label ?? "") : "";
    return { tag, value: each.tags[tag] ?? label, isNot: false };
  });
  return [...matches, ...apart];
}

/** The series that a limit is about; `undefined` if there is none. */
export function measureOf(
  { selector, series }: Limit,
  measures: ReadMeasures,
): SelectedMeasure | undefined {
  const found = measures.get(selectorOf({ selector })) ?? [];
  return series === undefined ? found[0] : found.find((each) => measureKey(each) === series);
}

/** The statistic of a limit, in its unit; `undefined` if it is not known. */
export function statisticOf(
  { figure, unit }: Pick<Limit, "figure" | "unit">,
  measure: SelectedMeasure,
): number | undefined {
  const value = measure.count === 0 ? undefined : valueOf(figure, measure);
  const divisor = divisorOf(unit, figure, measure);
  return value === undefined || divisor === undefined ? undefined : value / divisor;
}

function valueOf(figure: LimitedFigure, measure: SelectedMeasure): number | undefined {
  const { kind, mean, rate, percentiles } = measure;
  if (figure === "avg" || (figure === "rate" && kind === "rate")) return mean;
  if (figure === "rate") return rate;
  if (percentIn(figure) !== undefined) return percentiles?.[figure];
  return measure[figure as "min" | "max" | "sum" | "count" | "last"];
}

const PER_SECOND: Readonly<Record<string, number>> = {
  s: 1,
  ms: 1e3,
  us: 1e6,
  ns: 1e9,
  min: 1 / 60,
};

/**
 * To the unit of a limit from that of a measure; `undefined` if it is of another quantity. Quotients are the numbers nearest to what is written:
 * 95 times 0.01 is more than 0.95.
 */
export function divisorOf(
  to: LimitUnit,
  figure: LimitedFigure,
  { unit, kind }: Pick<SelectedMeasure, "unit" | "kind">,
): number | undefined {
  if (to === "count") return 1;
  if (to === "perSecond") return figure === "rate" && kind !== "rate" ? 1 : undefined;
  if (to === "seconds") return PER_SECOND[unit];
  if (kind === "rate" || unit === "" || unit === "1") return 1;
  return unit === "%" ? 100 : undefined;
}

export function checkMeasure(limit: Limit, measures: ReadMeasures): Omit<CheckedLimit, "quality"> {
  const measure = measureOf(limit, measures);
  if (measure === undefined) return { limit, outcome: "unmeasured" };
  const measured = statisticOf(limit, measure);
  if (measured === undefined) return { limit, outcome: "notEvaluated" };
  const [isLeast, isMost] = possibleIn(limit, measure, measured).map((each) =>
    isBeyond(each, limit),
  );
  const outcome = isLeast && isMost ? "broken" : "kept";
  return { limit, measured, outcome, isWithinPrecision: isLeast !== isMost };
}

/** A percentile may be any value of its bucket. */
function possibleIn(limit: Limit, measure: SelectedMeasure, measured: number): Bounds {
  const { figure, unit } = limit;
  const value = valueOf(figure, measure);
  if (percentIn(figure) === undefined || value === undefined) return [measured, measured];
  const divisor = divisorOf(unit, figure, measure) ?? 1;
  const { min = -Infinity, max = Infinity } = measure;
  const { least, most } = possibleValuesOf(value);
  return [Math.max(min, least) / divisor, Math.min(max, most) / divisor];
}
