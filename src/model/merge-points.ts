/** Sums add, extremes take the extreme, histograms add by bucket: merging is associative and commutative. */

import type { DataPoints, DistributionColumns, OutcomeColumns, SumColumns } from "./data-points.ts";
import {
  mergeOf,
  newOptionalColumn,
  type NumberColumn,
  OPTIONAL_NAMES,
  SUM_NAMES,
  withoutDefaults,
} from "./columns.ts";
import { addExactly } from "./exact.ts";
import { MergedBuckets } from "./histogram.ts";
import { concatenateOutcomes, mergeOutcomes } from "./outcomes.ts";

/**
 * Merges parts in any order, with repeated (endpoint, second), into points sorted by (endpoint, second), unique.
 * Throws `sum-too-large`.
 */
export function mergePoints(parts: readonly DataPoints[]): DataPoints {
  const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : concatenatePoints(parts);
  const groups = groupEqualKeys(all.second.length, (point) => endpointKey(all, point));
  if (groups === undefined) return withoutDefaults(all);
  return { endpoint: pickFirst(all.endpoint, groups), ...mergeOutcomeGroups(all, groups) };
}

/** As `mergePoints`, sums only. */
export function mergePointSums(
  parts: readonly (SumColumns & Pick<DataPoints, "endpoint">)[],
): SumColumns & Pick<DataPoints, "endpoint"> {
  const endpoint = concatenate(Uint32Array, parts, (part) => part.endpoint);
  const all = { endpoint, ...concatenateSums(parts) };
  const groups = groupEqualKeys(all.second.length, (point) => endpointKey(all, point));
  if (groups === undefined) return withoutDefaults(all);
  return { endpoint: pickFirst(endpoint, groups), ...mergeSumGroups(all, groups) };
}

/** Merges parts of one endpoint's series, sums only. */
export function mergeSums(parts: readonly SumColumns[]): SumColumns {
  const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : concatenateSums(parts);
  const groups = groupEqualKeys(all.second.length, (point) => all.second[point] as number);
  return groups === undefined ? withoutDefaults(all) : mergeSumGroups(all, groups);
}

/** Merges parts of one endpoint's series with their distributions. */
export function mergeSeries(
  parts: readonly (SumColumns & DistributionColumns)[],
): SumColumns & DistributionColumns {
  const all =
    parts.length === 1 && parts[0] !== undefined
      ? parts[0]
      : { ...concatenateSums(parts), ...concatenateDistributions(parts) };
  const groups = groupEqualKeys(all.second.length, (point) => all.second[point] as number);
  if (groups === undefined) return withoutDefaults(all);
  return { ...mergeSumGroups(all, groups), ...mergeDistributionGroups(all, groups) };
}

/** As `mergeSeries`, with what is known of outcomes. */
export function mergeOutcomeSeries(parts: readonly OutcomeColumns[]): OutcomeColumns {
  const all = {
    ...concatenateSums(parts),
    ...concatenateDistributions(parts),
    ...outcomesIn(parts),
  };
  const groups = groupEqualKeys(all.second.length, (point) => all.second[point] as number);
  return groups === undefined ? withoutDefaults(all) : mergeOutcomeGroups(all, groups);
}

function outcomesIn(parts: readonly OutcomeColumns[]): Pick<OutcomeColumns, "outcomes"> {
  const outcomes = concatenateOutcomes(parts);
  return outcomes === undefined ? {} : { outcomes };
}

function mergeOutcomeGroups(all: OutcomeColumns, groups: Groups): OutcomeColumns {
  const merged = { ...mergeSumGroups(all, groups), ...mergeDistributionGroups(all, groups) };
  const outcomes = mergeOutcomes(all, groups, merged);
  return outcomes === undefined ? merged : { ...merged, outcomes };
}

function endpointKey({ endpoint, second }: Pick<DataPoints, "endpoint" | "second">, point: number) {
  return (endpoint[point] as number) * 2 ** 32 + (second[point] as number);
}

/** Keys within this many times their number are counting-sorted. */
const DENSE_FACTOR = 4;

/** Points sorted by key: group g is `order[from[g]]` to `order[from[g + 1]]`. */
interface Groups {
  readonly order: Uint32Array;
  readonly from: Uint32Array;
  readonly count: number;
}

/** `undefined` if the points are already sorted and unique, the usual case. */
function groupEqualKeys(count: number, keyOf: (point: number) => number): Groups | undefined {
  if (ascends(count, keyOf)) return undefined;
  const keys = new Float64Array(count);
  for (let point = 0; point < count; point++) keys[point] = keyOf(point);
  const order = orderOf(keys);
  const from = new Uint32Array(count + 1);
  let groups = 0;
  for (let rank = 0; rank < count; rank++) {
    if (rank === 0 || keys[order[rank] as number] !== keys[order[rank - 1] as number]) {
      from[groups++] = rank;
    }
  }
  from[groups] = count;
  return { order, from: from.subarray(0, groups + 1), count: groups };
}

/** Stable. */
function orderOf(keys: Float64Array): Uint32Array {
  return (
    countingOrder(keys) ??
    orderByHalves(keys) ??
    Uint32Array.from(keys.keys()).toSorted(
      (left, right) => (keys[left] as number) - (keys[right] as number) || left - right,
    )
  );
}

/** Sorts by second, then by endpoint, if both are dense. */
function orderByHalves(keys: Float64Array): Uint32Array | undefined {
  const high = keys.map((key) => Math.floor(key / 2 ** 32));
  const low = keys.map((key, point) => key - (high[point] as number) * 2 ** 32);
  const byLow = countingOrder(low);
  return byLow && countingOrder(high, byLow);
}

/** Stable counting sort; `undefined` if the keys are too sparse. */
function countingOrder(keys: Float64Array, before?: Uint32Array): Uint32Array | undefined {
  let [least, greatest] = [Infinity, -Infinity];
  for (const key of keys) {
    if (key < least) least = key;
    if (key > greatest) greatest = key;
  }
  const range = greatest - least + 1;
  if (range > DENSE_FACTOR * keys.length) return undefined;
  const next = new Uint32Array(range + 1);
  for (const key of keys) next[key - least + 1] = (next[key - least + 1] as number) + 1;
  for (let key = 1; key < range; key++) {
    next[key] = (next[key] as number) + (next[key - 1] as number);
  }
  const order = new Uint32Array(keys.length);
  for (let rank = 0; rank < keys.length; rank++) {
    const point = before === undefined ? rank : (before[rank] as number);
    const key = (keys[point] as number) - least;
    order[next[key] as number] = point;
    next[key] = (next[key] as number) + 1;
  }
  return order;
}

function ascends(count: number, keyOf: (point: number) => number): boolean {
  let last = -1;
  for (let point = 0; point < count; point++) {
    const key = keyOf(point);
    if (key <= last) return false;
    last = key;
  }
  return true;
}

function pickFirst(column: Uint32Array, groups: Groups): Uint32Array {
  const picked = new Uint32Array(groups.count);
  for (let group = 0; group < groups.count; group++) {
    picked[group] = column[groups.order[groups.from[group] as number] as number] as number;
  }
  return picked;
}

function mergeSumGroups(all: SumColumns, groups: Groups): SumColumns {
  const merged: Record<string, NumberColumn> = { second: pickFirst(all.second, groups) };
  for (const name of SUM_NAMES) merged[name] = reduceGroups(all[name], groups, addExactly);
  for (const name of OPTIONAL_NAMES) {
    const column = all[name];
    if (column === undefined) continue;
    const reduced = reduceGroups(Float64Array.from(column), groups, mergeOf(name));
    merged[name] = name === "windowSeconds" ? Uint16Array.from(reduced) : reduced;
  }
  return withoutDefaults(merged as unknown as SumColumns);
}

function reduceGroups(
  column: Float64Array,
  groups: Groups,
  combine: (left: number, right: number) => number,
): Float64Array {
  const { order, from, count } = groups;
  const reduced = new Float64Array(count);
  for (let group = 0; group < count; group++) {
    const end = from[group + 1] as number;
    let value = column[order[from[group] as number] as number] as number;
    for (let rank = (from[group] as number) + 1; rank < end; rank++) {
      value = combine(value, column[order[rank] as number] as number);
    }
    reduced[group] = value;
  }
  return reduced;
}

function mergeDistributionGroups(all: DistributionColumns, groups: Groups): DistributionColumns {
  const { order, from, count } = groups;
  const bucketsFrom = new Uint32Array(count + 1);
  const merged = new MergedBuckets(all);
  for (let group = 0; group < count; group++) {
    bucketsFrom[group] = merged.used;
    const [first, end] = [from[group] as number, from[group + 1] as number];
    // Most points merge with no other: copying takes a tenth of the time.
    if (end - first === 1) merged.copy(order[first] as number);
    else merged.merge(order, first, end);
  }
  bucketsFrom[count] = merged.used;
  return {
    minMicros: reduceGroups(all.minMicros, groups, Math.min),
    maxMicros: reduceGroups(all.maxMicros, groups, Math.max),
    bucketsFrom,
    ...merged.compact(),
  };
}

function concatenatePoints(parts: readonly DataPoints[]): DataPoints {
  return {
    endpoint: concatenate(Uint32Array, parts, (part) => part.endpoint),
    ...concatenateSums(parts),
    ...concatenateDistributions(parts),
    ...outcomesIn(parts),
  };
}

function concatenateSums(parts: readonly SumColumns[]): SumColumns {
  const whole: Record<string, NumberColumn> = {
    second: concatenate(Uint32Array, parts, (part) => part.second),
  };
  for (const name of SUM_NAMES) {
    whole[name] = concatenate(Float64Array, parts, (part) => part[name]);
  }
  for (const name of OPTIONAL_NAMES) {
    if (parts.every((part) => part[name] === undefined)) continue;
    const empty = newOptionalColumn(name, 0);
    const kind = empty.constructor as new (length: number) => Uint16Array | Float64Array;
    whole[name] = concatenate(
      kind,
      parts,
      (part) => part[name] ?? newOptionalColumn(name, part.second.length),
    );
  }
  return whole as unknown as SumColumns;
}

function concatenateDistributions(parts: readonly DistributionColumns[]): DistributionColumns {
  const points = parts.reduce((sum, part) => sum + part.minMicros.length, 0);
  const bucketsFrom = new Uint32Array(points + 1);
  let point = 0;
  let shift = 0;
  for (const part of parts) {
    for (let own = 0; own < part.minMicros.length; own++) {
      bucketsFrom[point++] = (part.bucketsFrom[own] as number) + shift;
    }
    shift += part.bucket.length;
  }
  bucketsFrom[points] = shift;
  return {
    minMicros: concatenate(Float64Array, parts, (part) => part.minMicros),
    maxMicros: concatenate(Float64Array, parts, (part) => part.maxMicros),
    bucketsFrom,
    bucket: concatenate(Uint16Array, parts, (part) => part.bucket),
    bucketCount: concatenate(Float64Array, parts, (part) => part.bucketCount),
  };
}

function concatenate<Kind extends NumberColumn, Part>(
  kind: new (length: number) => Kind,
  parts: readonly Part[],
  columnOf: (part: Part) => Kind,
): Kind {
  const length = parts.reduce((sum, part) => sum + columnOf(part).length, 0);
  const whole = new kind(length);
  let at = 0;
  for (const part of parts) {
    whole.set(columnOf(part), at);
    at += columnOf(part).length;
  }
  return whole;
}
