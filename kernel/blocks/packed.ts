import { OF_LENGTH, VALUES } from "./layout";
import { at, byte, endBits, varint, writeBits } from "./writer";

/** Writes what `packed-column.ts` of src/store/block reads. */

const WIDTH_MAX: u32 = 32;
const HAS_EXCEPTIONS: u32 = 0x40;
const BASE_IS_NEGATIVE: u32 = 0x80;
const SLOPE_UNITS: f64 = 256;
const SLOPE_MAX: f64 = 1099511627776;
const PREDICTION_LIMIT: f64 = 2251799813685248;

/** Returns the number of bits of a value; 0 for 0. */
export function bitLength(value: u64): u32 {
  return 64 - <u32>clz(value);
}

/** Writes a column of `count` doubles: integers up to 2^53 - 1 that differ by at most that. */
export function writePacked(values: u32, count: u32): void {
  if (count == 0) return;
  const end = values + (count << 3);
  let base = load<f64>(values);
  let most = base;
  for (let value = values + 8; value < end; value += 8) {
    base = min(base, load<f64>(value));
    most = max(most, load<f64>(value));
  }
  const longest = bitLength(<i64>(most - base));
  const width = longest == 0 ? 0 : cheapestWidth(values, count, base, longest);
  const exceptions = longest == 0 ? 0 : countLonger(width, longest);
  byte(width | (exceptions > 0 ? HAS_EXCEPTIONS : 0) | (base < 0 ? BASE_IS_NEGATIVE : 0));
  varint(<i64>abs(base));
  if (exceptions > 0) {
    varint(exceptions);
    writeExceptions(values, count, base, width);
  }
  if (width == 0) return;
  for (let value = values; value < end; value += 8)
    writeBits(<i64>(load<f64>(value) - base), width);
  endBits();
}

/** Returns the width with the fewest bits in total; an exception costs two varints. */
function cheapestWidth(values: u32, count: u32, base: f64, longest: u32): u32 {
  memory.fill(OF_LENGTH, 0, 64 * 4);
  const end = values + (count << 3);
  for (let value = values; value < end; value += 8) {
    const place = OF_LENGTH + (bitLength(<i64>(load<f64>(value) - base)) << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
  const widest = min(WIDTH_MAX, longest);
  let best: u32 = 0;
  let bestBits: u32 = u32.MAX_VALUE;
  for (let width: u32 = 0; width <= widest; width++) {
    let bits = count * width;
    for (let length = width + 1; length <= longest; length++) {
      bits += load<u32>(OF_LENGTH + (length << 2)) * 8 * (1 + (length - width + 6) / 7);
    }
    if (bits >= bestBits) continue;
    best = width;
    bestBits = bits;
  }
  return best;
}

function countLonger(width: u32, longest: u32): u32 {
  let longer: u32 = 0;
  for (let length = width + 1; length <= longest; length++) {
    longer += load<u32>(OF_LENGTH + (length << 2));
  }
  return longer;
}

function writeExceptions(values: u32, count: u32, base: f64, width: u32): void {
  let next: u32 = 0;
  for (let index: u32 = 0; index < count; index++) {
    const above = <u64>(<i64>(load<f64>(values + (index << 3)) - base)) >> width;
    if (above == 0) continue;
    varint(index - next);
    varint(above);
    next = index + 1;
  }
}

/** Writes `count` sums, predicted from requests. */
export function writePredicted(sums: u32, requests: u32, count: u32): void {
  if (count == 0) return;
  const factor = commonFactor(sums, count, 0);
  const units = factor == 0 ? 1 : factor;
  const slope = usableSlope(sums, requests, count, units);
  varint(<i64>units);
  varint(<i64>slope);
  for (let each: u32 = 0; each < count << 3; each += 8) {
    const predicted = floor((load<f64>(requests + each) * slope) / SLOPE_UNITS);
    store<f64>(VALUES + each, load<f64>(sums + each) / units - predicted);
  }
  writePacked(VALUES, count);
}

/** Returns the greatest common divisor of a column and `before`; 0 if all are 0. */
export function commonFactor(values: u32, count: u32, before: f64): f64 {
  let factor = before;
  const end = values + (count << 3);
  for (let place = values; place < end && factor != 1; place += 8) {
    const value = load<f64>(place);
    if (factor > 0 && floor(value / factor) * factor == value) continue;
    factor = greatestDivisor(<i64>factor, <i64>value);
  }
  return factor;
}

function greatestDivisor(left: u64, right: u64): f64 {
  let divisor = left;
  let rest = right;
  while (rest != 0) {
    const next = divisor % rest;
    divisor = rest;
    rest = next;
  }
  return <f64>(<i64>divisor);
}

/** Returns the average per request times `SLOPE_UNITS`, or 0 if predictions could exceed exact integers. */
function usableSlope(sums: u32, requests: u32, count: u32, factor: f64): f64 {
  let sum: f64 = 0;
  let requestSum: f64 = 0;
  let most: f64 = 0;
  for (let each: u32 = 0; each < count << 3; each += 8) {
    const value = load<f64>(sums + each) / factor;
    const over = load<f64>(requests + each);
    sum += value;
    requestSum += over;
    most = max(most, max(value, over));
  }
  const slope = rounded((sum / max(1, requestSum)) * SLOPE_UNITS);
  const isSafe = slope <= SLOPE_MAX && most * max(1, slope / SLOPE_UNITS) < PREDICTION_LIMIT;
  return isSafe ? slope : 0;
}

/** Same as `Math.round`. */
export function rounded(value: f64): f64 {
  const up = ceil(value);
  return up - 0.5 <= value ? up : up - 1;
}
