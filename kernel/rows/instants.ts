import { MINUTE } from "./layout";
import { areDigits, digitsAt, eightDigits } from "./numbers";

/** What `readInstant` has read. */
export let second: u32 = 0;
export let millis: u32 = 0;

/** How long the text of the last minute is, 0 if there is none, and when that minute began. */
let minuteLength: u32 = 0;
let minuteStart: u32 = 0;

/** Digits of milliseconds since the epoch between 2001 and 2286. */
const MILLIS_DIGITS: u32 = 13;
/** Of these, the first eight up to which the second can be stored for certain. */
const HIGH_MAX: u32 = 42939999;

const COLON: u8 = 0x3a;
const COMMA: u8 = 0x2c;
const POINT: u8 = 0x2e;
const ZERO: u8 = 0x30;

/** Says that the text at `MINUTE` is the minute that began at `start`. */
export function useMinute(length: u32, start: u32): void {
  minuteLength = length;
  minuteStart = start;
}

/** Reads the timestamp at `[from, to)` to `second` and `millis`. Whether it could. */
export function readInstant(from: u32, to: u32): bool {
  return to - from == MILLIS_DIGITS ? readMillis(from) : readInMinute(from, to);
}

/** Forgets what was read: there is no timestamp. */
export function clearInstant(): void {
  second = 0;
  millis = 0;
}

/** Thirteen digits: the first eight, and the last eight of which the first three are known. */
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

/** The text of the last minute, then `:SS`, then at most three digits of a fraction. */
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
