/** Numbers written in digits, eight of them at once. */

/** What the readers below answer where the exact reader has to look. */
export const ODD: i32 = -1;

const ZEROS: u64 = 0x3030303030303030;
/** Added to a byte, reaches its high bit from 10 on. */
const BEYOND_NINE: u64 = 0x7676767676767676;
const HIGH_BITS: u64 = 0x8080808080808080;

/** The number at `[from, to)`, of one to eight digits. Eight bytes in front of `to` are loaded. */
export function wholeAt(from: u32, to: u32): i32 {
  const length = to - from;
  if (length - 1 >= 8) return ODD;
  const others = (<u64>(8 - length)) << 3;
  // What is in front of the first digit becomes zeros.
  const digits = ((load<u64>(to - 8) ^ ZEROS) >> others) << others;
  return areDigits(digits) ? eightDigits(digits) : ODD;
}

/** The values of eight bytes, each of them 0 to 9 if they are digits. */
export function digitsAt(from: u32): u64 {
  return load<u64>(from) ^ ZEROS;
}

export function areDigits(digits: u64): bool {
  return (((digits + BEYOND_NINE) | digits) & HIGH_BITS) == 0;
}

/** The number that eight digits write. */
export function eightDigits(digits: u64): u32 {
  const pairs = ((digits * (1 + (10 << 8))) >> 8) & 0x00ff00ff00ff00ff;
  const fours = ((pairs * (1 + (100 << 16))) >> 16) & 0x0000ffff0000ffff;
  return <u32>((fours * (1 + ((<u64>10000) << 32))) >> 32);
}
