/** The distribution segment of a block: histograms, minima and maxima of its points. */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type {
  DataPoints,
  DistributionColumns,
  Outcomes,
  SumColumns,
  OutcomeColumns,
} from "../../model/data-points.ts";
import { type EndpointRuns, sliceRuns, type IndexRanges } from "../series.ts";
import type { ColumnRange } from "../join-series.ts";
import type { PackedBlock } from "./block-kernel.ts";
import { ByteWriter, type ByteReader } from "./bytes.ts";
import {
  type Section,
  beginSegment,
  checksumOf,
  closeSegment,
  damagedSegment,
  directoryOf,
  openSegment,
  placeOf,
} from "./envelope.ts";
import { readExtremes } from "./extremes.ts";
import {
  decodeStreams,
  HISTOGRAM_FORMS,
  type HistogramForm,
  type Streams,
} from "./histogram-streams.ts";
import { readPacked, startsOf, writePacked, skippedBefore } from "./packed-column.ts";
import { keepLast, pointsWithin, type PlainSegment, sectionOf } from "./plain-segment.ts";
import { bucketOf } from "../../model/buckets/bucket-layout.ts";
import { bucketsOf, OutcomesBuilder, timedFailedOf } from "../../model/outcomes.ts";
import { lowerBound } from "../../model/columns.ts";

const STREAMS = 3;
/** Indexes of optional columns. */
const SOME_ABSENT = 0;
const OUTCOMES = 1;
/** Flags. Points with one request are omitted: they follow from the sums. */
const SINGLES_FOLLOW = 2;
/** Buckets are numbered by `bucketsByRank`. */
const ARE_RANKS = 4;

/** Adds the known outcomes to the packed distributions of the points in the segment `plain`, and the envelope. */
export function sealDistribution(
  points: DataPoints,
  runs: EndpointRuns,
  {
    packed: { distribution, streams, areSomeAbsent },
    plain,
  }: { readonly packed: PackedBlock; readonly plain: Uint8Array },
): Uint8Array {
  const outcomes = new ByteWriter();
  const outcomesLengths =
    points.outcomes === undefined
      ? new Float64Array(0)
      : Float64Array.from(directoryOf(runs).sections, (section) => {
          const before = outcomes.length;
          writeOutcomes(
            outcomes,
            points,
            sliceRuns(runs, section.endpointsFrom, section.endpointsUntil),
          );
          return outcomes.length - before;
        });
  const writer = beginSegment("distribution", [
    ...(areSomeAbsent ? [SOME_ABSENT] : []),
    ...(outcomes.length > 0 ? [OUTCOMES] : []),
  ]);
  writer.uint32(checksumOf(plain));
  for (const part of distribution) writer.bytes(part);
  const body = compressed(streams);
  writer.varint(body.length);
  writer.bytes(body);
  if (outcomes.length > 0) {
    writePacked(writer, outcomesLengths);
    writer.bytes(outcomes.view());
  }
  return closeSegment(writer);
}

/** An opened distribution segment with a valid checksum. */
export interface DistributionSegment {
  /** Returns the distributions of all points of one section. */
  section(section: Section): DistributionColumns;
  /** Returns what is known of the outcomes of one section, by its points. */
  outcomes(section: Section): Outcomes | undefined;
  /** The same for the section of an endpoint, by the points of that section. */
  outcomesOf(endpoint: number): Outcomes | undefined;
  /** Returns the position of one endpoint's distributions; `undefined` if the block has none. */
  rangeOf(endpoint: number): ColumnRange<DistributionColumns> | undefined;
}

/**
 * Opens the distribution segment of `plain`, whose bytes are `plainBytes`. Throws `damaged-store`,
 * `store-too-new`.
 */
export function openDistribution(
  segment: Uint8Array,
  plain: PlainSegment,
  plainBytes: Uint8Array,
): DistributionSegment {
  const { reader, optional } = openSegment("distribution", segment);
  if (reader.uint32() !== checksumOf(plainBytes)) {
    throw damagedSegment("distribution", "it belongs to another plain segment");
  }
  const { directory } = plain;
  const flags = reader.byte();
  const form = HISTOGRAM_FORMS[flags & 1] as HistogramForm;
  const coding = { form, areRanks: (flags & ARE_RANKS) !== 0 };
  const follow = (flags & SINGLES_FOLLOW) !== 0;
  const sections = directory.sections.length;
  const extremes = startsOf(readPacked(reader, sections), 0);
  const streams: Float64Array[] = [];
  const compressedStreams = form === "gaps" ? STREAMS - 1 : STREAMS;
  let [end, lowBitsEnd] = [0, 0];
  for (let stream = 0; stream < STREAMS; stream++) {
    const isCompressed = stream < compressedStreams;
    const starts = startsOf(readPacked(reader, sections), isCompressed ? end : 0);
    if (isCompressed) end = starts[sections] as number;
    else lowBitsEnd = starts[sections] as number;
    streams.push(starts);
  }
  const lowBits = reader.take(lowBitsEnd);
  const extremesAt = reader.at;
  reader.take(extremes[sections] as number);
  const body = decompress(reader.take(reader.varint()), end);
  const outcomes = optional.includes(OUTCOMES)
    ? startsOf(readPacked(reader, sections), 0)
    : undefined;
  const outcomesAt = reader.at;

  const section = keepLast((wanted: Section): DistributionColumns => {
    const index = directory.sections.indexOf(wanted);
    const own = streams.map((starts, stream) =>
      (stream < compressedStreams ? body : lowBits).subarray(starts[index], starts[index + 1]),
    );
    const sums = plain.section(wanted);
    const requests = follow ? withoutSingles(sums.requests) : sums.requests;
    const histograms = decodeStreams(coding, own as unknown as Streams, requests);
    reader.at = extremesAt + (extremes[index] as number);
    const kept = { ...histograms, ...readExtremes(reader, histograms) };
    return follow ? insertSingles(kept, sums) : kept;
  });
  const outcomesOfSection = (wanted: Section): Outcomes | undefined => {
    const index = directory.sections.indexOf(wanted);
    if (outcomes === undefined || outcomes[index] === outcomes[index + 1]) return undefined;
    const points = { ...plain.section(wanted), ...section(wanted) };
    reader.at = outcomesAt + (outcomes[index] as number);
    return readOutcomes(reader, points);
  };
  return {
    section,
    outcomes: outcomesOfSection,
    outcomesOf(endpoint) {
      const place = placeOf(directory, endpoint);
      return place === undefined ? undefined : outcomesOfSection(sectionOf(directory, place));
    },
    rangeOf(endpoint) {
      const place = placeOf(directory, endpoint);
      if (place === undefined) return undefined;
      const home = sectionOf(directory, place);
      return { columns: section(home), ...pointsWithin(directory, home, place) };
    },
  };
}

function compressed(bytes: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return bytes.length === 0 ? bytes : zstdCompressSync(bytes, { params });
}

function decompress(body: Uint8Array, length: number): Uint8Array {
  if (length === 0) return body;
  const whole = zstdDecompressSync(body, { maxOutputLength: length });
  // Copied: the result is part of a chunk of 16 KB, which an opened block would keep alive.
  if (whole.length === length) return new Uint8Array(whole);
  throw damagedSegment("distribution", `${whole.length} bytes instead of ${length}`);
}

/**
 * Of points with one request the elapsed time is sum, minimum, maximum and bucket at once, so they need no stored distribution.
 * Returns the requests of the others.
 */
function withoutSingles(requests: Float64Array): Float64Array {
  const others = new Float64Array(requests.length);
  let count = 0;
  for (let point = 0; point < requests.length; point++) {
    if (requests[point] !== 1) others[count++] = requests[point] as number;
  }
  return others.subarray(0, count);
}

/** Returns the distributions of all points with these sums, given those of points with more than one request. */
function insertSingles(kept: DistributionColumns, sums: SumColumns): DistributionColumns {
  const points = sums.requests.length;
  const singles = points - kept.minMicros.length;
  if (singles === 0) return kept;
  const minMicros = new Float64Array(points);
  const maxMicros = new Float64Array(points);
  const bucketsFrom = new Uint32Array(points + 1);
  const bucket = new Uint16Array(kept.bucket.length + singles);
  const bucketCount = new Float64Array(kept.bucket.length + singles);
  let [entry, next] = [0, 0];
  for (let point = 0; point < points; point++) {
    if (sums.requests[point] === 1) {
      const elapsed = sums.elapsedMicros[point] as number;
      minMicros[point] = elapsed;
      maxMicros[point] = elapsed;
      bucket[entry] = bucketOf(elapsed);
      bucketCount[entry++] = 1;
    } else {
      minMicros[point] = kept.minMicros[next] as number;
      maxMicros[point] = kept.maxMicros[next] as number;
      const until = kept.bucketsFrom[next + 1] as number;
      for (let own = kept.bucketsFrom[next] as number; own < until; own++) {
        bucket[entry] = kept.bucket[own] as number;
        bucketCount[entry++] = kept.bucketCount[own] as number;
      }
      next += 1;
    }
    bucketsFrom[point + 1] = entry;
  }
  return { minMicros, maxMicros, bucketsFrom, bucket, bucketCount };
}

/** Points with one failed request are omitted: their failed times follow from the sums. */
const FAILED_SINGLES_FOLLOW = 1;

interface Entry {
  /** In the outcomes. */
  readonly entry: number;
  /** Index of the point in its columns, and among those that are written. */
  readonly point: number;
  readonly place: number;
}

/** Writes the known outcomes of the points in these ranges, in their order; nothing if there are none. */
function writeOutcomes(writer: ByteWriter, points: OutcomeColumns, ranges: IndexRanges): void {
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
  writer.byte(follow ? FAILED_SINGLES_FOLLOW : 0);
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
function readOutcomes(
  reader: ByteReader,
  points: SumColumns & DistributionColumns,
): Outcomes | undefined {
  const follow = (reader.byte() & FAILED_SINGLES_FOLLOW) !== 0;
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
