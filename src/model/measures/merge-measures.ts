import { addExactly } from "../exact.ts";
import { compareLabels } from "../label.ts";
import {
  areGrouped,
  concatenate,
  concatenateBuckets,
  groupRows,
  mergeBuckets,
  type RowGroups,
} from "../row-groups.ts";
import { addDecimal } from "./decimal-sum.ts";
import {
  type GaugeColumns,
  MEASURE_KINDS,
  type MeasureHistograms,
  type MeasureSeries,
  type MeasureSums,
  type MeasureTable,
  UNSTORED_REASONS,
  type UnstoredValues,
} from "./measure-table.ts";

/**
 * Merges tables whose series may repeat and whose rows may be unsorted and repeated. Series are used, unique, and ascending
 * by label (`undefined` first), name, unit, kind and tags. Throws `sum-too-large`.
 */
export function mergeMeasures(parts: readonly MeasureTable[]): MeasureTable {
  const [only, another] = parts;
  if (only !== undefined && another === undefined && isMerged(only)) return only;
  const { series, numbers } = uniteSeries(parts);
  return {
    series,
    sums: mergeSums(
      parts.map(({ sums }) => sums),
      numbers,
    ),
    gauges: mergeGauges(
      parts.map(({ gauges }) => gauges),
      numbers,
    ),
    histograms: mergeHistograms(
      parts.map(({ histograms }) => histograms),
      numbers,
    ),
    unstored: addUnstored(parts.map(({ unstored }) => unstored)),
  };
}

function isMerged({ series, sums, gauges, histograms }: MeasureTable): boolean {
  return (
    series.every(
      (each, at) => at === 0 || compareSeries(series[at - 1] as MeasureSeries, each) < 0,
    ) &&
    numbersIn(sums.series).size === series.length &&
    areGrouped([sums.series, sums.second]) &&
    areGrouped([gauges.series, gauges.second]) &&
    areGrouped([histograms.series, histograms.minute])
  );
}

/** By label (`undefined` first), name, unit, kind and tags. */
export function compareSeries(left: MeasureSeries, right: MeasureSeries): number {
  return (
    (left.label ?? -1) - (right.label ?? -1) ||
    compareLabels(left.name, right.name) ||
    compareLabels(left.unit, right.unit) ||
    MEASURE_KINDS.indexOf(left.kind) - MEASURE_KINDS.indexOf(right.kind) ||
    compareTags(left.tags, right.tags)
  );
}

export function keyOfSeries({ label, name, unit, kind, tags }: MeasureSeries): string {
  return JSON.stringify([label ?? -1, name, unit, kind, tags]);
}

/** Stops counting at 2^53 - 1: an exact count matters less than being able to read the rest of the run. */
export function addUnstored(parts: readonly UnstoredValues[]): UnstoredValues {
  const most = Number.MAX_SAFE_INTEGER;
  const sums = UNSTORED_REASONS.map((reason) => [
    reason,
    parts.reduce((sum, part) => Math.min(sum + part[reason], most), 0),
  ]);
  return Object.fromEntries(sums) as UnstoredValues;
}

function compareTags(left: MeasureSeries["tags"], right: MeasureSeries["tags"]): number {
  for (const [index, [name, value]] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareLabels(name, other[0]) || compareLabels(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** New numbers of the series of each part, by their old ones. */
type Renumbering = readonly Uint32Array[];

function uniteSeries(parts: readonly MeasureTable[]): {
  readonly series: readonly MeasureSeries[];
  readonly numbers: Renumbering;
} {
  const known = new Map<MeasureTable["series"], readonly string[]>();
  const keys = parts.map(({ series }) => {
    const own = known.get(series) ?? series.map(keyOfSeries);
    known.set(series, own);
    return own;
  });
  const used = new Map<string, MeasureSeries>();
  for (const [index, part] of parts.entries()) {
    for (const number of numbersIn(part.sums.series)) {
      const series = part.series[number];
      const key = keys[index]?.[number];
      if (series === undefined || key === undefined) {
        throw new Error(`BUG: measures have series ${number} of ${part.series.length}`);
      }
      used.set(key, series);
    }
  }
  const sorted = [...used].toSorted(([, left], [, right]) => compareSeries(left, right));
  const numberOf = new Map(sorted.map(([key], number) => [key, number]));
  return {
    series: sorted.map(([, series]) => series),
    numbers: keys.map((own) => Uint32Array.from(own, (key) => numberOf.get(key) ?? 0)),
  };
}

/** Rows of a series usually follow each other. */
function numbersIn(column: Uint32Array): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (let row = 0; row < column.length; row++) {
    if (row === 0 || column[row] !== column[row - 1]) numbers.add(column[row] as number);
  }
  return numbers;
}

/** New numbers of series, of all parts. */
function seriesOf(parts: readonly { readonly series: Uint32Array }[], numbers: Renumbering) {
  return concatenate(Uint32Array, parts, ({ series }, part) =>
    series.map((number) => numbers[part]?.[number] ?? 0),
  );
}

function mergeSums(parts: readonly MeasureSums[], numbers: Renumbering): MeasureSums {
  const series = seriesOf(parts, numbers);
  const second = concatenate(Uint32Array, parts, (part) => part.second);
  const millions = concatenate(Float64Array, parts, (part) => part.sumMillions);
  const nanos = concatenate(Float64Array, parts, (part) => part.sumNanos);
  const count = concatenate(Float64Array, parts, (part) => part.count);
  const groups = groupRows([series, second]);
  const summed = {
    sumMillions: new Float64Array(groups.length),
    sumNanos: new Float64Array(groups.length),
  };
  groups.forEachRow((group, row) => {
    addDecimal(summed, group, millions[row] as number, nanos[row] as number);
  });
  return {
    series: groups.first(series),
    second: groups.first(second),
    count: groups.reduce(count, addExactly),
    ...summed,
  };
}

function mergeGauges(parts: readonly GaugeColumns[], numbers: Renumbering): GaugeColumns {
  const series = seriesOf(parts, numbers);
  const second = concatenate(Uint32Array, parts, (part) => part.second);
  const last = concatenate(Float64Array, parts, (part) => part.last);
  const atMillis = concatenate(Uint32Array, parts, (part) => part.lastAtMillis);
  const groups = groupRows([series, second]);
  const latest = new Uint32Array(groups.length);
  let current = -1;
  groups.forEachRow((group, row) => {
    const best = latest[group] as number;
    const later = (atMillis[row] as number) - (atMillis[best] as number);
    const isBetter = (later || (last[row] as number) - (last[best] as number)) > 0;
    if (group !== current || isBetter) latest[group] = row;
    current = group;
  });
  return {
    series: groups.first(series),
    second: groups.first(second),
    ...extremesOf(parts, groups),
    last: Float64Array.from(latest, (row) => last[row] as number),
    lastAtMillis: latest.map((row) => atMillis[row] as number),
  };
}

function mergeHistograms(
  parts: readonly MeasureHistograms[],
  numbers: Renumbering,
): MeasureHistograms {
  const series = seriesOf(parts, numbers);
  const minute = concatenate(Uint32Array, parts, (part) => part.minute);
  const groups = groupRows([series, minute]);
  return {
    series: groups.first(series),
    minute: groups.first(minute),
    ...extremesOf(parts, groups),
    ...mergeBuckets(concatenateBuckets(parts), groups),
  };
}

type Extremes = Pick<MeasureHistograms, "min" | "max">;

function extremesOf(parts: readonly Extremes[], groups: RowGroups): Extremes {
  const [min, max] = [
    concatenate(Float64Array, parts, (part) => part.min),
    concatenate(Float64Array, parts, (part) => part.max),
  ];
  return { min: groups.reduce(min, Math.min), max: groups.reduce(max, Math.max) };
}
