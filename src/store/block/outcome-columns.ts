/**
 * Response times of passed and failed requests of mixed points (`model/outcomes.ts`), relative to those of all
 * requests of the point, which are needed to read them.
 */

import type {
  DistributionColumns,
  OutcomeColumns,
  Outcomes,
  SumColumns,
} from "../../model/data-points.ts";
import { bucketOf } from "../../model/buckets/bucket-layout.ts";
import { bucketsOf, OutcomesBuilder, timedFailedOf } from "../../model/outcomes.ts";
import type { IndexRanges } from "../series.ts";
import { lowerBound } from "../../model/columns.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { readPacked, skippedBefore, writePacked } from "./packed-column.ts";

/** Points with one failed request are omitted: their failed times follow from the sums. */
const SINGLES_FOLLOW = 1;

interface Entry {
  /** In the outcomes. */
  readonly entry: number;
  /** Index of the point in its columns, and among those that are written. */
  readonly point: number;
  readonly place: number;
}

/** Writes the known outcomes of the points in these ranges, in their order; nothing if there are none. */
export function writeOutcomes(
  writer: ByteWriter,
  points: OutcomeColumns,
  ranges: IndexRanges,
): void {
  const { outcomes } = points;
  if (outcomes === undefined) return;
  const entries = entriesIn(outcomes, ranges);
  if (entries.length === 0) return;
  const { passedMinMicros, passedMaxMicros, failed } = outcomes;
  const follow = entries.every(
    ({ entry, point }) =>
      timedFailedOf(points, point) !== 1 || follows(points, point, failed, entry),
  );
  const several = entries.filter(({ point }) => !follow || timedFailedOf(points, point) !== 1);
  const min = (point: number) => points.minMicros[point] as number;
  const max = (point: number) => points.maxMicros[point] as number;
  const extremes = [
    column(entries, (entry, point) => (passedMinMicros[entry] as number) - min(point)),
    column(entries, (entry, point) => max(point) - (passedMaxMicros[entry] as number)),
    column(several, (entry, point) => (failed.minMicros[entry] as number) - min(point)),
    column(several, (entry, point) => max(point) - (failed.maxMicros[entry] as number)),
  ];
  const factor = commonFactor(...extremes);
  writer.byte(follow ? SINGLES_FOLLOW : 0);
  writer.varint(entries.length);
  writePacked(writer, skippedBefore(entries.map(({ place }) => place)));
  writer.varint(factor);
  for (const values of extremes)
    writePacked(
      writer,
      values.map((value) => value / factor),
    );
  writeHistograms(writer, failed, several);
}

function column(
  entries: readonly Entry[],
  valueOf: (entry: number, point: number) => number,
): Float64Array {
  return Float64Array.from(entries, ({ entry, point }) => valueOf(entry, point));
}

function entriesIn({ point }: Outcomes, { from, until }: IndexRanges): readonly Entry[] {
  const entries: Entry[] = [];
  let before = 0;
  for (let range = 0; range < from.length; range++) {
    const [first, last] = [from[range] as number, until[range] as number];
    const end = lowerBound(point, last);
    for (let entry = lowerBound(point, first); entry < end; entry++) {
      const own = point[entry] as number;
      entries.push({ entry, point: own, place: before + own - first });
    }
    before += last - first;
  }
  return entries;
}

/** Whether the failed times of a point with one failed request follow from its sum. */
function follows(
  { failedElapsedMicros }: SumColumns,
  point: number,
  failed: DistributionColumns,
  entry: number,
): boolean {
  const elapsed = failedElapsedMicros[point] as number;
  const [bucket] = bucketsOf(failed, entry);
  return (
    failed.minMicros[entry] === elapsed &&
    failed.maxMicros[entry] === elapsed &&
    bucket?.[0] === bucketOf(elapsed)
  );
}

/** Returns the greatest common divisor of the columns; 1 if all values are 0. */
function commonFactor(...columns: readonly Float64Array[]): number {
  let factor = 0;
  for (const values of columns) {
    for (let index = 0; index < values.length && factor !== 1; index++) {
      const value = values[index] as number;
      // As exact as `value % factor === 0` up to 2^53 - 1, and several times faster.
      if (factor > 0 && Math.floor(value / factor) * factor === value) continue;
      factor = greatestDivisor(factor, value);
    }
  }
  return factor === 0 ? 1 : factor;
}

function greatestDivisor(left: number, right: number): number {
  let [divisor, rest] = [left, right];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  return divisor;
}

function writeHistograms(
  writer: ByteWriter,
  failed: DistributionColumns,
  entries: readonly Entry[],
): void {
  const [sizes, gaps, counts]: [number[], number[], number[]] = [[], [], []];
  for (const { entry } of entries) {
    let before = bucketOf(failed.minMicros[entry] as number);
    const first = gaps.length;
    for (const [bucket, count] of bucketsOf(failed, entry)) {
      gaps.push(bucket - before);
      counts.push(count);
      before = bucket;
    }
    sizes.push(gaps.length - first);
  }
  for (const values of [sizes, gaps, counts]) writePacked(writer, Float64Array.from(values));
}

/** Reads the known outcomes of points, which are those that were written, in their order. */
export function readOutcomes(
  reader: ByteReader,
  points: SumColumns & DistributionColumns,
): Outcomes | undefined {
  const follow = (reader.byte() & SINGLES_FOLLOW) !== 0;
  const count = reader.varint();
  if (count > points.second.length) throw new RangeError(`${count} mixed points`);
  const place = readPacked(reader, count);
  for (let at = 1; at < count; at++) {
    place[at] = (place[at] as number) + (place[at - 1] as number) + 1;
  }
  const last = place.at(-1) ?? 0;
  if (!(last < points.second.length)) throw new RangeError(`mixed point ${last}`);
  const isSingle = Array.from(place, (at) => follow && timedFailedOf(points, at) === 1);
  const several = isSingle.filter((single) => !single).length;
  const factor = reader.varint();
  const read = (length: number) => readPacked(reader, length).map((value) => value * factor);
  const [lowest, highest] = [read(count), read(count)];
  const [failedLowest, failedHighest] = [read(several), read(several)];
  const histograms = readHistograms(reader, several, points.bucket.length);
  const builder = new OutcomesBuilder();
  let next = 0;
  for (const [index, point] of place.entries()) {
    const [min, max] = [points.minMicros[point] as number, points.maxMicros[point] as number];
    const passed = {
      passedMin: min + (lowest[index] as number),
      passedMax: max - (highest[index] as number),
    };
    if (isSingle[index] === true) {
      const only = points.failedElapsedMicros[point] as number;
      const buckets = [[bucketOf(only), 1] as const];
      builder.add(point, { ...passed, failedMin: only, failedMax: only, buckets });
      continue;
    }
    const failedMin = min + (failedLowest[next] as number);
    const failedMax = max - (failedHighest[next] as number);
    const buckets = histograms(next, bucketOf(failedMin));
    builder.add(point, { ...passed, failedMin, failedMax, buckets });
    next += 1;
  }
  return builder.finish();
}

/** Returns the histogram of each point, given the bucket of its minimum; at most `entriesMax` buckets in all. */
function readHistograms(reader: ByteReader, points: number, entriesMax: number) {
  const sizes = readPacked(reader, points);
  const from = new Uint32Array(points + 1);
  for (const [at, size] of sizes.entries()) from[at + 1] = (from[at] as number) + size;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (!(total <= entriesMax)) throw new RangeError(`${total} buckets of mixed points`);
  const gaps = readPacked(reader, total);
  const counts = readPacked(reader, total);
  return (point: number, lowest: number): readonly (readonly [number, number])[] => {
    let bucket = lowest;
    return Array.from(counts.subarray(from[point], from[point + 1]), (count, at) => {
      bucket += gaps[(from[point] as number) + at] as number;
      return [bucket, count] as const;
    });
  };
}
