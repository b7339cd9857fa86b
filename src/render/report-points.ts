/** Data points as they stand in a report: column by column, so that they compress well. */

import { bucketFloor, bucketOf } from "../model/buckets/bucket-layout.ts";
import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import { BOUNDS, EXTREMES, extremesState } from "../model/histogram.ts";

/** Points of one endpoint, strictly ascending by second. */
export type PointColumns = SumColumns & DistributionColumns;

const UNTIMED = ["untimedRequests", "untimedFailedRequests"] as const;

export function writePoints(points: PointColumns, out: VarintWriter): void {
  const { second, requests, failedRequests, windowSeconds } = points;
  const count = second.length;
  out.write(count);
  out.writeSteps(second);
  for (let point = 0; point < count; point++) out.write((windowSeconds?.[point] ?? 1) - 1);
  writeUntimed(points, out);
  for (const column of [requests, failedRequests, points.elapsedMicros, points.receivedBytes]) {
    for (const value of column) out.write(value);
  }
  for (let point = 0; point < count; point++) {
    if (failedRequests[point] === 0) continue;
    out.write(points.failedElapsedMicros[point] as number);
    out.write(points.failedReceivedBytes[point] as number);
  }
  for (let point = 0; point < count; point++) writeBuckets(points, point, out);
  for (let point = 0; point < count; point++) writeExtremes(points, point, out);
}

function writeUntimed(points: PointColumns, out: VarintWriter): void {
  for (const name of UNTIMED) {
    out.write(points[name] === undefined ? 0 : 1);
    for (const value of points[name] ?? []) out.write(value);
  }
}

function writeExtremes(points: PointColumns, point: number, out: VarintWriter): void {
  const { bucketsFrom } = points;
  const [first, last] = [bucketsFrom[point] as number, (bucketsFrom[point + 1] as number) - 1];
  const state = extremesState(points, point);
  out.write(EXTREMES.indexOf(state));
  if (state !== "known") return;
  const wanted = expectedExtremes(points, point, [first, last]);
  out.writeSigned((points.minMicros[point] as number) - wanted.min);
  out.writeSigned((points.maxMicros[point] as number) - wanted.max);
}

export function readPoints(reader: VarintReader): PointColumns {
  const count = reader.read();
  const second = Uint32Array.from(reader.readSteps(count));
  const windowSeconds = Uint16Array.from({ length: count }, () => reader.read() + 1);
  const column = () => Float64Array.from({ length: count }, () => reader.read());
  const [untimedRequests, untimedFailedRequests] = UNTIMED.map(() =>
    reader.read() === 1 ? column() : undefined,
  );
  const [requests, failedRequests, elapsedMicros, receivedBytes] = [
    column(),
    column(),
    column(),
    column(),
  ];
  const [failedElapsedMicros, failedReceivedBytes] = [
    new Float64Array(count),
    new Float64Array(count),
  ];
  for (let point = 0; point < count; point++) {
    if (failedRequests[point] === 0) continue;
    failedElapsedMicros[point] = reader.read();
    failedReceivedBytes[point] = reader.read();
  }
  const buckets = readBuckets(count, reader);
  const points = {
    second,
    requests,
    elapsedMicros,
    receivedBytes,
    failedRequests,
    failedElapsedMicros,
    failedReceivedBytes,
    ...(windowSeconds.some((seconds) => seconds > 1) ? { windowSeconds } : {}),
    ...(untimedRequests && { untimedRequests }),
    ...(untimedFailedRequests && { untimedFailedRequests }),
    minMicros: new Float64Array(count),
    maxMicros: new Float64Array(count),
    ...buckets,
  };
  const { bucketsFrom } = buckets;
  for (let point = 0; point < count; point++) {
    const [first, last] = [bucketsFrom[point] as number, (bucketsFrom[point + 1] as number) - 1];
    const state = EXTREMES[reader.read()] ?? "unknown";
    if (state !== "known") {
      points.minMicros[point] = BOUNDS[state].min;
      points.maxMicros[point] = BOUNDS[state].max;
      continue;
    }
    const wanted = expectedExtremes(points, point, [first, last]);
    points.minMicros[point] = wanted.min + reader.readSigned();
    points.maxMicros[point] = wanted.max + reader.readSigned();
  }
  return points;
}

function writeBuckets(points: PointColumns, point: number, out: VarintWriter): void {
  const { bucketsFrom, bucket, bucketCount } = points;
  const [from, until] = [bucketsFrom[point] as number, bucketsFrom[point + 1] as number];
  out.write(until - from);
  let last = 0;
  for (let entry = from; entry < until; entry++) {
    out.write((bucket[entry] as number) - last);
    last = bucket[entry] as number;
  }
  for (let entry = from; entry < until; entry++) out.write(bucketCount[entry] as number);
}

function readBuckets(
  count: number,
  reader: VarintReader,
): Pick<DistributionColumns, "bucketsFrom" | "bucket" | "bucketCount"> {
  const bucketsFrom = new Uint32Array(count + 1);
  const bucket: number[] = [];
  const bucketCount: number[] = [];
  for (let point = 0; point < count; point++) {
    const length = reader.read();
    let last = 0;
    for (let entry = 0; entry < length; entry++) bucket.push((last += reader.read()));
    for (let entry = 0; entry < length; entry++) bucketCount.push(reader.read());
    bucketsFrom[point + 1] = bucket.length;
  }
  return {
    bucketsFrom,
    bucket: Uint16Array.from(bucket),
    bucketCount: Float64Array.from(bucketCount),
  };
}

/** Estimates of the extremes: only the difference is written. */
function expectedExtremes(
  { requests, elapsedMicros, bucket }: Omit<PointColumns, "minMicros" | "maxMicros">,
  point: number,
  [first, last]: readonly [first: number, last: number],
): { readonly min: number; readonly max: number } {
  const elapsed = elapsedMicros[point] as number;
  const lowest = bucket[first] ?? 0;
  // Of one request the sum is both extremes.
  if (requests[point] === 1 && bucketOf(elapsed) === lowest) return { min: elapsed, max: elapsed };
  return { min: bucketFloor(lowest), max: bucketFloor(bucket[last] ?? 0) };
}

/** Integers up to 2^53 - 1 as LEB128. */

const LOW_BITS = 0x7f;
const GOES_ON = 0x80;
/** Numbers below it fit bitwise operators. */
const SMALL = 2 ** 31;
const BYTES_MAX = 8;
const DOUBLED_BELOW = 2 ** 51;

export class VarintWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** Writes an integer from 0 to 2^53 - 1. */
  write(value: number): void {
    if (this.#length + BYTES_MAX > this.#bytes.length) this.#grow();
    let rest = value;
    for (; rest >= SMALL; rest = Math.floor(rest / GOES_ON)) this.#push((rest % GOES_ON) | GOES_ON);
    for (; rest >= GOES_ON; rest >>>= 7) this.#push((rest & LOW_BITS) | GOES_ON);
    this.#push(rest);
  }

  /** Writes an integer from -(2^53 - 1) to 2^53 - 1; those near 0 are short. */
  writeSigned(value: number): void {
    if (Math.abs(value) < DOUBLED_BELOW) return this.write(value < 0 ? -2 * value : 2 * value + 1);
    // Doubling would not be exact: sign and size are separate.
    this.write(0);
    this.write(value < 0 ? 1 : 0);
    this.write(Math.abs(value));
  }

  /** Writes how far each integer is from the one before. */
  writeSteps(column: Iterable<number>): void {
    let last = 0;
    for (const value of column) {
      this.writeSigned(value - last);
      last = value;
    }
  }

  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #push(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  #grow(): void {
    const larger = new Uint8Array(2 * this.#bytes.length);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

export class VarintReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  read(): number {
    let [value, place] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError("unexpected end of data within a number");
      value += (byte & LOW_BITS) * place;
      if (byte < GOES_ON) return value;
      place *= GOES_ON;
    }
  }

  readSigned(): number {
    const value = this.read();
    if (value > 0) return value % 2 === 0 ? -value / 2 : (value - 1) / 2;
    const isNegative = this.read() === 1;
    return isNegative ? -this.read() : this.read();
  }

  readSteps(count: number): Float64Array {
    let last = 0;
    return Float64Array.from({ length: count }, () => (last += this.readSigned()));
  }

  /** Place of the next byte. */
  get at(): number {
    return this.#at;
  }
}
