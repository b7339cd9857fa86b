import { ZERO } from "./ascii.ts";
import { isDigit } from "./exact-number.ts";

/** A time with nanoseconds. Reused from row to row. */
export interface Instant {
  /** UNIX second. */
  second: number;
  /** 0 to 999,999,999. */
  nanos: number;
  /** Whether the source has fractions of seconds. */
  hasParts: boolean;
}

/** Digits of a current UNIX time in s, ms, µs and ns. */
const UNIX_DIGITS = [10, 13, 16, 19];
const SECOND_DIGITS = 10;
const NANO_DIGITS = 9;
const POWERS_OF_TEN = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const DATE_TIME = "0000-00-00T00:00:00";
const PATTERN = Uint8Array.from(DATE_TIME, (character) => character.charCodeAt(0));
const DAYS_BEFORE_1970 = 719_468;
const DAYS_PER_ERA = 146_097;

/** Parses a UNIX time, its unit by its digits, or RFC 3339. Returns whether it could; else `into` is undefined. */
export function readInstant(bytes: Uint8Array, from: number, to: number, into: Instant): boolean {
  return bytes[from + 4] === PATTERN[4]
    ? readDateTime(bytes, from, to, into)
    : readUnix(bytes, from, to, into);
}

/** Offset of the seconds in a date-time. */
const SECONDS_AT = 17;

/** As `readInstant`, but parses the date once for times of the same minute. */
export class RepeatedInstants {
  /** Text of the last minute and its start in UTC. */
  readonly #minute = new Uint8Array(SECONDS_AT);
  #minuteSecond = 0;

  read(bytes: Uint8Array, from: number, to: number, into: Instant): boolean {
    if (!this.#isSameMinute(bytes, from)) {
      if (!readInstant(bytes, from, to, into)) return false;
      if (bytes[from + 4] === PATTERN[4]) this.#cacheMinute(bytes, from);
      return true;
    }
    const second = twoDigits(bytes, from + SECONDS_AT);
    const zone = readParts(bytes, from + PATTERN.length, to, into);
    if (zone === undefined || !(second <= 59)) return false;
    const offset = readOffset(bytes, zone, to);
    if (offset === undefined) return false;
    into.second = this.#minuteSecond + second - offset;
    return true;
  }

  /** The last bytes differ first. */
  #isSameMinute(bytes: Uint8Array, from: number): boolean {
    const minute = this.#minute;
    for (let at = SECONDS_AT - 1; at >= 0; at--) {
      if (bytes[from + at] !== minute[at]) return false;
    }
    return true;
  }

  #cacheMinute(bytes: Uint8Array, from: number): void {
    this.#minute.set(bytes.subarray(from, from + SECONDS_AT));
    const days = readDate(bytes, from) as number;
    const clock = readClock(bytes, from + 11) as number;
    this.#minuteSecond = days * 86_400 + clock - twoDigits(bytes, from + SECONDS_AT);
  }
}

function readUnix(bytes: Uint8Array, from: number, to: number, into: Instant): boolean {
  if (!UNIX_DIGITS.includes(to - from)) return false;
  const second = digits(bytes, from, from + SECOND_DIGITS);
  const parts = digits(bytes, from + SECOND_DIGITS, to);
  into.second = second;
  into.nanos = parts * (POWERS_OF_TEN[NANO_DIGITS - (to - from - SECOND_DIGITS)] as number);
  into.hasParts = to - from > SECOND_DIGITS;
  return !Number.isNaN(second + parts);
}

function readDateTime(bytes: Uint8Array, from: number, to: number, into: Instant): boolean {
  const zone = readParts(bytes, from + PATTERN.length, to, into);
  if (zone === undefined || !fitsPattern(bytes, from)) return false;
  const days = readDate(bytes, from);
  const seconds = readClock(bytes, from + 11);
  const offset = readOffset(bytes, zone, to);
  if (days === undefined || seconds === undefined || offset === undefined) return false;
  into.second = days * 86_400 + seconds - offset;
  return true;
}

function fitsPattern(bytes: Uint8Array, from: number): boolean {
  for (let index = 0; index < PATTERN.length; index++) {
    const byte = bytes[from + index] as number;
    const wanted = PATTERN[index] as number;
    if (wanted === ZERO ? byte < ZERO || byte > ZERO + 9 : byte !== wanted) return false;
  }
  return true;
}

/** Days since 1970-01-01 (Gregorian); `undefined` for an invalid day. */
function readDate(bytes: Uint8Array, from: number): number | undefined {
  const year = digits(bytes, from, from + 4);
  const month = digits(bytes, from + 5, from + 7);
  const day = digits(bytes, from + 8, from + 10);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  // Years start in March, so that the leap day is the last: eras of 400 years.
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * DAYS_PER_ERA + yearOfEra * 365 + leapDays + dayOfYear - DAYS_BEFORE_1970;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Seconds since midnight. */
function readClock(bytes: Uint8Array, from: number): number | undefined {
  const hour = digits(bytes, from, from + 2);
  const minute = digits(bytes, from + 3, from + 5);
  const second = digits(bytes, from + 6, from + 8);
  return hour > 23 || minute > 59 || second > 59 ? undefined : hour * 3600 + minute * 60 + second;
}

/** Parses an optional fraction up to nanoseconds. Returns where the zone begins. */
function readParts(bytes: Uint8Array, from: number, to: number, into: Instant): number | undefined {
  into.nanos = 0;
  into.hasParts = bytes[from] === 0x2e && from < to;
  if (!into.hasParts) return from;
  let at = from + 1;
  let parts = 0;
  for (; at < to && isDigit(bytes[at]); at++) {
    if (at - from <= NANO_DIGITS) parts = parts * 10 + ((bytes[at] as number) - ZERO);
  }
  const count = at - from - 1;
  if (count < NANO_DIGITS) parts *= POWERS_OF_TEN[NANO_DIGITS - count] as number;
  into.nanos = parts;
  return count === 0 ? undefined : at;
}

/** Seconds east of UTC. */
function readOffset(bytes: Uint8Array, from: number, to: number): number | undefined {
  const sign = bytes[from];
  if (sign === 0x5a) return to - from === 1 ? 0 : undefined;
  if (to - from !== 6 || bytes[from + 3] !== 0x3a || (sign !== 0x2b && sign !== 0x2d)) {
    return undefined;
  }
  const hours = digits(bytes, from + 1, from + 3);
  const minutes = digits(bytes, from + 4, from + 6);
  if (!(hours <= 23 && minutes <= 59)) return undefined;
  return (sign === 0x2b ? 1 : -1) * (hours * 3600 + minutes * 60);
}

function twoDigits(bytes: Uint8Array, from: number): number {
  return digits(bytes, from, from + 2);
}

/** `NaN` for anything but digits. */
function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    value = isDigit(byte) ? value * 10 + byte - ZERO : Number.NaN;
  }
  return value;
}
