/**
 * Minimum and maximum of the points of a section. The histogram tells the bucket of each; what is stored is
 * the value within the bucket: a bit or two if a source measures whole milliseconds.
 */

import type { DistributionColumns } from "../../model/data-points.ts";
import { BUCKET_COUNT, bucketFloor, bucketWidth } from "../../model/buckets/bucket-layout.ts";
import { BOUNDS, EXTREMES } from "../../model/histogram.ts";
import { BitReader, bitLength, readPacked } from "./packed-column.ts";
import type { ByteReader } from "./bytes.ts";

/**
 * Forms: 1 if the extremes lie in the outermost buckets (usual case), columns of their own, or one of both after a column that
 * tells which points have none.
 */
const AS_COLUMNS = 0;
const SOME_ABSENT = 2;

const KNOWN = EXTREMES.indexOf("known");

type Histograms = Pick<DistributionColumns, "bucketsFrom" | "bucket">;
type Extremes = Pick<DistributionColumns, "minMicros" | "maxMicros">;

export function readExtremes(reader: ByteReader, histograms: Histograms): Extremes {
  const points = histograms.bucketsFrom.length - 1;
  if (points === 0) return { minMicros: new Float64Array(0), maxMicros: new Float64Array(0) };
  const form = reader.byte();
  if (form === SOME_ABSENT) return readSomeAbsent(reader, histograms);
  const factor = reader.varint();
  if (form === AS_COLUMNS) {
    const minMicros = readPacked(reader, points).map((value) => value * factor);
    return { minMicros, maxMicros: readPacked(reader, points).map((value) => value * factor) };
  }
  const { first, bits: width } = placesOf(factor, histograms);
  const minMicros = new Float64Array(points);
  const maxMicros = new Float64Array(points);
  const bits = new BitReader(reader);
  for (let point = 0; point < points; point++) {
    const lowest = firstBucket(histograms, point);
    const highest = lastBucket(histograms, point);
    const low = (first[lowest] as number) + bits.read(width[lowest] as number);
    const high = (first[highest] as number) + bits.read(width[highest] as number);
    minMicros[point] = low * factor;
    maxMicros[point] = high * factor;
  }
  bits.end();
  return { minMicros, maxMicros };
}

function readSomeAbsent(reader: ByteReader, { bucketsFrom, bucket }: Histograms): Extremes {
  const states = readPacked(reader, bucketsFrom.length - 1);
  const present = Uint32Array.from(states.keys()).filter((point) => states[point] === KNOWN);
  const known = readExtremes(reader, outermostBuckets({ bucketsFrom, bucket }, present));
  const extremes = {
    minMicros: new Float64Array(states.length),
    maxMicros: new Float64Array(states.length),
  };
  let next = 0;
  for (const [point, state] of states.entries()) {
    const name = EXTREMES[state] ?? "unknown";
    extremes.minMicros[point] =
      name === "known" ? (known.minMicros[next] as number) : BOUNDS[name].min;
    extremes.maxMicros[point] =
      name === "known" ? (known.maxMicros[next] as number) : BOUNDS[name].max;
    if (name === "known") next += 1;
  }
  return extremes;
}

/** First and last bucket of these points, which `readExtremes` needs. */
function outermostBuckets({ bucketsFrom, bucket }: Histograms, points: Uint32Array): Histograms {
  const own = {
    bucketsFrom: new Uint32Array(points.length + 1),
    bucket: new Uint16Array(2 * points.length),
  };
  let used = 0;
  for (const [index, point] of points.entries()) {
    const [from, until] = [bucketsFrom[point] as number, bucketsFrom[point + 1] as number];
    if (until > from) {
      own.bucket[used++] = bucket[from] as number;
      own.bucket[used++] = bucket[until - 1] as number;
    }
    own.bucketsFrom[index + 1] = used;
  }
  return own;
}

/**
 * The first multiple of a factor in each bucket, in units of it, and the bits per value within a bucket.
 */
interface Places {
  readonly first: Float64Array;
  readonly bits: Uint8Array;
}

/** Cached factors: nearly all blocks of a store have one of a few. */
const FACTORS_REMEMBERED = 16;
/** Stands for a place not computed yet: no value has this many bits. */
const UNKNOWN = 255;
const placesByFactor = new Map<number, Places>();

/** The places of this factor, with those of these buckets computed: computing all would take as long as encoding a block of one second. */
function placesOf(factor: number, histograms: Histograms): Places {
  let places = placesByFactor.get(factor);
  if (places === undefined) {
    places = {
      first: new Float64Array(BUCKET_COUNT),
      bits: new Uint8Array(BUCKET_COUNT).fill(UNKNOWN),
    };
    if (placesByFactor.size === FACTORS_REMEMBERED) placesByFactor.clear();
    placesByFactor.set(factor, places);
  }
  for (let point = 0; point + 1 < histograms.bucketsFrom.length; point++) {
    addPlace(places, factor, firstBucket(histograms, point));
    addPlace(places, factor, lastBucket(histograms, point));
  }
  return places;
}

function addPlace({ first, bits }: Places, factor: number, bucket: number): void {
  if (bits[bucket] !== UNKNOWN) return;
  const floor = bucketFloor(bucket);
  const lowest = Math.ceil(floor / factor);
  const highest = Math.floor((floor + bucketWidth(bucket) - 1) / factor);
  first[bucket] = lowest;
  bits[bucket] = bitLength(Math.max(0, highest - lowest));
}

/** Returns the first bucket of a point; 0 if it has none. */
function firstBucket({ bucketsFrom, bucket }: Histograms, point: number): number {
  const from = bucketsFrom[point] as number;
  return from === bucketsFrom[point + 1] ? 0 : (bucket[from] as number);
}

/** Returns the last bucket of a point; 0 if it has none. */
function lastBucket({ bucketsFrom, bucket }: Histograms, point: number): number {
  const until = bucketsFrom[point + 1] as number;
  return until === bucketsFrom[point] ? 0 : (bucket[until - 1] as number);
}
