/**
 * Histograms of a section as byte streams of one kind each, for better compression. In the form `gaps` every
 * request is a value: the first bucket of a point in two streams (low byte, high byte), followed by the
 * distance of each further value from the previous one. In the form `counted` a point has its number of
 * buckets, their distances, and their counts minus one. `gaps` is shorter for few requests per point,
 * `counted` for many.
 */

import type { DistributionColumns } from "../../model/data-points.ts";
import { sumOf } from "../../model/columns.ts";
import { firstOf } from "../../model/row-groups.ts";
import { ByteReader } from "./byte-reader.ts";

export const HISTOGRAM_FORMS = ["gaps", "counted"] as const;
export type HistogramForm = (typeof HISTOGRAM_FORMS)[number];

/** Each form has three streams. */
export type Streams = readonly [Uint8Array, Uint8Array, Uint8Array];

type Histograms = Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount">;

/** Escape for a distance that does not fit into a byte, followed by the rest as a varint. */
export const ESCAPE = 255;

/** Decodes the points; `requests` has the number of values of each. */
export function decodeStreams(
  form: HistogramForm,
  streams: Streams,
  requests: Float64Array,
): Histograms {
  return form === "gaps" ? decodeGaps(streams, requests) : decodeCounted(streams, requests.length);
}

function decodeGaps([low, high, gaps]: Streams, requests: Float64Array): Histograms {
  const points = requests.length;
  const values = sumOf(requests);
  const bucketsFrom = new Uint32Array(points + 1);
  const bucket = new Uint16Array(values);
  const bucketCount = new Float64Array(values);
  const escaped = new ByteReader(gaps);
  let [entry, at] = [0, 0];
  for (let point = 0; point < points; point++) {
    bucketsFrom[point] = entry;
    let last = (low[point] as number) | ((high[point] as number) << 8);
    let count = 1;
    for (let left = (requests[point] as number) - 1; left > 0; left--) {
      let gap = gaps[at++] as number;
      if (gap === 0) {
        count += 1;
        continue;
      }
      if (gap === ESCAPE) {
        escaped.at = at;
        gap += escaped.varint();
        at = escaped.at;
      }
      bucket[entry] = last;
      bucketCount[entry++] = count;
      last += gap;
      count = 1;
    }
    bucket[entry] = last;
    bucketCount[entry++] = count;
  }
  bucketsFrom[points] = entry;
  return { bucketsFrom, bucket: firstOf(bucket, entry), bucketCount: firstOf(bucketCount, entry) };
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
