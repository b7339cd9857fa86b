/**
 * Minimum and maximum of the points of a section. The histogram says already in which bucket each
 * of them lies; what is left is which of the bucket's possible values it is: a bit or two where a
 * source measures whole milliseconds.
 */

import type { DistributionColumns } from "../../model/data-points.ts";
import { BUCKET_COUNT, bucketFloor, bucketWidth } from "../../model/histogram.ts";
import { bitLength, BitReader, BitWriter } from "./bits.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { readPacked, writePacked } from "./packed-column.ts";
import { commonFactor } from "./predicted-column.ts";

/** The extremes lie in the outermost buckets, as they should, or are columns of their own. */
const IN_BUCKETS = 1;
const AS_COLUMNS = 0;

type Histograms = Pick<DistributionColumns, "bucketsFrom" | "bucket">;
type Extremes = Pick<DistributionColumns, "minMicros" | "maxMicros">;

export function writeExtremes(
  writer: ByteWriter,
  distribution: DistributionColumns,
  tables: PlaceTables,
): void {
  const { minMicros, maxMicros } = distribution;
  if (minMicros.length === 0) return;
  const factor = commonFactor([minMicros, maxMicros]);
  const lowest = placesOf(distribution, firstBucket, tables.of(factor));
  const highest = placesOf(distribution, lastBucket, tables.of(factor));
  const fits = liesIn(minMicros, lowest, factor) && liesIn(maxMicros, highest, factor);
  writer.byte(fits ? IN_BUCKETS : AS_COLUMNS);
  writer.varint(factor);
  if (!fits) {
    writePacked(
      writer,
      minMicros.map((value) => value / factor),
    );
    writePacked(
      writer,
      maxMicros.map((value) => value / factor),
    );
    return;
  }
  const bits = new BitWriter(writer);
  for (let point = 0; point < minMicros.length; point++) {
    const [low, high] = [minMicros[point] as number, maxMicros[point] as number];
    bits.write(low / factor - (lowest.first[point] as number), lowest.bits[point] as number);
    bits.write(high / factor - (highest.first[point] as number), highest.bits[point] as number);
  }
  bits.end();
}

/** Reads the extremes of the points whose histograms are known. */
export function readExtremes(
  reader: ByteReader,
  histograms: Histograms,
  tables: PlaceTables,
): Extremes {
  const points = histograms.bucketsFrom.length - 1;
  if (points === 0) return { minMicros: new Float64Array(0), maxMicros: new Float64Array(0) };
  const form = reader.byte();
  const factor = reader.varint();
  if (form === AS_COLUMNS) {
    const minMicros = readPacked(reader, points).map((value) => value * factor);
    return { minMicros, maxMicros: readPacked(reader, points).map((value) => value * factor) };
  }
  const lowest = placesOf(histograms, firstBucket, tables.of(factor));
  const highest = placesOf(histograms, lastBucket, tables.of(factor));
  const minMicros = new Float64Array(points);
  const maxMicros = new Float64Array(points);
  const bits = new BitReader(reader);
  for (let point = 0; point < points; point++) {
    const low = (lowest.first[point] as number) + bits.read(lowest.bits[point] as number);
    const high = (highest.first[point] as number) + bits.read(highest.bits[point] as number);
    minMicros[point] = low * factor;
    maxMicros[point] = high * factor;
  }
  bits.end();
  return { minMicros, maxMicros };
}

/** The first multiple of a factor in each of some buckets, and the bits that tell them apart. */
interface Places {
  readonly first: Float64Array;
  readonly bits: Uint8Array;
}

/** `Places` of all buckets by factor, worked out once for the sections of a block. */
export class PlaceTables {
  readonly #byFactor = new Map<number, Places>();

  of(factor: number): Places {
    let table = this.#byFactor.get(factor);
    if (table === undefined) {
      table = placesOfAllBuckets(factor);
      this.#byFactor.set(factor, table);
    }
    return table;
  }
}

function placesOfAllBuckets(factor: number): Places {
  const first = new Float64Array(BUCKET_COUNT);
  const bits = new Uint8Array(BUCKET_COUNT);
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    const floor = bucketFloor(bucket);
    const lowest = Math.ceil(floor / factor);
    const highest = Math.floor((floor + bucketWidth(bucket) - 1) / factor);
    first[bucket] = lowest;
    bits[bucket] = bitLength(Math.max(0, highest - lowest));
  }
  return { first, bits };
}

/** The places of one bucket of each point; zeros where it has none. */
function placesOf(
  histograms: Histograms,
  choose: (histograms: Histograms, point: number) => number | undefined,
  table: Places,
): Places {
  const points = histograms.bucketsFrom.length - 1;
  const first = new Float64Array(points);
  const bits = new Uint8Array(points);
  for (let point = 0; point < points; point++) {
    const bucket = choose(histograms, point);
    if (bucket === undefined) continue;
    first[point] = table.first[bucket] as number;
    bits[point] = table.bits[bucket] as number;
  }
  return { first, bits };
}

function firstBucket({ bucketsFrom, bucket }: Histograms, point: number): number | undefined {
  return bucketsFrom[point] === bucketsFrom[point + 1]
    ? undefined
    : bucket[bucketsFrom[point] ?? 0];
}

function lastBucket({ bucketsFrom, bucket }: Histograms, point: number): number | undefined {
  const end = bucketsFrom[point + 1] as number;
  return bucketsFrom[point] === end ? undefined : bucket[end - 1];
}

function liesIn(values: Float64Array, places: Places, factor: number): boolean {
  return values.every((value, point) => {
    const step = value / factor - (places.first[point] as number);
    return step >= 0 && bitLength(step) <= (places.bits[point] as number);
  });
}
