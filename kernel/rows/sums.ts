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
import { OPENS, PLACES, PLACE_MINUTES, SUM_BYTES, SUM_MINUTES, SUMS, WHOLE } from "./layout";

/** Added to open seconds that do not count for the load test. */
const NOT_WHOLE: u32 = 128;
/** Slot plus 1 in an entry of `LABEL_SLOTS`; the bit above is set if the rows count for the load test. */
const SLOT_MASK: u32 = 0x7fff;

/**
 * Sums up the measures in `mask` of rows `[from, to)`, up to a row whose label has no slot, or whose minute is not open.
 * Returns that row, which is not summed up, or `to`.
 */
export function sumRows(from: u32, to: u32, mask: u32): u32 {
  const end = placeRows(from, to, mask);
  for (let each: u32 = 0; each < MEASURES; each++) {
    if (((mask >> each) & 1) != 0) add(each, from, end, 1);
  }
  return end;
}

/**
 * Sums up a measure of rows `[from, to)`, which are placed, up to one whose minute is not open. Returns that row, or `to`.
 * `times`: see `add`.
 */
export function sumUp(measure: u32, from: u32, to: u32, times: f64): u32 {
  const whole = SUMS + measure * SUM_BYTES + WHOLE;
  let row = from;
  for (; row < to; row++) {
    if (valueOf(row, measure) < 0) continue;
    const place = load<u32>(PLACES + (row << 2));
    const minute = load<u32>(PLACE_MINUTES + (row << 2));
    if (load<u32>(SUM_MINUTES + (place << 4) + (measure << 2)) != minute) break;
    const isWhole = load<u32>(OPENS + (row << 2)) < NOT_WHOLE;
    if (isWhole && !isMinute(whole, place & 1, minute)) break;
  }
  add(measure, from, row, times);
  return row;
}

/** Reports whether rows `[from, to)` have no value of a measure other than 0. */
export function areZero(measure: u32, from: u32, to: u32): bool {
  for (let row = from; row < to; row++) if (valueOf(row, measure) > 0) return false;
  return true;
}

/** Writes place and open second of rows, up to one that cannot be summed up: see `sumRows`. Returns that row, or `to`. */
function placeRows(from: u32, to: u32, mask: u32): u32 {
  const others = i32x4.eq(v128.and(i32x4.splat(mask), i32x4(1, 2, 4, 8)), i32x4.splat(0));
  const all = i32x4.splat(-1);
  let start: u32 = 0;
  let odd: u32 = 0;
  let minute = all;
  let wholes = all;
  for (let row = from; row < to; row++) {
    const label = load<u32>(LABEL + (row << 2));
    const known = label < SLOTTED_LABELS ? <u32>load<u16>(LABEL_SLOTS + (label << 1)) : 0;
    const slot = known & SLOT_MASK;
    if (slot == 0) return row;
    const second = load<u32>(SECOND + (row << 2));
    if (second - start >= 60 || row == from) {
      odd = <u32>(second % 120 >= 60);
      start = second - (second % 60);
      minute = i32x4.splat(start);
      wholes = i32x4(
        wholeLane(0, odd, start),
        wholeLane(1, odd, start),
        wholeLane(2, odd, start),
        wholeLane(3, odd, start),
      );
    }
    const open = second - start + odd * 60;
    const place = 2 * slot - 2 + odd;
    const isWhole = known > SLOT_MASK;
    const minutes = i32x4.eq(v128.load(SUM_MINUTES + (place << 4)), minute);
    const opened = v128.or(others, v128.and(minutes, isWhole ? wholes : all));
    if (!i32x4.all_true(opened) && hasClosed(row, i32x4.bitmask(opened))) return row;
    store<u32>(PLACES + (row << 2), place);
    store<u32>(OPENS + (row << 2), isWhole ? open : open + NOT_WHOLE);
  }
  return to;
}

/** Returns -1 if the minute of the load test is open, else 0. */
function wholeLane(measure: u32, odd: u32, minute: u32): i32 {
  return isMinute(SUMS + measure * SUM_BYTES + WHOLE, odd, minute) ? -1 : 0;
}

/** Reports whether a row has a value of a measure that is not in the mask `opened`. */
function hasClosed(row: u32, opened: i32): bool {
  for (let each: u32 = 0; each < MEASURES; each++) {
    if (((opened >> each) & 1) == 0 && valueOf(row, each) >= 0) return true;
  }
  return false;
}

/** Returns the value of a row, negative if there is none. */
function valueOf(row: u32, measure: u32): i32 {
  return load<i32>(MEASURED + measure * (BATCH_ROWS * 4) + (row << 2));
}

/** Sums up rows that are placed and whose minutes are open. `times` is the count of each, 1 unless all values are 0. */
function add(measure: u32, from: u32, to: u32, times: f64): void {
  const sums = SUMS + measure * SUM_BYTES;
  const whole = sums + WHOLE;
  const end = to << 2;
  for (let word = from << 2; word < end; word += 4) {
    const written = load<i32>(MEASURED + measure * (BATCH_ROWS * 4) + word);
    if (written < 0) continue;
    const value = <f64>written;
    const cell = sums + (load<u32>(PLACES + word) << 5);
    addPair(cell, times, value);
    widen(cell + 16, cell + 24, value);
    const open = load<u32>(OPENS + word);
    if (open < NOT_WHOLE) addWhole(whole, open, times, value, value);
  }
}
