import { addPair, addWhole, isMinute, widen } from "../whole";
import {
  BATCH_ROWS,
  LABEL,
  LABEL_SLOTS,
  MEASURED,
  MEASURES,
  SECOND,
  SLOTTED_LABELS,
} from "./layout";
import { OPENS, PLACES, PLACE_MINUTES, SUM_BYTES, SUM_CELLS, SUMS, WHOLE } from "./layout";

/** Seconds from here on are not of the load test. */
const NOT_WHOLE: u32 = 128;
/** Of what is known of a label; above: its rows are of the load test. */
const SLOT_MASK: u32 = 0x7fff;

/**
 * Sums up the measures of `mask` of rows `[from, to)`, up to one whose label has no slot, or whose minute is not open. Returns that row,
 * which has left no trace, or `to`.
 */
export function sumRows(from: u32, to: u32, mask: u32): u32 {
  for (let row = from; row < to; row++) {
    const label = load<u32>(LABEL + (row << 2));
    const known = label < SLOTTED_LABELS ? <u32>load<u16>(LABEL_SLOTS + (label << 1)) : 0;
    const slot = known & SLOT_MASK;
    if (slot == 0) return row;
    const second = load<u32>(SECOND + (row << 2));
    const open = second % 120;
    const odd = <u32>(open >= 60);
    const minute = second - open + odd * 60;
    const place = 2 * slot - 2 + odd;
    const isWhole = known > SLOT_MASK;
    if (!areOpen(row, mask, place, minute, isWhole)) return row;
    for (let each: u32 = 0; each < MEASURES; each++) {
      const value = valueOf(row, each, mask);
      if (value < 0) continue;
      const sums = SUMS + each * SUM_BYTES;
      add(sums, place, 1, <f64>value);
      if (isWhole) addWhole(sums + WHOLE, open, 1, <f64>value, <f64>value);
    }
  }
  return to;
}

/** Sums up a measure of rows `[from, to)`, zeros `times` times, up to a row whose minute is not open. Returns that row, or `to`. */
export function sumUp(measure: u32, from: u32, to: u32, times: f64): u32 {
  const sums = SUMS + measure * SUM_BYTES;
  const whole = sums + WHOLE;
  for (let row = from; row < to; row++) {
    const value = valueOf(row, measure, u32.MAX_VALUE);
    if (value < 0) continue;
    const place = load<u32>(PLACES + (row << 2));
    const minute = load<u32>(PLACE_MINUTES + (row << 2));
    const open = load<u32>(OPENS + (row << 2));
    if (load<u32>(sums + (place << 2)) != minute) return row;
    const isWhole = open < NOT_WHOLE;
    if (isWhole && !isMinute(whole, place & 1, minute)) return row;
    add(sums, place, times, <f64>value);
    if (isWhole) addWhole(whole, open, times, <f64>value, <f64>value);
  }
  return to;
}

function areOpen(row: u32, mask: u32, place: u32, minute: u32, isWhole: bool): bool {
  for (let each: u32 = 0; each < MEASURES; each++) {
    if (valueOf(row, each, mask) < 0) continue;
    const sums = SUMS + each * SUM_BYTES;
    if (load<u32>(sums + (place << 2)) != minute) return false;
    if (isWhole && !isMinute(sums + WHOLE, place & 1, minute)) return false;
  }
  return true;
}

/** Negative: there is none, or the measure is not in the mask. */
function valueOf(row: u32, measure: u32, mask: u32): i32 {
  return ((mask >> measure) & 1) == 0
    ? -1
    : load<i32>(MEASURED + measure * (BATCH_ROWS * 4) + (row << 2));
}

function add(sums: u32, place: u32, times: f64, value: f64): void {
  const cell = sums + SUM_CELLS + (place << 5);
  addPair(cell, times, value);
  widen(cell + 16, cell + 24, value);
}
