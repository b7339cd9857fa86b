import { DIGIT_BITS, DIGITS, NEXT, ORDER, POINT_LABEL, POINT_SECOND } from "./layout";
import { points } from "./record";

const DIGIT_MASK: u32 = (1 << DIGIT_BITS) - 1;

/** Writes the open points to `ORDER` by label and second; parts of a point in the order in which they were opened. */
export function sortPoints(): void {
  for (let point: u32 = 0; point < points; point++) store<u32>(ORDER + (point << 2), point);
  sortBy(POINT_SECOND);
  sortBy(POINT_LABEL);
}

/** Radix sort by the difference from the lowest value. */
function sortBy(column: u32): void {
  let lowest = u32.MAX_VALUE;
  let highest: u32 = 0;
  for (let place: u32 = 0; place < points << 2; place += 4) {
    lowest = min(lowest, load<u32>(column + place));
    highest = max(highest, load<u32>(column + place));
  }
  for (let shift: u32 = 0; shift < 32 && (highest - lowest) >> shift != 0; shift += DIGIT_BITS) {
    sortByDigit(column, lowest, shift);
  }
}

function sortByDigit(column: u32, lowest: u32, shift: u32): void {
  memory.fill(DIGITS, 0, (DIGIT_MASK + 1) << 2);
  for (let place: u32 = 0; place < points << 2; place += 4) {
    const digit = digitOf(load<u32>(column + place) - lowest, shift);
    store<u32>(digit, load<u32>(digit) + 1);
  }
  let next: u32 = 0;
  for (let digit: u32 = DIGITS; digit <= DIGITS + (DIGIT_MASK << 2); digit += 4) {
    const count = load<u32>(digit);
    store<u32>(digit, next);
    next += count;
  }
  for (let rank: u32 = 0; rank < points << 2; rank += 4) {
    const point = load<u32>(ORDER + rank);
    const digit = digitOf(load<u32>(column + (point << 2)) - lowest, shift);
    const place = load<u32>(digit);
    store<u32>(digit, place + 1);
    store<u32>(NEXT + (place << 2), point);
  }
  memory.copy(ORDER, NEXT, points << 2);
}

function digitOf(value: u32, shift: u32): u32 {
  return DIGITS + (((value >> shift) & DIGIT_MASK) << 2);
}
