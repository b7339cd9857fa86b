/** Reads decimal numbers. */

/** Returned for numbers that are left to the exact reader. */
export const NOT_PLAIN: i64 = -1;

const ZERO: u8 = 0x30;
const POINT: u8 = 0x2e;
const MINUS: u8 = 0x2d;
/** Larger integers are not exact. */
const INTEGER_MAX: i64 = 9_007_199_254_740_991;
/** Maximum length of a decimal without its sign; one byte may be the point. */
const DIGITS_MAX: u32 = 18;
/** Maximum number of digits before and after the point in `millionthsAt`. */
const WHOLE_DIGITS_MAX: u32 = 9;
const DECIMALS: u32 = 6;

/** Returns the end of the digits and points at `from`, after an optional minus; at most 32 bytes are searched. */
export function numberEnd(from: u32): u32 {
  const digits = from + <u32>(load<u8>(from) == MINUS);
  const end = digitsEnd(digits);
  return end - digits == 16 ? digitsEnd(end) : end;
}

function digitsEnd(from: u32): u32 {
  const bytes = v128.load(from);
  const digits = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(ZERO)), i8x16.splat(10));
  const points = i8x16.eq(bytes, i8x16.splat(POINT));
  const others = ~i8x16.bitmask(v128.or(digits, points)) & 0xffff;
  return from + (others == 0 ? 16 : <u32>ctz(others));
}

/** Returns the number at `[from, to)` in millionths, or `NOT_PLAIN`. `allowsZeros`: accepts leading zeros. */
export function millionthsAt(from: u32, to: u32, allowsZeros: bool): i64 {
  let at = from;
  let value: i64 = 0;
  for (; at < to && load<u8>(at) != POINT; at++) value = value * 10 + (load<u8>(at) - ZERO);
  const whole = at - from;
  if (whole == 0 || whole > WHOLE_DIGITS_MAX || load<u8>(from) == MINUS) return NOT_PLAIN;
  if (!allowsZeros && whole > 1 && load<u8>(from) == ZERO) return NOT_PLAIN;
  if (at == to) return value * 1_000_000;
  const decimals = to - at - 1;
  if (decimals == 0 || decimals > DECIMALS) return NOT_PLAIN;
  for (at += 1; at < to; at++) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit > 9) return NOT_PLAIN;
    value = value * 10 + digit;
  }
  for (let missing = decimals; missing < DECIMALS; missing++) value *= 10;
  return value;
}

/** Returns the number at `[from, to)`; NaN for numbers that are left to the exact reader. */
export function decimalAt(from: u32, to: u32, allowsZeros: bool): f64 {
  const isNegative = load<u8>(from) == MINUS;
  const start = from + <u32>isNegative;
  if (to - start > DIGITS_MAX) return NaN;
  let value: i64 = 0;
  let point: u32 = 0;
  for (let at = start; at < to; at++) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit <= 9) value = value * 10 + digit;
    else if (point == 0) point = at;
    else return NaN;
  }
  const end = point == 0 ? to : point;
  const isNotPlain = end == start || point + 1 == to || value > INTEGER_MAX;
  const hasZeros = !allowsZeros && end - start > 1 && load<u8>(start) == ZERO;
  if (isNotPlain || hasZeros) return NaN;
  // Dividing by an exact power of ten rounds as parsing the text does.
  let scale: f64 = 1;
  for (let at = end + 1; at < to; at++) scale *= 10;
  const size = <f64>value / scale;
  return isNegative ? -size : size;
}

/** Returns the number written in `length` digits, or `NOT_PLAIN`. */
export function digitsAt(from: u32, length: u32): i64 {
  let value: i64 = 0;
  for (let at = from; at < from + length; at++) {
    const digit = <u32>load<u8>(at) - ZERO;
    if (digit > 9) return NOT_PLAIN;
    value = value * 10 + digit;
  }
  return value;
}
