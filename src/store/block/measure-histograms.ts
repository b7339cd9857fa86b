/** Histograms of one measure by minute (docs/internals/formats/block.md, "Measures"). */

import { type MeasureHistograms, SECONDS_PER_MINUTE } from "../../model/measures/measure-table.ts";
import type { ByteReader } from "./byte-reader.ts";
import { readValues } from "./decimal-column.ts";
import { readPacked } from "./packed-column.ts";
import { readSeconds } from "./seconds-column.ts";

const FIRST = Uint32Array.of(0);

/** Returns them as those of series 0. */
export function readHistograms(reader: ByteReader): MeasureHistograms {
  const rows = reader.varint();
  const minute = readSeconds(reader, rows, FIRST).map((each) => each * SECONDS_PER_MINUTE);
  const min = readValues(reader, rows, -Infinity);
  const max = readValues(reader, rows, Infinity);
  const sizes = readPacked(reader, rows);
  const bucketsFrom = new Uint32Array(rows + 1);
  for (const [row, size] of sizes.entries()) {
    bucketsFrom[row + 1] = (bucketsFrom[row] as number) + size;
  }
  const entries = bucketsFrom[rows] as number;
  const used = sizes.reduce((sum, size) => sum + Math.min(1, size), 0);
  const firsts = readPacked(reader, used);
  const gaps = readPacked(reader, entries - used);
  const bucket = new Uint16Array(entries);
  let [first, gap] = [0, 0];
  for (let row = 0; row < rows; row++) {
    const from = bucketsFrom[row] as number;
    const until = bucketsFrom[row + 1] as number;
    if (from < until) bucket[from] = firsts[first++] as number;
    for (let entry = from + 1; entry < until; entry++) {
      bucket[entry] = (bucket[entry - 1] as number) + 1 + (gaps[gap++] as number);
    }
  }
  const bucketCount = readPacked(reader, entries);
  const series = new Uint32Array(rows);
  return { series, minute, min, max, bucketsFrom, bucket, bucketCount };
}
