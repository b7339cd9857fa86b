/**
 * Histograms of a section as byte streams of one kind each, for better compression. In the form `gaps` every request is a value: the
 * first bucket of each point, the distances of the further values, and the low bits of both, which no compression makes shorter. In the
 * form `counted` a point has its number of buckets, their distances, and their counts minus one. `gaps` is shorter for few requests per
 * bucket, `counted` for many.
 */

import type { DistributionColumns } from "../../model/data-points.ts";
import { sumOf } from "../../model/columns.ts";
import { firstOf } from "../../model/row-groups.ts";
import { ByteReader } from "./bytes.ts";
import { bucketsWithMillisecond } from "../../model/histogram.ts";

export const HISTOGRAM_FORMS = ["gaps", "counted"] as const;
export type HistogramForm = (typeof HISTOGRAM_FORMS)[number];

/** Each form has three streams. */
export type Streams = readonly [Uint8Array, Uint8Array, Uint8Array];

type Histograms = Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount">;

/** Escape for a number that does not fit into a byte, followed by the rest as a varint. */
const ESCAPE = 255;

/** Decodes the points; `requests` has the number of values of each. `areRanks`: buckets are numbered by `bucketsByRank`. */
export function decodeStreams(
  { form, areRanks }: { readonly form: HistogramForm; readonly areRanks: boolean },
  streams: Streams,
  requests: Float64Array,
): Histograms {
  const histograms =
    form === "gaps" ? decodeGaps(streams, requests) : decodeCounted(streams, requests.length);
  if (areRanks) replaceRanks(histograms.bucket);
  return histograms;
}

function replaceRanks(bucket: Uint16Array): void {
  const bucketOf = bucketsByRank();
  for (let entry = 0; entry < bucket.length; entry++) {
    bucket[entry] = bucketOf[bucket[entry] as number] as number;
  }
}

function decodeGaps([firsts, gaps, lowBits]: Streams, requests: Float64Array): Histograms {
  const points = requests.length;
  const values = sumOf(requests);
  const bucketsFrom = new Uint32Array(points + 1);
  const bucket = new Uint16Array(values);
  const bucketCount = new Float64Array(values);
  if (points === 0) return { bucketsFrom, bucket, bucketCount };
  const low = new ByteReader(lowBits);
  const base = low.varint();
  const [firstBits, gapBits] = [low.byte(), low.byte()];
  const [firstMask, gapMask] = [(1 << firstBits) - 1, (1 << gapBits) - 1];
  const escaped = [new ByteReader(firsts), new ByteReader(gaps)] as const;
  let [bits, filled, lowAt] = [0, 0, low.at];
  let [entry, firstAt, gapAt] = [0, 0, 0];
  for (let point = 0; point < points; point++) {
    bucketsFrom[point] = entry;
    let high = firsts[firstAt++] as number;
    if (high === ESCAPE) {
      escaped[0].at = firstAt;
      high += escaped[0].varint();
      firstAt = escaped[0].at;
    }
    if (filled < firstBits) {
      bits |= twoBytes(lowBits, lowAt) << filled;
      lowAt += 2;
      filled += 16;
    }
    let last = base + ((high << firstBits) | (bits & firstMask));
    bits >>>= firstBits;
    filled -= firstBits;
    let count = 1;
    for (let left = (requests[point] as number) - 1; left > 0; left--) {
      high = gaps[gapAt++] as number;
      if (high === 0) {
        count += 1;
        continue;
      }
      if (high === ESCAPE) {
        escaped[1].at = gapAt;
        high += escaped[1].varint();
        gapAt = escaped[1].at;
      }
      bucket[entry] = last;
      bucketCount[entry++] = count;
      if (filled < gapBits) {
        bits |= twoBytes(lowBits, lowAt) << filled;
        lowAt += 2;
        filled += 16;
      }
      last += 1 + (((high - 1) << gapBits) | (bits & gapMask));
      bits >>>= gapBits;
      filled -= gapBits;
      count = 1;
    }
    bucket[entry] = last;
    bucketCount[entry++] = count;
  }
  bucketsFrom[points] = entry;
  return { bucketsFrom, bucket: firstOf(bucket, entry), bucketCount: firstOf(bucketCount, entry) };
}

/** Past the end, zeros. */
function twoBytes(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}

function decodeCounted([sizes, distances, counts]: Streams, points: number): Histograms {
  const [sizeReader, distanceReader, countReader] = [sizes, distances, counts].map(
    (stream) => new ByteReader(stream),
  ) as [ByteReader, ByteReader, ByteReader];
  const bucketsFrom = new Uint32Array(points + 1);
  for (let point = 0; point < points; point++) {
    bucketsFrom[point + 1] = (bucketsFrom[point] as number) + sizeReader.varint();
  }
  const entries = bucketsFrom[points] as number;
  const bucket = new Uint16Array(entries);
  const bucketCount = new Float64Array(entries);
  let [distanceAt, countAt] = [0, 0];
  for (let point = 0; point < points; point++) {
    let next = 0;
    const until = bucketsFrom[point + 1] as number;
    for (let entry = bucketsFrom[point] as number; entry < until; entry++) {
      // Nearly all are a single byte. Past the end, the readers throw.
      let distance = distances[distanceAt++] as number;
      if (!(distance < 0x80)) {
        distanceReader.at = distanceAt - 1;
        distance = distanceReader.varint();
        distanceAt = distanceReader.at;
      }
      let count = counts[countAt++] as number;
      if (!(count < 0x80)) {
        countReader.at = countAt - 1;
        count = countReader.varint();
        countAt = countReader.at;
      }
      const number = next + distance;
      bucket[entry] = number;
      bucketCount[entry] = count + 1;
      next = number + 1;
    }
  }
  return { bucketsFrom, bucket, bucketCount };
}

let buckets: Uint16Array | undefined;

/**
 * The buckets in which a whole millisecond lies: of sources that measure milliseconds, all that occur. Part of the format: their
 * indexes here are stored.
 */
function bucketsByRank(): Uint16Array {
  buckets ??= Uint16Array.from(
    bucketsWithMillisecond()
      .keys()
      .filter((bucket) => bucketsWithMillisecond()[bucket] === 1),
  );
  return buckets;
}
