/** Encoder of `histogram-streams.ts`: histograms of a block as three byte streams. */

import type { DataPoints } from "../../model/data-points.ts";
import { BUCKET_COUNT } from "../../model/buckets/bucket-layout.ts";
import { millisecondRanks } from "../../model/buckets/millisecond-ranks.ts";
import { doHoldMilliseconds } from "../../model/histogram.ts";
import { BitWriter, bitLength } from "./bits.ts";
import { ByteWriter } from "./byte-writer.ts";
import { ESCAPE, type HistogramForm } from "./histogram-streams.ts";
import type { ChosenPoints } from "./single-requests.ts";

/**
 * Up to this many values per bucket the form `gaps` is shorter: measured from 1 to 23, with 2 to 3,000
 * requests per point.
 */
const GAPS_VALUES_MAX = 2;
/** What is left of the average of a column without its low bits has this many bits: enough for the shape of its distribution. */
const HIGH_BITS = 4;

export interface EncodedHistograms {
  readonly form: HistogramForm;
  /** Whether buckets are numbered by `millisecondRanks`. */
  readonly areRanks: boolean;
  /** Sizes of each stream, by section. */
  readonly lengths: readonly [Float64Array, Float64Array, Float64Array];
  /** All streams of one kind, then those of the next; of the form `gaps` without the third. */
  readonly bytes: Uint8Array;
  /** The third streams of the form `gaps`. */
  readonly lowBits: Uint8Array;
}

type Histograms = Pick<DataPoints, "requests" | "bucketsFrom" | "bucket" | "bucketCount">;

/** Encodes the histograms in the better form. Throws for unordered buckets and inexact counts. */
export function encodeHistograms(points: DataPoints, kept: ChosenPoints): EncodedHistograms {
  const { bucketsFrom } = points;
  const areRanks = kept.kept.every((point) =>
    doHoldMilliseconds(
      points.bucket,
      bucketsFrom[point] as number,
      bucketsFrom[point + 1] as number,
    ),
  );
  const { ofBucket } = millisecondRanks();
  const numbered = areRanks
    ? { ...points, bucket: points.bucket.map((own) => ofBucket[own] as number) }
    : points;
  const encoded = encodeGaps(numbered, kept) ?? encodeCounted(numbered, kept);
  return { ...encoded, areRanks };
}

type Encoded = Omit<EncodedHistograms, "areRanks">;

/**
 * `undefined` if the other form is likely to be shorter, or this one cannot represent the histograms.
 */
function encodeGaps(points: Histograms, { kept, from }: ChosenPoints): Encoded | undefined {
  const { requests, buckets } = sizeUp(points, kept);
  if (requests > GAPS_VALUES_MAX * buckets) return undefined;
  const streams = [new ByteWriter(), new ByteWriter(), new ByteWriter()] as const;
  const ends = streams.map(() => new Uint32Array(from.length));
  for (let section = 0; section + 1 < from.length; section++) {
    const own = kept.subarray(from[section], from[section + 1]);
    if (!putSection(streams, points, own)) return undefined;
    for (const [stream, { length }] of streams.entries()) {
      (ends[stream] as Uint32Array)[section + 1] = length;
    }
  }
  const lengths = ends.map(sectionSizes) as [Float64Array, Float64Array, Float64Array];
  const [firsts, gaps, lowBits] = streams;
  const bytes = Buffer.concat([firsts.view(), gaps.view()]);
  return { form: "gaps", lengths, bytes, lowBits: lowBits.view() };
}

function sizeUp({ requests, bucketsFrom }: Histograms, kept: Uint32Array) {
  const sums = { requests: 0, buckets: 0 };
  for (let index = 0; index < kept.length; index++) {
    const point = kept[index] as number;
    sums.requests += requests[point] as number;
    sums.buckets += (bucketsFrom[point + 1] as number) - (bucketsFrom[point] as number);
  }
  return sums;
}

/**
 * Adds the points of a section. Returns whether their buckets are ordered and their counts add up to their requests, which the decoder
 * relies on.
 */
function putSection(
  [firsts, gaps, lowBits]: readonly [ByteWriter, ByteWriter, ByteWriter],
  points: Histograms,
  own: Uint32Array,
): boolean {
  if (own.length === 0) return true;
  if (!own.every((point) => isOrdered(points, point))) return false;
  const { bucketsFrom, bucket, bucketCount } = points;
  const { base, firstBits, gapBits } = splitOf(points, own);
  lowBits.varint(base);
  lowBits.byte(firstBits);
  lowBits.byte(gapBits);
  const bits = new BitWriter(lowBits);
  for (const point of own) {
    const from = bucketsFrom[point] as number;
    const until = bucketsFrom[point + 1] as number;
    const first = (bucket[from] as number) - base;
    putHigh(firsts, first >>> firstBits);
    bits.write(first, firstBits);
    for (let entry = from; entry < until; entry++) {
      if (entry > from) {
        const more = (bucket[entry] as number) - (bucket[entry - 1] as number) - 1;
        putHigh(gaps, 1 + (more >>> gapBits));
        bits.write(more, gapBits);
      }
      // Each further value in the same bucket is a gap of 0.
      gaps.claim((bucketCount[entry] as number) - 1).fill(0);
    }
  }
  bits.end();
  return true;
}

function isOrdered({ requests, bucketsFrom, bucket, bucketCount }: Histograms, point: number) {
  const from = bucketsFrom[point] as number;
  const until = bucketsFrom[point + 1] as number;
  let values = 0;
  for (let entry = from; entry < until; entry++) {
    const [own, count] = [bucket[entry] as number, bucketCount[entry] as number];
    if (!(count >= 1 && Number.isInteger(count))) return false;
    if (own >= BUCKET_COUNT || (entry > from && own <= (bucket[entry - 1] as number))) return false;
    values += count;
  }
  return until > from && values === requests[point];
}

/** The smallest first bucket of points, and the low bits of the distances from it, and of gaps, that are stored apart. */
function splitOf({ bucketsFrom, bucket }: Histograms, own: Uint32Array) {
  let [base, firsts, gaps, gapSum] = [BUCKET_COUNT, 0, 0, 0];
  for (const point of own) {
    const from = bucketsFrom[point] as number;
    const until = bucketsFrom[point + 1] as number;
    const first = bucket[from] as number;
    base = Math.min(base, first);
    firsts += first;
    gaps += until - from - 1;
    gapSum += (bucket[until - 1] as number) - first;
  }
  return {
    base,
    firstBits: lowBitsOf(firsts - base * own.length, own.length),
    gapBits: lowBitsOf(gapSum - gaps, gaps),
  };
}

function lowBitsOf(sum: number, count: number): number {
  return count === 0 ? 0 : Math.max(0, bitLength(Math.floor(sum / count)) - HIGH_BITS);
}

function putHigh(writer: ByteWriter, high: number): void {
  writer.byte(Math.min(ESCAPE, high));
  if (high >= ESCAPE) writer.varint(high - ESCAPE);
}

function encodeCounted(points: Histograms, { kept, from }: ChosenPoints): Encoded {
  const { bucketsFrom, bucket, bucketCount } = points;
  const [sizes, distances, counts] = [new ByteWriter(), new ByteWriter(), new ByteWriter()];
  const streams = [sizes, distances, counts] as const;
  const ends = streams.map(() => new Uint32Array(from.length));
  for (let section = 0; section + 1 < from.length; section++) {
    const end = from[section + 1] as number;
    for (let index = from[section] as number; index < end; index++) {
      const point = kept[index] as number;
      const until = bucketsFrom[point + 1] as number;
      let entry = bucketsFrom[point] as number;
      sizes.varint(until - entry);
      for (let next = 0; entry < until; entry++) {
        const number = bucket[entry] as number;
        const count = bucketCount[entry] as number;
        requireBucket(point, { number, next, count });
        distances.varint(number - next);
        counts.varint(count - 1);
        next = number + 1;
      }
    }
    for (const [stream, { length }] of streams.entries()) {
      (ends[stream] as Uint32Array)[section + 1] = length;
    }
  }
  const lengths = ends.map(sectionSizes) as [Float64Array, Float64Array, Float64Array];
  const bytes = Buffer.concat(streams.map((stream) => stream.view()));
  return { form: "counted", lengths, bytes, lowBits: new Uint8Array(0) };
}

/** Buckets are stored as increments; an inexact count would be lost. */
function requireBucket(
  point: number,
  {
    number,
    next,
    count,
  }: { readonly number: number; readonly next: number; readonly count: number },
): void {
  if (number < next || number >= BUCKET_COUNT) {
    throw new Error(`BUG: point ${point} has bucket ${number} out of order`);
  }
  if (!(count >= 1 && Number.isSafeInteger(count))) {
    throw new Error(`BUG: bucketCount holds ${count}, not an integer from 1 to 2^53 - 1`);
  }
}

/** Returns the size of each section from consecutive starts. */
function sectionSizes(from: Uint32Array): Float64Array {
  const sizes = new Float64Array(from.length - 1);
  for (let section = 0; section < sizes.length; section++) {
    sizes[section] = (from[section + 1] as number) - (from[section] as number);
  }
  return sizes;
}
