/**
 * A column of sums predicted from request counts: the greatest common divisor is divided out (1,000 if a
 * source measures milliseconds), and each value is stored as its distance from requests times average
 * (docs/internals/formats/block.md, "Predicted column").
 */

import type { ByteReader } from "./byte-reader.ts";
import { type Place, unpack } from "./packed-column.ts";

/** Units of the average: finer ones would not shorten the distances. */
const SLOPE_UNITS = 256;

export function readPredicted(reader: ByteReader, requests: Float64Array): Float64Array {
  const sums = new Float64Array(requests.length);
  unpackPredicted(reader, { values: sums, from: 0, until: sums.length }, requests);
  return sums;
}

/** Reads into an existing array; `requests` are at the same indexes of their own column. */
export function unpackPredicted(reader: ByteReader, place: Place, requests: Float64Array): void {
  const { values, from, until } = place;
  if (from === until) return;
  const factor = reader.varint();
  const slope = reader.varint();
  unpack(reader, place);
  for (let index = from; index < until; index++) {
    const units = (values[index] as number) + predict(requests[index] as number, slope);
    values[index] = units * factor;
  }
}

/** Deterministic: one product and one division by a power of two, each rounded per IEEE 754. */
function predict(requests: number, slope: number): number {
  return Math.floor((requests * slope) / SLOPE_UNITS);
}
