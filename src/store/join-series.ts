/** The series of one endpoint, put together from where its points lie in the columns of sections. */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";
import { lowerBound, type Stretch } from "./series.ts";

/** Points of one endpoint, next to each other in columns that hold others, too. */
export interface StretchOf<Columns> extends Stretch {
  readonly columns: Columns;
}

type SeriesStretch = StretchOf<SumColumns & DistributionColumns>;

/** Points of one endpoint that wait to be put where their series is. */
export interface SumPart {
  readonly points: number;
  /** Whether a point may stand for more than a second. */
  readonly isWindowed: boolean;
  /** To be called at most once: writes all points over what is there, which is still new. */
  putInto(target: SumPlace): void;
}

/** A place in columns, as the index of the first point. */
export interface SumPlace {
  readonly columns: SumColumns;
  readonly at: number;
}

/** Columns for so many points, all of them 0 and a second long. */
export function newSumColumns(points: number, isWindowed: boolean): SumColumns {
  const column = newColumns(6, points);
  return {
    second: new Uint32Array(points),
    requests: column(0),
    elapsedMicros: column(1),
    receivedBytes: column(2),
    failedRequests: column(3),
    failedElapsedMicros: column(4),
    failedReceivedBytes: column(5),
    ...(isWindowed && { windowSeconds: new Uint16Array(points).fill(1) }),
  };
}

/** Arrays of so few numbers lie among the objects of V8, and cost little each. */
const POINTS_APART_MAX = 8;

/** Columns of numbers, out of one piece of memory: a quarter of the time of a piece for each. */
function newColumns(count: number, points: number): (index: number) => Float64Array {
  if (points <= POINTS_APART_MAX) return () => new Float64Array(points);
  const pointBytes = Float64Array.BYTES_PER_ELEMENT;
  const memory = new ArrayBuffer(count * points * pointBytes);
  return (index) => new Float64Array(memory, index * points * pointBytes, points);
}

/** Those of its points that lie in the range. */
export function withinRange<Columns extends SumColumns>(
  { columns, ...stretch }: StretchOf<Columns>,
  range: SecondRange,
): StretchOf<Columns> {
  const from = lowerBound(columns.second, range.from, stretch);
  const until = lowerBound(columns.second, range.until, { from, until: stretch.until });
  return { columns, from, until };
}

/** Points that were decoded already. */
export function partOfStretch({ columns, from, until }: StretchOf<SumColumns>): SumPart {
  return {
    points: until - from,
    isWindowed: columns.windowSeconds !== undefined,
    putInto({ columns: target, at }) {
      const stretch = { from, until, at };
      copy(columns.second, stretch, target.second);
      copy(columns.requests, stretch, target.requests);
      copy(columns.elapsedMicros, stretch, target.elapsedMicros);
      copy(columns.receivedBytes, stretch, target.receivedBytes);
      copy(columns.failedRequests, stretch, target.failedRequests);
      copy(columns.failedElapsedMicros, stretch, target.failedElapsedMicros);
      copy(columns.failedReceivedBytes, stretch, target.failedReceivedBytes);
      if (columns.windowSeconds === undefined || target.windowSeconds === undefined) return;
      copy(columns.windowSeconds, stretch, target.windowSeconds);
    },
  };
}

/** The points of all parts one after the other. */
export function joinSums(parts: readonly SumPart[]): SumColumns {
  const points = parts.reduce((sum, part) => sum + part.points, 0);
  const columns = newSumColumns(
    points,
    parts.some(({ isWindowed }) => isWindowed),
  );
  let at = 0;
  for (const part of parts) {
    part.putInto({ columns, at });
    at += part.points;
  }
  return columns;
}

/** The points of all stretches one after the other. What is one whole section is not copied. */
export function joinSeries(stretches: readonly SeriesStretch[]): SumColumns & DistributionColumns {
  const [only, another] = stretches;
  if (only !== undefined && another === undefined) {
    const { columns, from, until } = only;
    if (from === 0 && until === columns.second.length) return columns;
  }
  return { ...joinSums(stretches.map(partOfStretch)), ...copyDistributions(stretches) };
}

function copyDistributions(stretches: readonly SeriesStretch[]): DistributionColumns {
  const points = stretches.reduce((sum, { from, until }) => sum + until - from, 0);
  const { bucketsFrom, entries } = bucketPlaces(stretches, points);
  const inUse = entries.reduce((sum, { from, until }) => sum + until - from, 0);
  const minMicros = new Float64Array(points);
  const maxMicros = new Float64Array(points);
  const bucket = new Uint16Array(inUse);
  const bucketCount = new Float64Array(inUse);
  let at = 0;
  for (const { columns, from, until } of stretches) {
    copy(columns.minMicros, { from, until, at }, minMicros);
    copy(columns.maxMicros, { from, until, at }, maxMicros);
    at += until - from;
  }
  at = 0;
  for (const { columns, from, until } of entries) {
    copy(columns.bucket, { from, until, at }, bucket);
    copy(columns.bucketCount, { from, until, at }, bucketCount);
    at += until - from;
  }
  return { minMicros, maxMicros, bucketsFrom, bucket, bucketCount };
}

/** Where the buckets of each point will be, and where those of each stretch are. */
function bucketPlaces(stretches: readonly SeriesStretch[], points: number) {
  const bucketsFrom = new Uint32Array(points + 1);
  let [rank, used] = [0, 0];
  const entries = stretches.map(({ columns, ...own }) => {
    const from = columns.bucketsFrom[own.from] as number;
    const until = columns.bucketsFrom[own.until] as number;
    for (let point = own.from; point < own.until; point++) {
      bucketsFrom[rank++] = used + (columns.bucketsFrom[point] as number) - from;
    }
    used += until - from;
    return { columns, from, until };
  });
  bucketsFrom[rank] = used;
  return { bucketsFrom, entries };
}

/** Up to so many values are copied faster one by one than by a view of them. */
const FEW = 32;

/** Copies the values of a stretch to where `at` says. */
function copy<Column extends Uint16Array | Uint32Array | Float64Array>(
  source: Column,
  { from, until, at }: Stretch & { readonly at: number },
  target: Column,
): void {
  if (until - from > FEW) target.set(source.subarray(from, until), at);
  else
    for (let index = from; index < until; index++)
      target[at + index - from] = source[index] as number;
}
