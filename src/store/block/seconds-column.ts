/** A column of seconds: mostly each is the one before plus one (docs/formats/block.md, "Seconds"). */

import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { readPacked, writePacked } from "./packed-column.ts";

/**
 * Writes seconds that ascend in runs, each of which begins at one of the indexes `firsts`: as the
 * seconds skipped before each; for the first one of a run, since the origin.
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

/** Reads `count` of them. */
export function readSeconds(reader: ByteReader, count: number, firsts: Uint32Array): Uint32Array {
  const origin = reader.varint();
  const gaps = readPacked(reader, count);
  const second = new Uint32Array(count);
  for (const [order, first] of firsts.entries()) {
    const until = firsts[order + 1] ?? count;
    let next = origin;
    for (let index = first; index < until; index++) {
      next += gaps[index] as number;
      second[index] = next;
      next += 1;
    }
  }
  return second;
}
