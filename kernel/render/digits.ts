/** Writes decimal numbers at `at`. Functions return the end, and may overwrite 8 bytes after it. */

import { PADDED, UNPADDED } from "./layout";

const ZEROS: u32 = 0x303030;
const POINT: u32 = 0x2e;
const MILLION: u64 = 1_000_000;
const BILLION: u64 = 1_000_000_000;
/** Twice a million times this sum, plus a count, fits into 64 bits. */
const SUM_MAX: u64 = 4_000_000_000_000;

/**
 * Both tables hold the digits of 0 to 999, the first one in the lowest byte. `PADDED`: three digits; the highest byte is
 * their number without trailing zeros. `UNPADDED`: digits without leading zeros; the highest byte is their number.
 */
function fillTables(): void {
  for (let value: u32 = 0; value < 1000; value++) {
    const tens = (value / 10) % 10;
    const ones = value % 10;
    const digits = ZEROS | (value / 100) | (tens << 8) | (ones << 16);
    const left: u32 = ones != 0 ? 3 : tens != 0 ? 2 : value != 0 ? 1 : 0;
    store<u32>(PADDED + (value << 2), digits | (left << 24));
    const length: u32 = value > 99 ? 3 : value > 9 ? 2 : 1;
    store<u32>(UNPADDED + (value << 2), (digits >> (24 - 8 * length)) | (length << 24));
  }
}

fillTables();

/** Writes 0 to 999 with leading zeros. */
export function writeThreeDigits(at: u32, value: u32): u32 {
  store<u32>(at, load<u32>(PADDED + (value << 2)));
  return at + 3;
}

export function writeInteger(at: u32, value: u64): u32 {
  return value < 1000 ? writeUnpadded(at, <u32>value) : writeLongInteger(at, value);
}

function writeLongInteger(at: u32, value: u64): u32 {
  if (value >= BILLION) {
    const billions = value / BILLION;
    return writeNineDigits(writeInteger(at, billions), <u32>(value - billions * BILLION));
  }
  const small = <u32>value;
  const thousands = small / 1000;
  const rest = small - thousands * 1000;
  if (thousands < 1000) return writeThreeDigits(writeUnpadded(at, thousands), rest);
  const millions = thousands / 1000;
  const end = writeThreeDigits(writeUnpadded(at, millions), thousands - millions * 1000);
  return writeThreeDigits(end, rest);
}

function writeNineDigits(at: u32, value: u32): u32 {
  const thousands = value / 1000;
  const millions = thousands / 1000;
  writeThreeDigits(at, millions);
  writeThreeDigits(at + 3, thousands - millions * 1000);
  return writeThreeDigits(at + 6, value - thousands * 1000);
}

function writeUnpadded(at: u32, value: u32): u32 {
  const word = load<u32>(UNPADDED + (value << 2));
  store<u32>(at, word);
  return at + (word >> 24);
}

/** Writes the average of `count` durations in seconds, from their sum in microseconds; 0 for a count of 0. */
export function writeAverage(at: u32, sumMicros: f64, count: f64): u32 {
  if (sumMicros == 0 || count == 0) return writeUnpadded(at, 0);
  return writeMillionths(at, roundedQuotient(<u64>(<i64>sumMicros), <u64>(<i64>count)));
}

/** Writes `sum / divisor` with up to six decimals; 0 for a divisor of 0. */
export function writeQuotient(at: u32, sum: f64, divisor: f64): u32 {
  if (sum == 0 || divisor == 0) return writeUnpadded(at, 0);
  const numerator = <u64>(<i64>sum);
  if (divisor == 1) return writeInteger(at, numerator);
  const denominator = <u64>(<i64>divisor);
  if (numerator <= SUM_MAX) {
    return writeMillionths(at, roundedQuotient(numerator * MILLION, denominator));
  }
  const whole = numerator / denominator;
  let rest = numerator - whole * denominator;
  let millionths: u64 = 0;
  for (let decimal = 0; decimal < 6; decimal++) {
    rest *= 10;
    const digit = rest / denominator;
    millionths = millionths * 10 + digit;
    rest -= digit * denominator;
  }
  if (2 * rest >= denominator) millionths++;
  if (millionths == MILLION) return writeInteger(at, whole + 1);
  return writeFraction(writeInteger(at, whole), <u32>millionths);
}

/** Rounds half up. */
function roundedQuotient(numerator: u64, denominator: u64): u64 {
  return (2 * numerator + denominator) / (2 * denominator);
}

function writeMillionths(at: u32, value: u64): u32 {
  if (value < MILLION) return writeFraction(writeUnpadded(at, 0), <u32>value);
  const whole = value / MILLION;
  return writeFraction(writeInteger(at, whole), <u32>(value - whole * MILLION));
}

/** Writes a point and up to six digits, or nothing for 0. */
function writeFraction(at: u32, millionths: u32): u32 {
  if (millionths == 0) return at;
  const first = millionths / 1000;
  const second = millionths - first * 1000;
  const word = load<u32>(PADDED + (first << 2));
  store<u32>(at, (word << 8) | POINT);
  if (second == 0) return at + 1 + (word >> 24);
  const last = load<u32>(PADDED + (second << 2));
  store<u32>(at + 4, last);
  return at + 4 + (last >> 24);
}
