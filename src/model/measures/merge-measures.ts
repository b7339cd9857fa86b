import { addExactly } from "../exact.ts";
import { compareLabels } from "../label.ts";
import { groupRows, type RowGroups } from "../row-groups.ts";
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
import { VALUE_BUCKETS } from "./value-buckets.ts";

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
    sums: mergeSums(parts, numbers),
    gauges: mergeGauges(parts, numbers),
    histograms: mergeHistograms(parts, numbers),
    unstored: addUnstored(parts.map(({ unstored }) => unstored)),
  };
}

function isMerged({ series, sums, gauges, histograms }: MeasureTable): boolean {
  return (
    series.every(
      (each, at) => at === 0 || compareSeries(series[at - 1] as MeasureSeries, each) < 0,
    ) &&
    numbersIn(sums.series).size === series.length &&
    areAscending(sums.series, sums.second) &&
    areAscending(gauges.series, gauges.second) &&
    areAscending(histograms.series, histograms.minute)
  );
}

function areAscending(series: Uint32Array, time: Uint32Array): boolean {
  for (let row = 1; row < series.length; row++) {
    const [number, before] = [series[row] as number, series[row - 1] as number];
    if (number < before) return false;
    if (number === before && (time[row] as number) <= (time[row - 1] as number)) return false;
  }
  return true;
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

/** Unambiguous text of a series. */
export function keyOfSeries({ label, name, unit, kind, tags }: MeasureSeries): string {
  return JSON.stringify([label ?? -1, name, unit, kind, tags]);
}

export function addUnstored(parts: readonly UnstoredValues[]): UnstoredValues {
  const sums = UNSTORED_REASONS.map((reason) => [
    reason,
    parts.reduce((sum, part) => addExactly(sum, part[reason]), 0),
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
  const keys = parts.map((part) => part.series.map(keyOfSeries));
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

/** Rows of the parts one after the other. */
interface Joined {
  readonly series: Uint32Array;
  column(columnOf: (part: MeasureTable) => ArrayLike<number>): Float64Array;
  seconds(columnOf: (part: MeasureTable) => Uint32Array): Uint32Array;
}

function join(
  parts: readonly MeasureTable[],
  numbers: Renumbering,
  seriesOf: (part: MeasureTable) => Uint32Array,
): Joined {
  const rows = parts.reduce((sum, part) => sum + seriesOf(part).length, 0);
  const fill = <Column extends Uint32Array | Float64Array>(
    column: Column,
    columnOf: (part: MeasureTable) => ArrayLike<number>,
  ): Column => {
    let at = 0;
    for (const part of parts) {
      const own = columnOf(part);
      column.set(own, at);
      at += own.length;
    }
    return column;
  };
  const series = new Uint32Array(rows);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    for (const number of seriesOf(part)) series[at++] = numbers[index]?.[number] ?? 0;
  }
  return {
    series,
    column: (columnOf) => fill(new Float64Array(rows), columnOf),
    seconds: (columnOf) => fill(new Uint32Array(rows), columnOf),
  };
}

function mergeSums(parts: readonly MeasureTable[], numbers: Renumbering): MeasureSums {
  const joined = join(parts, numbers, ({ sums }) => sums.series);
  const second = joined.seconds(({ sums }) => sums.second);
  const millions = joined.column(({ sums }) => sums.sumMillions);
  const nanos = joined.column(({ sums }) => sums.sumNanos);
  const groups = groupRows([joined.series, second]);
  const summed = {
    sumMillions: new Float64Array(groups.length),
    sumNanos: new Float64Array(groups.length),
  };
  groups.forEachRow((group, row) => {
    addDecimal(summed, group, millions[row] as number, nanos[row] as number);
  });
  return {
    series: groups.first(joined.series),
    second: groups.first(second),
    count: groups.reduce(
      joined.column(({ sums }) => sums.count),
      addExactly,
    ),
    ...summed,
  };
}

function mergeGauges(parts: readonly MeasureTable[], numbers: Renumbering): GaugeColumns {
  const joined = join(parts, numbers, ({ gauges }) => gauges.series);
  const second = joined.seconds(({ gauges }) => gauges.second);
  const last = joined.column(({ gauges }) => gauges.last);
  const atMillis = joined.seconds(({ gauges }) => gauges.lastAtMillis);
  const groups = groupRows([joined.series, second]);
  const latest = new Uint32Array(groups.length);
  let begun = -1;
  groups.forEachRow((group, row) => {
    const best = latest[group] as number;
    const later = (atMillis[row] as number) - (atMillis[best] as number);
    const isBetter = (later || (last[row] as number) - (last[best] as number)) > 0;
    if (group !== begun || isBetter) latest[group] = row;
    begun = group;
  });
  const extreme = (name: "min" | "max") =>
    groups.reduce(
      joined.column(({ gauges }) => gauges[name]),
      Math[name],
    );
  return {
    series: groups.first(joined.series),
    second: groups.first(second),
    min: extreme("min"),
    max: extreme("max"),
    last: Float64Array.from(latest, (row) => last[row] as number),
    lastAtMillis: latest.map((row) => atMillis[row] as number),
  };
}

function mergeHistograms(parts: readonly MeasureTable[], numbers: Renumbering): MeasureHistograms {
  const joined = join(parts, numbers, ({ histograms }) => histograms.series);
  const minute = joined.seconds(({ histograms }) => histograms.minute);
  const groups = groupRows([joined.series, minute]);
  const extreme = (name: "min" | "max") =>
    groups.reduce(
      joined.column(({ histograms }) => histograms[name]),
      Math[name],
    );
  return {
    series: groups.first(joined.series),
    minute: groups.first(minute),
    min: extreme("min"),
    max: extreme("max"),
    ...mergeBuckets(parts, groups),
  };
}

/** Merge buffer by bucket; all 0 before and after. */
const COUNTS = new Float64Array(VALUE_BUCKETS);

function mergeBuckets(
  parts: readonly MeasureTable[],
  groups: RowGroups,
): Pick<MeasureHistograms, "bucketsFrom" | "bucket" | "bucketCount"> {
  const joined = joinBuckets(parts);
  const bucketsFrom = new Uint32Array(groups.length + 1);
  const bucket = new Uint16Array(joined.bucket.length);
  const bucketCount = new Float64Array(joined.bucket.length);
  let [used, begun, lowest, highest] = [0, 0, VALUE_BUCKETS, -1];
  const close = (group: number) => {
    for (let number = lowest; number <= highest; number++) {
      if (COUNTS[number] === 0) continue;
      bucket[used] = number;
      bucketCount[used++] = COUNTS[number] as number;
    }
    COUNTS.fill(0, lowest, highest + 1);
    [lowest, highest, begun] = [VALUE_BUCKETS, -1, group];
    bucketsFrom[group] = used;
  };
  try {
    groups.forEachRow((group, row) => {
      if (group !== begun) close(group);
      const until = joined.bucketsFrom[row + 1] as number;
      for (let entry = joined.bucketsFrom[row] as number; entry < until; entry++) {
        const number = joined.bucket[entry] as number;
        if (number < lowest) lowest = number;
        if (number > highest) highest = number;
        COUNTS[number] = addExactly(COUNTS[number] as number, joined.bucketCount[entry] as number);
      }
    });
    close(groups.length);
  } finally {
    COUNTS.fill(0, lowest, highest + 1);
  }
  return { bucketsFrom, bucket: bucket.slice(0, used), bucketCount: bucketCount.slice(0, used) };
}

function joinBuckets(
  parts: readonly MeasureTable[],
): Pick<MeasureHistograms, "bucketsFrom" | "bucket" | "bucketCount"> {
  const rows = parts.reduce((sum, { histograms }) => sum + histograms.series.length, 0);
  const entries = parts.reduce((sum, { histograms }) => sum + histograms.bucket.length, 0);
  const bucketsFrom = new Uint32Array(rows + 1);
  const bucket = new Uint16Array(entries);
  const bucketCount = new Float64Array(entries);
  let [row, entry] = [0, 0];
  for (const { histograms } of parts) {
    const { series } = histograms;
    for (let own = 1; own <= series.length; own++) {
      bucketsFrom[++row] = entry + (histograms.bucketsFrom[own] as number);
    }
    bucket.set(histograms.bucket, entry);
    bucketCount.set(histograms.bucketCount, entry);
    entry += histograms.bucket.length;
  }
  return { bucketsFrom, bucket, bucketCount };
}
