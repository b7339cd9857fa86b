/**
 * A column of sums predicted from request counts: the greatest common divisor is divided out (1,000 if a
 * source measures milliseconds), and each value is stored as its distance from requests times average
 * (docs/internals/formats/block.md, "Predicted column").
 */

import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { type Place, unpack, writePacked } from "./packed-column.ts";

/** Units of the average: finer ones would not shorten the distances. */
const SLOPE_UNITS = 256;
const SLOPE_MAX = 2 ** 40;

/** Writes `sums`, integers from 0 to 2^53 - 1, predicted from `requests`. */
export function writePredicted(
  writer: ByteWriter,
  sums: Float64Array,
  requests: Float64Array,
): void {
  if (sums.length === 0) return;
  const factor = commonFactor(sums);
  const slope = usableSlope(sums, requests, factor);
  writer.varint(factor);
  writer.varint(slope);
  writePacked(writer, distances(sums, requests, { factor, slope }));
}

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

/** Returns the greatest common divisor of the columns; 1 if all values are 0. */
export function commonFactor(...columns: readonly Float64Array[]): number {
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

/** Deterministic: one product and one division by a power of two, each rounded per IEEE 754. */
function predict(requests: number, slope: number): number {
  return Math.floor((requests * slope) / SLOPE_UNITS);
}

/**
 * Returns the average per request in `SLOPE_UNITS` of the factor, or 0 if predictions could exceed exact
 * integers.
 */
function usableSlope(sums: Float64Array, requests: Float64Array, factor: number): number {
  let [sum, requestSum, most] = [0, 0, 0];
  for (let index = 0; index < sums.length; index++) {
    const value = (sums[index] as number) / factor;
    const over = requests[index] as number;
    sum += value;
    requestSum += over;
    if (value > most) most = value;
    if (over > most) most = over;
  }
  const slope = Math.round((sum / Math.max(1, requestSum)) * SLOPE_UNITS);
  const safe = slope <= SLOPE_MAX && most * Math.max(1, slope / SLOPE_UNITS) < 2 ** 51;
  return safe ? slope : 0;
}

function distances(
  sums: Float64Array,
  requests: Float64Array,
  { factor, slope }: { readonly factor: number; readonly slope: number },
): Float64Array {
  const away = new Float64Array(sums.length);
  for (let index = 0; index < sums.length; index++) {
    const units = (sums[index] as number) / factor;
    away[index] = units - predict(requests[index] as number, slope);
  }
  return away;
}
