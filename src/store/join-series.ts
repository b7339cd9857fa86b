/** The series of one endpoint, put together from where its points lie in the columns of sections. */

import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { SecondRange } from "../model/second-range.ts";
import { lowerBound, type Stretch } from "./series.ts";

/** Points of one endpoint, next to each other in columns that hold others, too. */
export interface StretchOf<Columns> extends Stretch {
  readonly columns: Columns;
}

type SumStretch = StretchOf<SumColumns>;
type SeriesStretch = StretchOf<SumColumns & DistributionColumns>;

/** Those of its points that lie in the range. */
export function withinRange<Columns extends SumColumns>(
  { columns, ...stretch }: StretchOf<Columns>,
  range: SecondRange,
): StretchOf<Columns> {
  const from = lowerBound(columns.second, range.from, stretch);
  const until = lowerBound(columns.second, range.until, { from, until: stretch.until });
  return { columns, from, until };
}

/** The points of all stretches one after the other. What is one whole section is not copied. */
export function joinSums(stretches: readonly SumStretch[]): SumColumns {
  return wholeOf(stretches) ?? copySums(stretches);
}

/** The same, with their distributions. */
export function joinSeries(stretches: readonly SeriesStretch[]): SumColumns & DistributionColumns {
  return wholeOf(stretches) ?? { ...copySums(stretches), ...copyDistributions(stretches) };
}

function wholeOf<Columns extends SumColumns>(
  stretches: readonly StretchOf<Columns>[],
): Columns | undefined {
  const [only, another] = stretches;
  if (only === undefined || another !== undefined) return undefined;
  const { columns, from, until } = only;
  return from === 0 && until === columns.second.length ? columns : undefined;
}

function copySums(stretches: readonly SumStretch[]): SumColumns {
  const points = pointsIn(stretches);
  const sums = (columnOf: (columns: SumColumns) => Float64Array) =>
    copy(stretches, columnOf, new Float64Array(points));
  return {
    second: copy(stretches, ({ second }) => second, new Uint32Array(points)),
    requests: sums(({ requests }) => requests),
    elapsedMicros: sums(({ elapsedMicros }) => elapsedMicros),
    receivedBytes: sums(({ receivedBytes }) => receivedBytes),
    failedRequests: sums(({ failedRequests }) => failedRequests),
    failedElapsedMicros: sums(({ failedElapsedMicros }) => failedElapsedMicros),
    failedReceivedBytes: sums(({ failedReceivedBytes }) => failedReceivedBytes),
    ...copyWindows(stretches, points),
  };
}

function copyWindows(
  stretches: readonly SumStretch[],
  points: number,
): Pick<SumColumns, "windowSeconds"> {
  if (stretches.every(({ columns }) => columns.windowSeconds === undefined)) return {};
  const windowSeconds = new Uint16Array(points).fill(1);
  let at = 0;
  for (const { columns, from, until } of stretches) {
    if (columns.windowSeconds) windowSeconds.set(columns.windowSeconds.subarray(from, until), at);
    at += until - from;
  }
  return { windowSeconds };
}

function copyDistributions(stretches: readonly SeriesStretch[]): DistributionColumns {
  const points = pointsIn(stretches);
  const { bucketsFrom, entries } = bucketPlaces(stretches, points);
  const inUse = entries.reduce((sum, { from, until }) => sum + until - from, 0);
  return {
    minMicros: copy(stretches, ({ minMicros }) => minMicros, new Float64Array(points)),
    maxMicros: copy(stretches, ({ maxMicros }) => maxMicros, new Float64Array(points)),
    bucketsFrom,
    bucket: copy(entries, ({ bucket }) => bucket, new Uint16Array(inUse)),
    bucketCount: copy(entries, ({ bucketCount }) => bucketCount, new Float64Array(inUse)),
  };
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

function pointsIn(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { from, until }) => sum + until - from, 0);
}

/** Up to so many values are copied faster one by one than by a view of them. */
const FEW = 32;

function copy<Columns, Column extends Uint16Array | Uint32Array | Float64Array>(
  stretches: readonly StretchOf<Columns>[],
  columnOf: (columns: Columns) => Column,
  target: Column,
): Column {
  let at = 0;
  for (const { columns, from, until } of stretches) {
    const source = columnOf(columns);
    const length = until - from;
    if (length > FEW) target.set(source.subarray(from, until), at);
    else
      for (let index = 0; index < length; index++)
        target[at + index] = source[from + index] as number;
    at += length;
  }
  return target;
}
