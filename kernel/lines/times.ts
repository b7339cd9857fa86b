import { find, isEqual } from "../bytes";
import { BEFORE_VALUE, MINUTE, MINUTE_BYTES, ZONE } from "./layout";
import { digitsAt, ODD } from "./numbers";

/** The time of the last line. */
export let second: i64 = 0;
export let nanos: i64 = 0;
/** Whether it has fractions of a second. */
export let hasParts: bool = false;

/** Where its text is, and how long it is; 0 if there is none. */
let textAt: u32 = 0;
let textLength: u32 = 0;

let beforeValueLength: u32 = 0;
/** When the minute at `MINUTE` began, and how long the zone at `ZONE` is; 0: there is none. */
let minuteStart: i64 = 0;
let zoneLength: u32 = 0;

const TIME_BYTES_MAX: u32 = 48;
const SECOND_DIGITS: u32 = 10;
const NANO_DIGITS: u32 = 9;
const DASH: u8 = 0x2d;
const POINT: u8 = 0x2e;
const ZERO: u8 = 0x30;

/** Of the last line, in ms since the epoch. */
export function unixMillis(): i64 {
  return second * 1000 + nanos / 1_000_000;
}

/** Says how much of `BEFORE_VALUE` is used. */
export function useForm(length: u32): void {
  beforeValueLength = length;
}

/** Says when the minute at `MINUTE` began, in the zone at `ZONE`. */
export function useMinute(start: i64, length: u32): void {
  minuteStart = start;
  zoneLength = length;
}

/** Forgets the last line: bytes may have moved. */
export function clearTime(): void {
  textLength = 0;
}

/** Reads the time at `from`. Returns where the value begins; 0 if it could not. */
export function readTime(from: u32): u32 {
  if (textLength != 0 && isBehind(from + textLength) && isEqual(textAt, from, textLength)) {
    return valueBehind(from + textLength);
  }
  const end = timeEnd(from);
  if (end == 0) return 0;
  textLength = 0;
  const isText = load<u8>(from, 4) == DASH;
  if (isText ? !readInMinute(from, end) : !readUnix(from, end - from)) return 0;
  textAt = from;
  textLength = end - from;
  return valueBehind(end);
}

/** Where the time at `from` ends, whatever it is; 0 if no value follows. */
export function timeEnd(from: u32): u32 {
  const end = find(load<u8>(BEFORE_VALUE), from, from + TIME_BYTES_MAX);
  return end - from == TIME_BYTES_MAX || !isBehind(end) ? 0 : end;
}

/** Where the value begins behind a time. */
export function valueBehind(end: u32): u32 {
  return end + beforeValueLength;
}

function isBehind(at: u32): bool {
  return isEqual(BEFORE_VALUE, at, beforeValueLength);
}

/** UNIX time, whose unit follows from its digits. */
function readUnix(from: u32, length: u32): bool {
  const more = length - SECOND_DIGITS;
  if (more != 0 && more != 3 && more != 6 && more != 9) return false;
  second = digitsAt(from, SECOND_DIGITS);
  hasParts = more != 0;
  return second != ODD && readNanos(from + SECOND_DIGITS, more);
}

/** RFC 3339, in the minute and the zone that are known. */
function readInMinute(from: u32, to: u32): bool {
  const behind = from + MINUTE_BYTES;
  const zone = to - zoneLength;
  if (zoneLength == 0 || zone < behind + 2 || !isEqual(MINUTE, from, MINUTE_BYTES)) return false;
  const ofMinute = digitsAt(behind, 2);
  if (ofMinute == ODD || ofMinute > 59 || !isEqual(ZONE, zone, zoneLength)) return false;
  second = minuteStart + ofMinute;
  hasParts = zone != behind + 2;
  if (!hasParts) return readNanos(zone, 0);
  const decimals = zone - behind - 3;
  if (load<u8>(behind, 2) != POINT || decimals == 0 || decimals > NANO_DIGITS) return false;
  return readNanos(behind + 3, decimals);
}

function readNanos(from: u32, digits: u32): bool {
  nanos = digitsAt(from, digits);
  if (nanos == ODD) return false;
  for (let missing = digits; missing < NANO_DIGITS; missing++) nanos *= 10;
  return true;
}
