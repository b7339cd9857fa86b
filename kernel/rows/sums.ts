import { addPair, addWhole, isEmpty, isMinute, openMinute, widen, writeClosed } from "../whole";
import { CLOSED_BYTES } from "../whole";
import { BATCH_ROWS, CLOSED, CLOSED_MAX, LABEL, LABEL_SLOTS, MEASURED, MEASURES } from "./layout";
import {
  OPENS,
  PLACES,
  SECOND,
  SLOTTED_LABELS,
  SUM_BYTES,
  SUM_MINUTES,
  SUMS,
  WHOLE,
} from "./layout";

/** Number of sums closed by the last call. Their place is 4 * the place of the label + the measure. */
export let closed: u32 = 0;
/** Minute of the load test that must be closed first: 2 * measure + 1, plus 1 if the minute is odd; 0: none. */
export let blocked: u32 = 0;

/** Added to open seconds that do not count for the load test. */
const NOT_WHOLE: u32 = 128;
/** Slot plus 1 in an entry of `LABEL_SLOTS`; the bit above is set if the rows count for the load test. */
const SLOT_MASK: u32 = 0x7fff;

/**
 * Sums up the measures in `mask` of rows `[from, to)`, up to a row whose label has no slot, or before which sums must be
 * handed over. Returns that row, which is not summed up, or `to`.
 */
export function sumRows(from: u32, to: u32, mask: u32): u32 {
  clearClosed();
  let row = sumPlaced(from, to, mask);
  while (row < to && openRow(row, slotOf(row), load<u32>(SECOND + (row << 2)), mask)) {
    row = sumPlaced(row, to, mask);
  }
  return row;
}

/**
 * Sums up the measures in `mask` of a row, 0 `times` times. `known`: the entry of its label in `LABEL_SLOTS`. Returns 0 if sums
 * must be handed over first, else 1 plus the number of those that were closed.
 */
export function sumRow(row: u32, known: u32, second: u32, mask: u32, times: f64): u32 {
  clearClosed();
  if (!openRow(row, known, second, mask)) return 0;
  const open = second % 120;
  store<u32>(PLACES + (row << 2), 2 * (known & SLOT_MASK) - 2 + <u32>(open >= 60));
  store<u32>(OPENS + (row << 2), known > SLOT_MASK ? open : open + NOT_WHOLE);
  for (let each: u32 = 0; each < MEASURES; each++) {
    if (((mask >> each) & 1) != 0) add(each, row, row + 1, times);
  }
  return 1 + closed;
}

/** Prepares the sums of a label. */
export function openSlot(slot: u32): void {
  for (let place = 2 * slot; place < 2 * slot + 2; place++) {
    for (let each: u32 = 0; each < MEASURES; each++) {
      store<u32>(minuteAt(place, each), 0);
      clearCell(cellAt(place, each));
    }
  }
}

/** Closes the sums of the first `slots` labels for the measures in `mask`. Returns false if there is no room for all. */
export function closeAll(slots: u32, mask: u32): bool {
  clearClosed();
  for (let place: u32 = 0; place < 2 * slots; place++) {
    if (closed + MEASURES > CLOSED_MAX) return false;
    for (let each: u32 = 0; each < MEASURES; each++) {
      if (((mask >> each) & 1) != 0) close(place, each);
    }
  }
  return true;
}

/** Sums up rows `[from, to)`, up to one whose minutes are not open. Returns that row, or `to`. */
function sumPlaced(from: u32, to: u32, mask: u32): u32 {
  const end = placeRows(from, to, mask);
  for (let each: u32 = 0; each < MEASURES; each++) {
    if (((mask >> each) & 1) != 0) add(each, from, end, 1);
  }
  return end;
}

function clearClosed(): void {
  closed = 0;
  blocked = 0;
}

/** Opens the minutes of a row. Returns false if its label has no slot, or sums must be handed over first. */
function openRow(row: u32, known: u32, second: u32, mask: u32): bool {
  if (known == 0 || closed + MEASURES > CLOSED_MAX) return false;
  for (let each: u32 = 0; each < MEASURES; each++) {
    if (((mask >> each) & 1) == 0 || valueOf(row, each) < 0) continue;
    if (!openMinutes(each, known, second)) return false;
  }
  return true;
}

/** Opens the minutes of a label and, if its rows count for it, the load test. Returns false if the latter must be closed first. */
function openMinutes(measure: u32, known: u32, second: u32): bool {
  const minute = second - (second % 60);
  const odd = <u32>(second % 120 >= 60);
  const whole = SUMS + measure * SUM_BYTES + WHOLE;
  if (known > SLOT_MASK && !isMinute(whole, odd, minute)) {
    if (!isEmpty(whole, odd)) {
      blocked = 2 * measure + odd + 1;
      return false;
    }
    openMinute(whole, odd, minute);
  }
  const place = 2 * (known & SLOT_MASK) - 2 + odd;
  if (load<u32>(minuteAt(place, measure)) == minute) return true;
  close(place, measure);
  store<u32>(minuteAt(place, measure), minute);
  return true;
}

function close(place: u32, measure: u32): void {
  const cell = cellAt(place, measure);
  if (load<f64>(cell) == 0) return;
  const to = CLOSED + closed * CLOSED_BYTES;
  const minute = load<u32>(minuteAt(place, measure));
  const index = place * MEASURES + measure;
  writeClosed(to, index, minute, cell, load<f64>(cell, 16), load<f64>(cell, 24));
  closed += 1;
  clearCell(cell);
}

function cellAt(place: u32, measure: u32): u32 {
  return SUMS + measure * SUM_BYTES + (place << 5);
}

function clearCell(cell: u32): void {
  v128.store(cell, f64x2.splat(0));
  store<f64>(cell, Infinity, 16);
  store<f64>(cell, -Infinity, 24);
}

/** Position of the UNIX second at which the open minute begins. */
function minuteAt(place: u32, measure: u32): u32 {
  return SUM_MINUTES + (place << 4) + (measure << 2);
}

/** Returns the entry of a row's label in `LABEL_SLOTS`, or 0. */
function slotOf(row: u32): u32 {
  const label = load<u32>(LABEL + (row << 2));
  return label < SLOTTED_LABELS ? <u32>load<u16>(LABEL_SLOTS + (label << 1)) : 0;
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
    const known = slotOf(row);
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

/** Sums up a measure of rows `[from, to)`, which are placed and whose minutes are open. `times`: 1 unless all values are 0. */
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
