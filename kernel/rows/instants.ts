import { MINUTE } from "./layout";
import { areDigits, digitsAt, eightDigits } from "./numbers";

/** Results of `readInstant`: UNIX second, and milliseconds within it. */
export let second: u32 = 0;
export let millis: u32 = 0;

/** Length of the text at `MINUTE`, 0 if there is none, and the UNIX second at which that minute begins. */
let minuteLength: u32 = 0;
let minuteStart: u32 = 0;

/** Digits of times in ms since the epoch between 2001 and 2286. */
const MILLIS_DIGITS: u32 = 13;
/** Up to this value of the first eight digits, the second fits into 32 bits. */
const HIGH_MAX: u32 = 42939999;

const COLON: u8 = 0x3a;
const COMMA: u8 = 0x2c;
const POINT: u8 = 0x2e;
const ZERO: u8 = 0x30;

/** Sets the length of the text at `MINUTE`, 0 for none, and the UNIX second at which that minute begins. */
export function useMinute(length: u32, start: u32): void {
  minuteLength = length;
  minuteStart = start;
}

/** Reads the timestamp at `[from, to)` into `second` and `millis`. Reports whether it is plain. */
export function readInstant(from: u32, to: u32): bool {
  return to - from == MILLIS_DIGITS ? readMillis(from) : readInMinute(from, to);
}

/** Sets `second` and `millis` to 0, for sources without timestamps. */
export function clearInstant(): void {
  second = 0;
  millis = 0;
}

/** Reads thirteen digits as the first eight and the last eight, of which three overlap. */
function readMillis(from: u32): bool {
  const first = digitsAt(from);
  const last = digitsAt(from + MILLIS_DIGITS - 8);
  const high = eightDigits(first);
  if (!areDigits(first) || !areDigits(last) || high > HIGH_MAX) return false;
  const low = eightDigits(last) % 100000;
  second = high * 100 + low / 1000;
  millis = low % 1000;
  return true;
}

/** Reads the text at `MINUTE`, then `:SS`, then nothing or a mark and three digits of a fraction. */
function readInMinute(from: u32, to: u32): bool {
  const length = minuteLength;
  if (length == 0 || !isInMinute(from)) return false;
  const at = from + length;
  if (to != at + 3 && to != at + 7) return false;
  const tens: u32 = load<u8>(at + 1) - ZERO;
  const ones: u32 = load<u8>(at + 2) - ZERO;
  if (load<u8>(at) != COLON || tens > 5 || ones > 9) return false;
  if (to == at + 3) millis = 0;
  else if (!readFraction(at + 3)) return false;
  second = minuteStart + tens * 10 + ones;
  return true;
}

function isInMinute(from: u32): bool {
  const equal = i8x16.bitmask(i8x16.eq(v128.load(from), v128.load(MINUTE)));
  const wanted = (1 << minuteLength) - 1;
  return (equal & wanted) == wanted;
}

function readFraction(at: u32): bool {
  const mark = load<u8>(at);
  if (mark != POINT && mark != COMMA && mark != COLON) return false;
  const tenths: u32 = load<u8>(at + 1) - ZERO;
  const hundredths: u32 = load<u8>(at + 2) - ZERO;
  const thousandths: u32 = load<u8>(at + 3) - ZERO;
  if (tenths > 9 || hundredths > 9 || thousandths > 9) return false;
  millis = tenths * 100 + hundredths * 10 + thousandths;
  return true;
}
