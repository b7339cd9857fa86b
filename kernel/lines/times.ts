import { find, isEqual } from "../bytes";
import { BEFORE_VALUE, MINUTE_BYTES, MINUTES } from "./layout";
import { digitsAt, NOT_PLAIN } from "./numbers";

/** Time of the last line: UNIX second, and nanoseconds within it. */
export let second: i64 = 0;
export let nanos: i64 = 0;
/** Whether it has a fraction of a second. */
export let hasParts: bool = false;

/** Position and length of its text; length 0: none. */
let textAt: u32 = 0;
let textLength: u32 = 0;

let beforeValueLength: u32 = 0;

/** Length of the text of a minute, up to the colon after it. */
const TEXT_BYTES: u32 = 17;
/** Offsets in a minute after its text: zone, its length (0: no minute), UNIX second at which the minute begins. */
const ZONE: u32 = 32;
const ZONE_LENGTH: u32 = 40;
const START: u32 = 48;
const TIME_BYTES_MAX: u32 = 48;
const SECOND_DIGITS: u32 = 10;
const NANO_DIGITS: u32 = 9;
const DASH: u8 = 0x2d;
const POINT: u8 = 0x2e;
const ZERO: u8 = 0x30;

/** Returns the time of the last line in ms since the epoch. */
export function unixMillis(): i64 {
  return second * 1000 + nanos / 1_000_000;
}

/** Sets the length of the text at `BEFORE_VALUE`. */
export function useForm(length: u32): void {
  beforeValueLength = length;
}

/** Adds the minute of the RFC 3339 time at `[from, to)`, which begins at UNIX second `start`, in place of the one learnt first. */
export function learnMinute(from: u32, to: u32, zoneLength: u32, start: i64): void {
  if (readText(from, to)) return;
  memory.copy(MINUTES + MINUTE_BYTES, MINUTES, MINUTE_BYTES);
  memory.copy(MINUTES, from, TEXT_BYTES);
  memory.copy(MINUTES + ZONE, to - zoneLength, zoneLength);
  store<u32>(MINUTES, zoneLength, ZONE_LENGTH);
  store<i64>(MINUTES, start, START);
}

export function forgetMinutes(): void {
  memory.fill(MINUTES, 0, 2 * MINUTE_BYTES);
}

/** Discards the text of the last time: bytes may have moved. */
export function clearTime(): void {
  textLength = 0;
}

/** Reads the time at `from`. Returns the start of the value, or 0 if the time is not plain. */
export function readTime(from: u32): u32 {
  if (textLength != 0 && isBeforeValue(from + textLength) && isEqual(textAt, from, textLength)) {
    return valueAfter(from + textLength);
  }
  const end = timeEnd(from);
  if (end == 0) return 0;
  textLength = 0;
  const isText = load<u8>(from, 4) == DASH;
  if (isText ? !readText(from, end) : !readUnix(from, end - from)) return 0;
  textAt = from;
  textLength = end - from;
  return valueAfter(end);
}

/** Returns the end of the time at `from`, plain or not; 0 if no value follows. */
export function timeEnd(from: u32): u32 {
  const end = find(load<u8>(BEFORE_VALUE), from, from + TIME_BYTES_MAX);
  return end - from == TIME_BYTES_MAX || !isBeforeValue(end) ? 0 : end;
}

/** Returns the start of the value after a time that ends at `end`. */
export function valueAfter(end: u32): u32 {
  return end + beforeValueLength;
}

function isBeforeValue(at: u32): bool {
  return isEqual(BEFORE_VALUE, at, beforeValueLength);
}

/** Reads a UNIX time, whose unit follows from its number of digits. */
function readUnix(from: u32, length: u32): bool {
  const more = length - SECOND_DIGITS;
  if (more != 0 && more != 3 && more != 6 && more != 9) return false;
  second = digitsAt(from, SECOND_DIGITS);
  hasParts = more != 0;
  return second != NOT_PLAIN && readNanos(from + SECOND_DIGITS, more);
}

/** Reads an RFC 3339 time in one of the minutes that were learnt: times of two alternate where one ends. */
function readText(from: u32, to: u32): bool {
  return readInMinute(MINUTES, from, to) || readInMinute(MINUTES + MINUTE_BYTES, from, to);
}

function readInMinute(minute: u32, from: u32, to: u32): bool {
  const afterMinute = from + TEXT_BYTES;
  const zoneLength = load<u32>(minute, ZONE_LENGTH);
  const zone = to - zoneLength;
  if (zoneLength == 0 || zone < afterMinute + 2 || !isEqual(minute, from, TEXT_BYTES)) return false;
  const secondOfMinute = digitsAt(afterMinute, 2);
  const isOther = !isEqual(minute + ZONE, zone, zoneLength);
  if (secondOfMinute == NOT_PLAIN || secondOfMinute > 59 || isOther) return false;
  second = load<i64>(minute, START) + secondOfMinute;
  hasParts = zone != afterMinute + 2;
  if (!hasParts) return readNanos(zone, 0);
  const decimals = zone - afterMinute - 3;
  if (load<u8>(afterMinute, 2) != POINT || decimals == 0 || decimals > NANO_DIGITS) return false;
  return readNanos(afterMinute + 3, decimals);
}

function readNanos(from: u32, digits: u32): bool {
  nanos = digitsAt(from, digits);
  if (nanos == NOT_PLAIN) return false;
  for (let missing = digits; missing < NANO_DIGITS; missing++) nanos *= 10;
  return true;
}
