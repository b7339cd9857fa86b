import {
  type NumberColumn,
  OPTIONAL_NAMES,
  type OptionalName,
  SUM_NAMES,
  type SecondRange,
  SumRoom,
  lowerBound,
  optionalNamesOf,
  viewSeries,
} from "../model/columns.ts";
import type { DistributionColumns, SeriesColumns, SumColumns } from "../model/data-points.ts";
import type { IndexRange } from "./series.ts";

/** Joins the points of one endpoint from columns that may hold other endpoints, too. */
export interface ColumnRange<Columns> extends IndexRange {
  readonly columns: Columns;
}

type SeriesRange = ColumnRange<SeriesColumns>;

export interface SumPart {
  readonly points: number;
  /** The optional columns that its points have. */
  readonly optional: readonly OptionalName[];
  /** Writes all points. Call at most once, into new columns. */
  putInto(target: SumPlace): void;
}

/** An index into columns. */
export interface SumPlace {
  readonly columns: SumColumns;
  readonly at: number;
}

/** Returns the points within `range`. */
export function withinRange<Columns extends SumColumns>(
  { columns, ...indexes }: ColumnRange<Columns>,
  range: SecondRange,
): ColumnRange<Columns> {
  const from = lowerBound(columns.second, range.from, indexes);
  const until = lowerBound(columns.second, range.until, { from, until: indexes.until });
  return { columns, from, until };
}

/** Already decoded points. */
export function partOfRange({ columns, from, until }: ColumnRange<SumColumns>): SumPart {
  const optional = optionalNamesOf(columns);
  return {
    points: until - from,
    optional,
    putInto({ columns: target, at }) {
      const indexes = { from, until, at };
      copy(columns.second, indexes, target.second);
      for (const name of SUM_NAMES) copy(columns[name], indexes, target[name]);
      for (const name of optional) {
        const [source, place] = [columns[name], target[name]];
        if (source !== undefined && place !== undefined) copy(source, indexes, place);
      }
    },
  };
}

export function joinSums(parts: readonly SumPart[], room = new SumRoom()): SumColumns {
  const points = parts.reduce((sum, part) => sum + part.points, 0);
  const optional = OPTIONAL_NAMES.filter((name) =>
    parts.some((part) => part.optional.includes(name)),
  );
  const columns = room.open(points, optional);
  let at = 0;
  for (const part of parts) {
    part.putInto({ columns, at });
    at += part.points;
  }
  return columns;
}

/** Concatenates the points of all ranges. A single range is not copied. */
export function joinSeries(ranges: readonly SeriesRange[]): SeriesColumns {
  const [only, another] = ranges;
  if (only !== undefined && another === undefined) {
    const { columns, from, until } = only;
    const isAll = from === 0 && until === columns.second.length;
    return isAll ? columns : viewSeries(columns, from, until);
  }
  return copySeries(ranges);
}

/** Concatenates copies; columns of narrower types become wide. */
export function copySeries(ranges: readonly SeriesRange[]): SeriesColumns {
  return { ...copySums(ranges), ...copyDistributions(ranges) };
}

/** The same of sums only, in `room`. */
export function copySums(ranges: readonly ColumnRange<SumColumns>[], room?: SumRoom): SumColumns {
  return joinSums(ranges.map(partOfRange), room);
}

function copyDistributions(ranges: readonly SeriesRange[]): DistributionColumns {
  const points = ranges.reduce((sum, { from, until }) => sum + until - from, 0);
  const { bucketsFrom, entries } = bucketPlaces(ranges, points);
  const inUse = entries.reduce((sum, { from, until }) => sum + until - from, 0);
  const minMicros = new Float64Array(points);
  const maxMicros = new Float64Array(points);
  const bucket = new Uint16Array(inUse);
  const bucketCount = new Float64Array(inUse);
  let at = 0;
  for (const { columns, from, until } of ranges) {
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

/** Start of each point's buckets in the result, and of each range's. */
function bucketPlaces(ranges: readonly SeriesRange[], points: number) {
  const bucketsFrom = new Uint32Array(points + 1);
  let [rank, used] = [0, 0];
  const entries = ranges.map(({ columns, ...own }) => {
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

/** Up to this many values are copied faster in a loop than by a view. */
const FEW = 32;

/** Copies the values of a range to the position `at`. */
function copy(
  source: NumberColumn,
  { from, until, at }: IndexRange & { readonly at: number },
  target: NumberColumn,
): void {
  if (until - from > FEW) target.set(source.subarray(from, until), at);
  else
    for (let index = from; index < until; index++)
      target[at + index - from] = source[index] as number;
}
