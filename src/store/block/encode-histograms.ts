/** Encoder of `histogram-streams.ts`: histograms of a block as three byte streams. */

import type { DataPoints } from "../../model/data-points.ts";
import { BUCKET_COUNT } from "../../model/histogram.ts";
import { ByteWriter } from "./byte-writer.ts";
import { ESCAPE, type HistogramForm } from "./histogram-streams.ts";
import type { ChosenPoints } from "./single-requests.ts";

/**
 * Up to this many values per bucket the form `gaps` is shorter: measured from 1 to 23, with 2 to 3,000
 * requests per point.
 */
const GAPS_VALUES_MAX = 2;
/** Bytes of a gap that does not fit into a byte: `ESCAPE`, then less than 2^14 as a varint. */
const GAP_BYTES_MAX = 3;

export interface EncodedHistograms {
  readonly form: HistogramForm;
  /** Sizes of each stream, by section. */
  readonly lengths: readonly [Float64Array, Float64Array, Float64Array];
  /** All streams of one kind, then those of the next. */
  readonly bytes: Uint8Array;
}

/** Encodes the histograms in the better form. Throws for unordered buckets and inexact counts. */
export function encodeHistograms(points: DataPoints, kept: ChosenPoints): EncodedHistograms {
  return encodeGaps(points, kept) ?? encodeCounted(points, kept);
}

/**
 * `undefined` if the other form is likely to be shorter, or this one cannot represent the histograms.
 */
function encodeGaps(
  points: DataPoints,
  { kept, from }: ChosenPoints,
): EncodedHistograms | undefined {
  const { requests, buckets } = sizeUp(points, kept);
  if (requests > GAPS_VALUES_MAX * buckets) return undefined;
  const gaps = new GapStreams(kept.length, requests + GAP_BYTES_MAX * buckets);
  const lengths = sectionSizes(from);
  const gapLengths = new Float64Array(lengths.length);
  for (let section = 0; section < lengths.length; section++) {
    const start = gaps.end;
    const until = from[section + 1] as number;
    for (let index = from[section] as number; index < until; index++) {
      if (!gaps.put(index, points, kept[index] as number)) return undefined;
    }
    gapLengths[section] = gaps.end - start;
  }
  return { form: "gaps", lengths: [lengths, lengths, gapLengths], bytes: gaps.bytes() };
}

function sizeUp({ requests, bucketsFrom }: DataPoints, kept: Uint32Array) {
  const sums = { requests: 0, buckets: 0 };
  for (let index = 0; index < kept.length; index++) {
    const point = kept[index] as number;
    sums.requests += requests[point] as number;
    sums.buckets += (bucketsFrom[point + 1] as number) - (bucketsFrom[point] as number);
  }
  return sums;
}

/** The three streams of the form `gaps` in one buffer. */
class GapStreams {
  /** Position of the next gap. */
  end: number;
  readonly #bytes: Uint8Array;
  readonly #points: number;

  constructor(points: number, gapBytesMax: number) {
    this.#bytes = new Uint8Array(2 * points + gapBytesMax);
    this.#points = points;
    this.end = 2 * points;
  }

  /**
   * Adds the point with this index. Returns whether its buckets are ordered and their counts add up to its
   * requests, which the decoder relies on.
   */
  put(index: number, { requests, bucketsFrom, bucket, bucketCount }: DataPoints, point: number) {
    const bytes = this.#bytes;
    const from = bucketsFrom[point] as number;
    const until = bucketsFrom[point + 1] as number;
    const first = bucket[from] as number;
    let [end, last, values] = [this.end, first, 0];
    for (let entry = from; entry < until; entry++) {
      const gap = (bucket[entry] as number) - last;
      const count = (bucketCount[entry] as number) | 0;
      if (count < 1 || count !== bucketCount[entry] || (gap < 1 && entry > from)) return false;
      if (entry > from) end = putGap(bytes, end, gap);
      // A further value in the same bucket is a zero, the initial value of every byte.
      end += count - 1;
      last += gap;
      values += count;
    }
    if (until === from || last >= BUCKET_COUNT || values !== requests[point]) return false;
    bytes[index] = first;
    bytes[this.#points + index] = first >>> 8;
    this.end = end;
    return true;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.end);
  }
}

/** Returns the position of the next byte. */
function putGap(bytes: Uint8Array, at: number, gap: number): number {
  if (gap < ESCAPE) {
    bytes[at] = gap;
    return at + 1;
  }
  const rest = gap - ESCAPE;
  bytes[at] = ESCAPE;
  bytes[at + 1] = rest < 0x80 ? rest : (rest & 0x7f) | 0x80;
  if (rest < 0x80) return at + 2;
  bytes[at + 2] = rest >>> 7;
  return at + 3;
}

function encodeCounted(points: DataPoints, { kept, from }: ChosenPoints): EncodedHistograms {
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
  return { form: "counted", lengths, bytes };
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
