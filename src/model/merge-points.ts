/**
 * Merging data points: the one operation that every coarser view is made of. Sums add up, extremes
 * take the extreme, histograms add bucket by bucket; so merging is associative and commutative.
 */

import type { DataPoints, DistributionColumns, SumColumns } from "./data-points.ts";
import { addExactly } from "./exact.ts";
import { MergedBuckets } from "./merged-buckets.ts";

/**
 * Merges parts in any order, points in any order and any number of times the same (endpoint,
 * second), into points sorted by (endpoint, second) without a pair twice. Throws `sum-too-large`.
 */
export function mergePoints(parts: readonly DataPoints[]): DataPoints {
  const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : concatenatePoints(parts);
  const groups = groupEqualKeys(all.second.length, (point) => endpointKey(all, point));
  if (groups === undefined) return inOneForm(all);
  return {
    endpoint: pickFirst(all.endpoint, groups),
    ...mergeSumGroups(all, groups),
    ...mergeDistributionGroups(all, groups),
  };
}

/** The same of sums alone. */
export function mergePointSums(
  parts: readonly (SumColumns & Pick<DataPoints, "endpoint">)[],
): SumColumns & Pick<DataPoints, "endpoint"> {
  const endpoint = concatenate(Uint32Array, parts, (part) => part.endpoint);
  const all = { endpoint, ...concatenateSums(parts) };
  const groups = groupEqualKeys(all.second.length, (point) => endpointKey(all, point));
  if (groups === undefined) return inOneForm(all);
  return { endpoint: pickFirst(endpoint, groups), ...mergeSumGroups(all, groups) };
}

/** The same for parts of one endpoint's series, sums alone. */
export function mergeSums(parts: readonly SumColumns[]): SumColumns {
  const all = parts.length === 1 && parts[0] !== undefined ? parts[0] : concatenateSums(parts);
  const groups = groupEqualKeys(all.second.length, (point) => all.second[point] as number);
  return groups === undefined ? inOneForm(all) : mergeSumGroups(all, groups);
}

/** The same for parts of one endpoint's series, with their distributions. */
export function mergeSeries(
  parts: readonly (SumColumns & DistributionColumns)[],
): SumColumns & DistributionColumns {
  const all =
    parts.length === 1 && parts[0] !== undefined
      ? parts[0]
      : { ...concatenateSums(parts), ...concatenateDistributions(parts) };
  const groups = groupEqualKeys(all.second.length, (point) => all.second[point] as number);
  if (groups === undefined) return inOneForm(all);
  return { ...mergeSumGroups(all, groups), ...mergeDistributionGroups(all, groups) };
}

function endpointKey({ endpoint, second }: Pick<DataPoints, "endpoint" | "second">, point: number) {
  return (endpoint[point] as number) * 2 ** 32 + (second[point] as number);
}

/** Keys within a range of at most so many times their number are sorted by counting. */
const DENSE_FACTOR = 4;

/** Points sorted by key, cut where the key changes: group g is `order[from[g]]` to `[from[g+1]]`. */
interface Groups {
  readonly order: Uint32Array;
  readonly from: Uint32Array;
  readonly count: number;
}

/** `undefined` where the points are sorted and distinct already: the usual case, worth its check. */
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

/** The points by key, ascending; equal keys in the order they had. */
function orderOf(keys: Float64Array): Uint32Array {
  return (
    countingOrder(keys) ??
    orderByHalves(keys) ??
    Uint32Array.from(keys.keys()).toSorted(
      (left, right) => (keys[left] as number) - (keys[right] as number) || left - right,
    )
  );
}

/** Sorts by second, then by endpoint, where both are dense though pairs of them are not. */
function orderByHalves(keys: Float64Array): Uint32Array | undefined {
  const high = keys.map((key) => Math.floor(key / 2 ** 32));
  const low = keys.map((key, point) => key - (high[point] as number) * 2 ** 32);
  const byLow = countingOrder(low);
  return byLow && countingOrder(high, byLow);
}

/**
 * Sorts by counting, many times as fast; equal keys stay in the order `before`. `undefined` where the
 * keys are too far apart for it.
 */
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
  return {
    second: pickFirst(all.second, groups),
    requests: addUp(all.requests, groups),
    elapsedMicros: addUp(all.elapsedMicros, groups),
    receivedBytes: addUp(all.receivedBytes, groups),
    failedRequests: addUp(all.failedRequests, groups),
    failedElapsedMicros: addUp(all.failedElapsedMicros, groups),
    failedReceivedBytes: addUp(all.failedReceivedBytes, groups),
    ...(isWindowed(all) ? longestWindows(all.windowSeconds, groups) : {}),
  };
}

/** The same points, without the column of windows where none is longer than a second. */
export function inOneForm<Columns extends SumColumns>(all: Columns): Columns {
  if (!("windowSeconds" in all) || isWindowed(all)) return all;
  const { windowSeconds: _, ...rest } = all;
  return rest as Columns;
}

function isWindowed(all: SumColumns): all is SumColumns & { readonly windowSeconds: Uint16Array } {
  return all.windowSeconds?.some((seconds) => seconds !== 1) ?? false;
}

function longestWindows(
  windowSeconds: Uint16Array,
  groups: Groups,
): Pick<SumColumns, "windowSeconds"> {
  const longest = reduceGroups(Float64Array.from(windowSeconds), groups, Math.max);
  return { windowSeconds: Uint16Array.from(longest) };
}

function addUp(column: Float64Array, groups: Groups): Float64Array {
  return reduceGroups(column, groups, addExactly);
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
    // Most points meet no other one: to copy them takes a tenth of the time.
    if (end - first === 1) merged.copy(order[first] as number);
    else merged.merge(order, first, end);
  }
  bucketsFrom[count] = merged.used;
  return {
    minMicros: reduceGroups(all.minMicros, groups, Math.min),
    maxMicros: reduceGroups(all.maxMicros, groups, Math.max),
    bucketsFrom,
    ...merged.seal(),
  };
}

function concatenatePoints(parts: readonly DataPoints[]): DataPoints {
  return {
    endpoint: concatenate(Uint32Array, parts, (part) => part.endpoint),
    ...concatenateSums(parts),
    ...concatenateDistributions(parts),
  };
}

function concatenateSums(parts: readonly SumColumns[]): SumColumns {
  return {
    second: concatenate(Uint32Array, parts, (part) => part.second),
    requests: concatenate(Float64Array, parts, (part) => part.requests),
    elapsedMicros: concatenate(Float64Array, parts, (part) => part.elapsedMicros),
    receivedBytes: concatenate(Float64Array, parts, (part) => part.receivedBytes),
    failedRequests: concatenate(Float64Array, parts, (part) => part.failedRequests),
    failedElapsedMicros: concatenate(Float64Array, parts, (part) => part.failedElapsedMicros),
    failedReceivedBytes: concatenate(Float64Array, parts, (part) => part.failedReceivedBytes),
    ...concatenateWindows(parts),
  };
}

function concatenateWindows(parts: readonly SumColumns[]): Pick<SumColumns, "windowSeconds"> {
  if (parts.every((part) => part.windowSeconds === undefined)) return {};
  const windowSeconds = concatenate(
    Uint16Array,
    parts,
    (part) => part.windowSeconds ?? new Uint16Array(part.second.length).fill(1),
  );
  return { windowSeconds };
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

type Column = Uint16Array | Uint32Array | Float64Array;

function concatenate<Kind extends Column, Part>(
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
