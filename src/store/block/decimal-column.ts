/** A column of decimals (docs/internals/formats/block.md, "Decimals"). */

import {
  addDecimal,
  decimalOf,
  type DecimalSums,
  decimalsOf,
} from "../../model/measures/decimal-sum.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { readPacked, skippedBefore, writePacked } from "./packed-column.ts";
import { readPredicted, writePredicted } from "./predicted-column.ts";

const PLACES = 15;
const FORMS = { predicted: 0, packed: 1, split: 2 } as const;

/** Writes sums, predicted from `counts`: as integers, in the largest power of ten that divides all of them. */
export function writeDecimals(writer: ByteWriter, sums: DecimalSums, counts: Float64Array): void {
  if (counts.length === 0) return;
  const zeros = trailingZeros(sums.sumNanos);
  const unit = 10 ** zeros;
  const perMillion = 10 ** (PLACES - zeros);
  const values = sums.sumMillions.map(
    (millions, row) => millions * perMillion + (sums.sumNanos[row] as number) / unit,
  );
  const form = formOf(values, sums.sumMillions, perMillion);
  writer.byte(form);
  writer.byte(zeros);
  if (form === FORMS.predicted) writePredicted(writer, values, counts);
  else if (form === FORMS.packed) writePacked(writer, values);
  else {
    writePacked(writer, sums.sumMillions);
    writePacked(
      writer,
      sums.sumNanos.map((nanos) => nanos / unit),
    );
  }
}

export function readDecimals(reader: ByteReader, counts: Float64Array): DecimalSums {
  const sums = {
    sumMillions: new Float64Array(counts.length),
    sumNanos: new Float64Array(counts.length),
  };
  if (counts.length === 0) return sums;
  const form = reader.byte();
  const zeros = reader.byte();
  const unit = 10 ** zeros;
  const perMillion = 10 ** (PLACES - zeros);
  if (form === FORMS.split) {
    const millions = readPacked(reader, counts.length);
    const nanos = readPacked(reader, counts.length);
    for (const [row, each] of millions.entries()) {
      addDecimal(sums, row, each, (nanos[row] as number) * unit);
    }
    return sums;
  }
  const values =
    form === FORMS.predicted ? readPredicted(reader, counts) : readPacked(reader, counts.length);
  for (let row = 0; row < values.length; row++) {
    const value = values[row] as number;
    const millions = Math.trunc(value / perMillion);
    addDecimal(sums, row, millions, (value - millions * perMillion) * unit);
  }
  return sums;
}

/** Writes values as `asDecimal` returns them, and infinities. */
export function writeValues(writer: ByteWriter, values: Float64Array): void {
  const known = values.filter(Number.isFinite);
  const unknown = [...values.keys()].filter((row) => !Number.isFinite(values[row]));
  writer.varint(unknown.length);
  writePacked(writer, skippedBefore(unknown));
  writeDecimals(writer, decimalsOf(known), new Float64Array(known.length).fill(1));
}

/** Reads so many of them, with `unknown` for infinities. */
export function readValues(reader: ByteReader, count: number, unknown: number): Float64Array {
  const gaps = readPacked(reader, reader.varint());
  const isUnknown = new Uint8Array(count);
  let next = 0;
  for (const gap of gaps) {
    isUnknown[next + gap] = 1;
    next += gap + 1;
  }
  const ones = new Float64Array(count - gaps.length).fill(1);
  const known = readDecimals(reader, ones);
  let at = 0;
  return Float64Array.from(isUnknown, (flag) => (flag === 1 ? unknown : decimalOf(known, at++)));
}

/** Returns the number of zeros, at most 15, at the end of all of them. */
function trailingZeros(nanos: Float64Array): number {
  let zeros = PLACES;
  for (let row = 0; row < nanos.length && zeros > 0; row++) {
    const value = nanos[row] as number;
    while (value % 10 ** zeros !== 0) zeros -= 1;
  }
  return zeros;
}

function formOf(values: Float64Array, millions: Float64Array, perMillion: number): number {
  let [least, most] = [Infinity, -Infinity];
  for (let row = 0; row < values.length; row++) {
    const isExact = Math.abs((millions[row] as number) * perMillion) < Number.MAX_SAFE_INTEGER / 2;
    if (!isExact) return FORMS.split;
    least = Math.min(least, values[row] as number);
    most = Math.max(most, values[row] as number);
  }
  if (most - least > Number.MAX_SAFE_INTEGER / 2) return FORMS.split;
  return least >= 0 ? FORMS.predicted : FORMS.packed;
}
