/** Decimal numbers. */

/** What `millionthsAt` answers where the exact reader has to look. */
export const ODD: i64 = -1;

const ZERO: u8 = 0x30;
const POINT: u8 = 0x2e;
/** More digits in front of the point, or behind it, are odd. */
const WHOLE_DIGITS_MAX: u32 = 9;
const DECIMALS: u32 = 6;

/** Where the digits and points from `from` on end: at most 16 bytes behind it. */
export function numberEnd(from: u32): u32 {
  const bytes = v128.load(from);
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(ZERO)), i8x16.splat(10));
  const points = i8x16.eq(bytes, i8x16.splat(POINT));
  const others = ~i8x16.bitmask(v128.or(digits, points)) & 0xffff;
  return from + (others == 0 ? 16 : <u32>ctz(others));
}

/** The number at `[from, to)` in millionths; `allowsZeros`: also with needless zeros in front. */
export function millionthsAt(from: u32, to: u32, allowsZeros: bool): i64 {
  let at = from;
  let value: i64 = 0;
  for (; at < to && load<u8>(at) != POINT; at++) value = value * 10 + (load<u8>(at) - ZERO);
  const whole = at - from;
  if (whole == 0 || whole > WHOLE_DIGITS_MAX) return ODD;
  if (!allowsZeros && whole > 1 && load<u8>(from) == ZERO) return ODD;
  if (at == to) return value * 1_000_000;
  const decimals = to - at - 1;
  if (decimals == 0 || decimals > DECIMALS) return ODD;
  for (at += 1; at < to; at++) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit > 9) return ODD;
    value = value * 10 + digit;
  }
  for (let missing = decimals; missing < DECIMALS; missing++) value *= 10;
  return value;
}

/** The number that `length` digits write, or `ODD`. */
export function digitsAt(from: u32, length: u32): i64 {
  let value: i64 = 0;
  for (let at = from; at < from + length; at++) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit > 9) return ODD;
    value = value * 10 + digit;
  }
  return value;
}
