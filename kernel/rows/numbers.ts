/** Reads numbers written in digits, eight digits at a time. */

/** Returned for values that are left to the exact reader. */
export const NOT_PLAIN: i32 = -1;

const ZEROS: u64 = 0x3030303030303030;
/** Added to a byte, sets its high bit from 10 on. */
const BEYOND_NINE: u64 = 0x7676767676767676;
const HIGH_BITS: u64 = 0x8080808080808080;

/** Returns the number of one to eight digits at `[from, to)`, or `NOT_PLAIN`. The eight bytes before `to` are loaded. */
export function wholeAt(from: u32, to: u32): i32 {
  const length = to - from;
  if (length - 1 >= 8) return NOT_PLAIN;
  const others = (<u64>(8 - length)) << 3;
  // Bytes before the first digit become zeros.
  const digits = ((load<u64>(to - 8) ^ ZEROS) >> others) << others;
  return areDigits(digits) ? eightDigits(digits) : NOT_PLAIN;
}

/** Returns the values of eight digits in a byte each; bytes other than digits are not 0 to 9. */
export function digitsAt(from: u32): u64 {
  return load<u64>(from) ^ ZEROS;
}

export function areDigits(digits: u64): bool {
  return (((digits + BEYOND_NINE) | digits) & HIGH_BITS) == 0;
}

/** Returns the number written in eight digits. */
export function eightDigits(digits: u64): u32 {
  const pairs = ((digits * (1 + (10 << 8))) >> 8) & 0x00ff00ff00ff00ff;
  const fours = ((pairs * (1 + (100 << 16))) >> 16) & 0x0000ffff0000ffff;
  return <u32>((fours * (1 + ((<u64>10000) << 32))) >> 32);
}
