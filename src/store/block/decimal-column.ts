/** A column of decimals (docs/internals/formats/block.md, "Decimals"). */

import { addDecimal, decimalOf, type DecimalSums } from "../../model/measures/decimal-sum.ts";
import type { ByteReader } from "./byte-reader.ts";
import { readPacked } from "./packed-column.ts";
import { readPredicted } from "./packed-column.ts";

const PLACES = 15;
const FORMS = { predicted: 0, packed: 1, split: 2 } as const;

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

/** Reads so many values as `asDecimal` returns them, with `unknown` for infinities. */
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
