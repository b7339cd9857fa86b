/** The columns of a data point. Copying, joining and merging iterate over these lists. */

import type { DataPoints, DistributionColumns, OutcomeColumns, SumColumns } from "./data-points.ts";
import { addExactly } from "./exact.ts";
import { moveOutcomes, sliceOutcomes } from "./outcomes.ts";

export type NumberColumn = Uint16Array | Uint32Array | Float64Array;

/** A copy of a column with room for `length` elements, and for twice as many as before. */
export function grown<Column extends NumberColumn | Uint8Array | Int32Array>(
  column: Column,
  length: number,
): Column {
  const Kind = column.constructor as new (length: number) => Column;
  const larger = new Kind(Math.max(length, column.length * 2));
  larger.set(column);
  return larger;
}

/** In storage and wire order. */
export const SUM_NAMES = [
  "requests",
  "elapsedMicros",
  "receivedBytes",
  "failedRequests",
  "failedElapsedMicros",
  "failedReceivedBytes",
] as const;

export type SumName = (typeof SUM_NAMES)[number];

/** Absent where every point has the default. In storage and wire order. */
export const OPTIONAL_NAMES = [
  "windowSeconds",
  "untimedRequests",
  "untimedFailedRequests",
] as const;

export type OptionalName = (typeof OPTIONAL_NAMES)[number];

const OPTIONAL = {
  windowSeconds: { fallback: 1, Column: Uint16Array, merge: Math.max },
  untimedRequests: { fallback: 0, Column: Float64Array, merge: addExactly },
  untimedFailedRequests: { fallback: 0, Column: Float64Array, merge: addExactly },
} as const;

/** How values of the same endpoint and second merge. */
export function mergeOf(name: OptionalName): (left: number, right: number) => number {
  return OPTIONAL[name].merge;
}

export function newOptionalColumn(name: OptionalName, points: number): Uint16Array | Float64Array {
  return new OPTIONAL[name].Column(points).fill(OPTIONAL[name].fallback);
}

export function optionalNamesOf(columns: SumColumns): readonly OptionalName[] {
  return OPTIONAL_NAMES.filter((name) => columns[name] !== undefined);
}

export function mapSums(
  columns: SumColumns,
  map: <Column extends NumberColumn>(column: Column) => Column,
): SumColumns {
  const mapped: Partial<Record<"second" | SumName | OptionalName, NumberColumn>> = {};
  for (const name of ["second", ...SUM_NAMES, ...OPTIONAL_NAMES] as const) {
    const column = columns[name];
    if (column !== undefined) mapped[name] = map<NumberColumn>(column);
  }
  return mapped as SumColumns;
}

/** Drops optional columns in which every point has the default. */
export function withoutDefaults<Columns extends SumColumns>(columns: Columns): Columns {
  const idle = OPTIONAL_NAMES.filter(
    (name) =>
      name in columns &&
      !(columns[name]?.some((value) => value !== OPTIONAL[name].fallback) ?? false),
  );
  if (idle.length === 0) return columns;
  return Object.fromEntries(
    Object.entries(columns).filter(([name]) => !idle.some((each) => each === name)),
  ) as Columns;
}

/** Seconds of the longest point. */
export function longestPoint(windowSeconds: Iterable<number> | undefined): number {
  let longest = 1;
  for (const seconds of windowSeconds ?? []) longest = Math.max(longest, seconds);
  return longest;
}

/** The second after the last point: a long point may end after points that begin later. 0 without a known second. */
export function endOfPoints({
  second,
  windowSeconds,
}: {
  readonly second: Uint32Array;
  readonly windowSeconds?: Uint16Array | undefined;
}): number {
  return second.reduce(
    (end, from, at) => (from === 0 ? end : Math.max(end, from + (windowSeconds?.[at] ?? 1))),
    0,
  );
}

/** Sum of the rows `[from, until)`; 0 without a column. */
export function sumOf(
  column: Float64Array | undefined,
  from = 0,
  until = column?.length ?? 0,
): number {
  if (column === undefined) return 0;
  let sum = 0;
  for (let row = from; row < until; row++) sum += column[row] as number;
  return sum;
}

/** NaN without values. */
export function averageOf(values: Float64Array): number {
  return sumOf(values) / values.length;
}

export function medianOf(values: Float64Array): number | undefined {
  const sorted = values.length > FEW ? values.toSorted() : sortedFew(values);
  const middle = sorted.length / 2;
  const [lower, upper] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}

const FEW = 8;

/** In a tenth of the time of `toSorted`. */
function sortedFew(values: Float64Array): readonly number[] {
  const sorted: number[] = [];
  for (const value of values) {
    let at = sorted.length;
    for (; at > 0 && (sorted[at - 1] as number) > value; at--)
      sorted[at] = sorted[at - 1] as number;
    sorted[at] = value;
  }
  return sorted;
}

/** Sum of squared deviations from the average. */
export function squaresOf(values: Float64Array): number {
  const average = averageOf(values);
  return values.reduce((sum, value) => sum + (value - average) ** 2, 0);
}

/** Requests with a response time: the divisor of averages. */
export function timedRequestsOf({ requests, untimedRequests }: SumColumns): Float64Array {
  return without(requests, untimedRequests);
}

export function timedFailedRequestsOf(columns: SumColumns): Float64Array {
  return without(columns.failedRequests, columns.untimedFailedRequests);
}

/** Subtracts `some` from `all`, point by point; without `some`, it is `all` itself. */
export function without(all: Float64Array, some: Float64Array | undefined): Float64Array {
  return some === undefined ? all : all.map((count, point) => count - (some[point] as number));
}

/** Returns the first index of the range `[from, until)` with a value of at least `wanted`; `until` if there is none. */
export function lowerBound(
  ascending: ArrayLike<number>,
  wanted: number,
  { from, until } = { from: 0, until: ascending.length },
): number {
  let [low, high] = [from, until];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

const VALUE_BYTES = Float64Array.BYTES_PER_ELEMENT;
const POINT_BYTES = SUM_NAMES.length * VALUE_BYTES + Uint32Array.BYTES_PER_ELEMENT;

/** Arrays this small are on the heap of V8 and cheap. */
const POINTS_APART_MAX = 8;

/** Memory for the sums of one series at a time. Allocating it for each series takes longer than decoding the points. */
export class SumRoom {
  #memory: ArrayBuffer | undefined;

  /** Creates columns with default values: 0, or a window of one second. They overwrite those before. */
  open(points: number, optional: readonly OptionalName[]): SumColumns {
    const columns: Record<string, NumberColumn> =
      points > POINTS_APART_MAX ? this.#inOneBuffer(points) : apart(points);
    for (const name of optional) columns[name] = newOptionalColumn(name, points);
    return columns as unknown as SumColumns;
  }

  /** In a quarter of the time of separate buffers. */
  #inOneBuffer(points: number): Record<string, NumberColumn> {
    const memory = this.#cleared(points * POINT_BYTES);
    const columns: Record<string, NumberColumn> = {};
    for (const [index, name] of SUM_NAMES.entries()) {
      columns[name] = new Float64Array(memory, index * points * VALUE_BYTES, points);
    }
    columns["second"] = new Uint32Array(memory, SUM_NAMES.length * points * VALUE_BYTES, points);
    return columns;
  }

  #cleared(bytes: number): ArrayBuffer {
    if (this.#memory === undefined || this.#memory.byteLength < bytes) {
      this.#memory = new ArrayBuffer(bytes);
    } else {
      new Uint8Array(this.#memory, 0, bytes).fill(0);
    }
    return this.#memory;
  }
}

function apart(points: number): Record<string, NumberColumn> {
  const columns: Record<string, NumberColumn> = { second: new Uint32Array(points) };
  for (const name of SUM_NAMES) columns[name] = new Float64Array(points);
  return columns;
}

/** Yields consecutive parts of a list, of `size` items each but for the last one. */
export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Views of the rows `[from, until)` of columns with one value per row. */
export function viewRows<Columns extends object>(
  columns: Columns,
  from: number,
  until: number,
): Columns {
  const entries = Object.entries(columns as Record<string, NumberColumn>);
  const views = entries.map(([name, column]) => [name, column.subarray(from, until)]);
  return Object.fromEntries(views) as Columns;
}

/** Views of the points of a range, with adjusted bucket positions. */
export function viewSeries(points: OutcomeColumns, from: number, until: number): OutcomeColumns {
  const firstEntry = points.bucketsFrom[from] as number;
  const lastEntry = points.bucketsFrom[until] as number;
  const bucketsFrom = new Uint32Array(until - from + 1);
  for (let point = from; point <= until; point++) {
    bucketsFrom[point - from] = (points.bucketsFrom[point] as number) - firstEntry;
  }
  return {
    ...mapSums(points, (column) => column.subarray(from, until) as typeof column),
    minMicros: points.minMicros.subarray(from, until),
    maxMicros: points.maxMicros.subarray(from, until),
    bucketsFrom,
    bucket: points.bucket.subarray(firstEntry, lastEntry),
    bucketCount: points.bucketCount.subarray(firstEntry, lastEntry),
    ...(points.outcomes && { outcomes: sliceOutcomes(points.outcomes, from, until) }),
  };
}

/** Returns a view of the points of a series, ascending by second, within the range. */
export function spanOf(points: OutcomeColumns, range: SecondRange): OutcomeColumns {
  const from = lowerBound(points.second, range.from);
  return viewSeries(points, from, Math.max(from, lowerBound(points.second, range.until)));
}

interface EndpointSums extends SumColumns {
  readonly endpoint: Uint32Array;
}

/** Returns the sums of these points, in this order. */
export function pickSums(points: EndpointSums, wanted: Uint32Array): EndpointSums {
  return {
    endpoint: pick(points.endpoint, wanted),
    ...mapSums(points, (column) => pick(column, wanted)),
  };
}

/** The same with distributions. */
export function pickPoints(points: DataPoints, wanted: Uint32Array): DataPoints {
  const outcomes = moveOutcomes(points.outcomes, placeIn(wanted, points.second.length));
  return {
    ...pickSums(points, wanted),
    minMicros: pick(points.minMicros, wanted),
    maxMicros: pick(points.maxMicros, wanted),
    ...arrangeHistograms(points, wanted),
    ...(outcomes && { outcomes }),
  };
}

/** Returns the place of a value below `end` in a list of distinct ones; -1 if it is not in it. */
function placeIn(wanted: Uint32Array, end: number): (value: number) => number {
  let places: Int32Array | undefined;
  return (value) => {
    if (places === undefined) {
      places = new Int32Array(end).fill(-1);
      for (let place = 0; place < wanted.length; place++) places[wanted[place] as number] = place;
    }
    return places[value] as number;
  };
}

/** The values at these indexes, in their order. */
export function pick<Column extends NumberColumn>(
  column: Column,
  wanted: ArrayLike<number>,
): Column {
  if (column instanceof Float64Array && wanted instanceof Uint32Array) {
    return pickDoubles(column, wanted) as Column;
  }
  const picked = new (column.constructor as new (length: number) => Column)(wanted.length);
  for (let at = 0; at < wanted.length; at++) picked[at] = column[wanted[at] as number] as number;
  return picked;
}

/** In half the time, as V8 sees one type of array here. */
function pickDoubles(column: Float64Array, wanted: Uint32Array): Float64Array {
  const picked = new Float64Array(wanted.length);
  for (let at = 0; at < wanted.length; at++) picked[at] = column[wanted[at] as number] as number;
  return picked;
}

function arrangeHistograms(
  points: DistributionColumns,
  order: Uint32Array,
): Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount"> {
  const bucketsFrom = new Uint32Array(order.length + 1);
  const bucket = new Uint16Array(points.bucket.length);
  const bucketCount = new Float64Array(points.bucket.length);
  let used = 0;
  for (let at = 0; at < order.length; at++) {
    const point = order[at] as number;
    const until = points.bucketsFrom[point + 1] as number;
    for (let entry = points.bucketsFrom[point] as number; entry < until; entry++) {
      bucket[used] = points.bucket[entry] as number;
      bucketCount[used++] = points.bucketCount[entry] as number;
    }
    bucketsFrom[at + 1] = used;
  }
  return {
    bucketsFrom,
    bucket: bucket.subarray(0, used),
    bucketCount: bucketCount.subarray(0, used),
  };
}

/** Seconds `[from, until)`, UNIX time; half open. */
export interface SecondRange {
  readonly from: number;
  readonly until: number;
}

/** UNIX seconds that are stored are below this; 0: unknown. */
export const SECOND_LIMIT = 2 ** 32;

/** Includes second 0 (timestamp unknown). */
export const ALL_SECONDS: SecondRange = { from: 0, until: SECOND_LIMIT };

/** Only second 0. */
export const UNKNOWN_SECOND: SecondRange = { from: 0, until: 1 };

/** Second 0 means that the timestamp is unknown: no time range contains it. */
export function withoutSecondZero({ from, until }: SecondRange): SecondRange {
  return { from: Math.max(1, from), until };
}
