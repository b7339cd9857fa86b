/**
 * A column of seconds: usually each is the previous one plus one (docs/internals/formats/block.md,
 * "Seconds").
 */

import type { IndexRange } from "../series.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";
import { unpack, writePacked } from "./packed-column.ts";

/**
 * Writes seconds that ascend within runs, which start at the indexes `firsts`: as the seconds skipped before
 * each; for the first one of a run, since the origin.
 */
export function writeSeconds(writer: ByteWriter, second: Uint32Array, firsts: Uint32Array): void {
  const gaps = new Float64Array(second.length);
  for (let index = 1; index < second.length; index++) {
    gaps[index] = (second[index] as number) - (second[index - 1] as number) - 1;
  }
  let origin = firsts.length === 0 ? 0 : Infinity;
  for (const first of firsts) origin = Math.min(origin, second[first] as number);
  for (const first of firsts) gaps[first] = (second[first] as number) - origin;
  writer.varint(origin);
  writePacked(writer, gaps);
}

/** Target range of the seconds, half open. */
interface PlaceOfSeconds extends IndexRange {
  readonly second: Uint32Array;
}

/** Reads `count` of them. */
export function readSeconds(reader: ByteReader, count: number, firsts: Uint32Array): Uint32Array {
  const second = new Uint32Array(count);
  unpackSeconds(reader, { second, from: 0, until: count }, firsts);
  return second;
}

/** Reads into an existing array; `firsts` are relative to its first index. */
export function unpackSeconds(
  reader: ByteReader,
  { second, from, until }: PlaceOfSeconds,
  firsts: Uint32Array,
): void {
  const origin = reader.varint();
  const gaps = gapsOf(until - from);
  unpack(reader, { values: gaps, from: 0, until: gaps.length });
  for (let order = 0; order < firsts.length; order++) {
    const end = firsts[order + 1] ?? until - from;
    let next = origin;
    for (let index = firsts[order] as number; index < end; index++) {
      next += gaps[index] as number;
      second[from + index] = next;
      next += 1;
    }
  }
}

let memory = new Float64Array(0);

/** Memory that the next call returns again. */
function gapsOf(count: number): Float64Array {
  if (memory.length < count) memory = new Float64Array(count);
  return memory.subarray(0, count);
}
