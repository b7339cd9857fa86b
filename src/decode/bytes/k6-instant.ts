/** A point in time to the nanosecond. Reused from row to row. */
export interface Instant {
  /** UNIX second, UTC. */
  second: number;
  /** 0 to 999,999,999. */
  nanos: number;
  /** Whether the source wrote parts of a second. */
  hasParts: boolean;
}

const ZERO = 0x30;
/** Digits of a UNIX time since 2001, in seconds, milliseconds, microseconds and nanoseconds. */
const UNIX_DIGITS = [10, 13, 16, 19];
const SECOND_DIGITS = 10;
const NANO_DIGITS = 9;
const POWERS_OF_TEN = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const DATE_TIME = "0000-00-00T00:00:00";
const PATTERN = Uint8Array.from(DATE_TIME, (character) => character.charCodeAt(0));
const DAYS_BEFORE_1970 = 719_468;
const DAYS_PER_ERA = 146_097;

/**
 * Reads a time as k6 writes it, at `[from, to)`: a UNIX time whose unit its digits tell, or RFC 3339
 * with `Z` or an offset. Whether it could be read; if not, `into` may hold anything.
 */
export function readInstant(bytes: Uint8Array, from: number, to: number, into: Instant): boolean {
  return bytes[from + 4] === PATTERN[4]
    ? readDateTime(bytes, from, to, into)
    : readUnix(bytes, from, to, into);
}

/** Where the seconds of a date-time begin. */
const SECONDS_AT = 17;

/**
 * Reads times as `readInstant` does, of a source in which many of them lie in the same minute: the
 * date and the minute are read once.
 */
export class RepeatedInstants {
  /** The text of the last minute, and when that began where its zone is Greenwich. */
  readonly #minute = new Uint8Array(SECONDS_AT);
  #minuteSecond = 0;

  read(bytes: Uint8Array, from: number, to: number, into: Instant): boolean {
    if (!this.#isSameMinute(bytes, from)) {
      if (!readInstant(bytes, from, to, into)) return false;
      if (bytes[from + 4] === PATTERN[4]) this.#remember(bytes, from);
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

  /** Most of its bytes are the same in all times: the last ones differ first. */
  #isSameMinute(bytes: Uint8Array, from: number): boolean {
    const minute = this.#minute;
    for (let at = SECONDS_AT - 1; at >= 0; at--) {
      if (bytes[from + at] !== minute[at]) return false;
    }
    return true;
  }

  #remember(bytes: Uint8Array, from: number): void {
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

/** Days since 1970-01-01, in the Gregorian calendar; `undefined` for a day that does not exist. */
function readDate(bytes: Uint8Array, from: number): number | undefined {
  const year = digits(bytes, from, from + 4);
  const month = digits(bytes, from + 5, from + 7);
  const day = digits(bytes, from + 8, from + 10);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  // Years begin in March here, so that the leap day is the last one: eras of 400 years repeat.
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

/** Seconds since midnight of `HH:MM:SS`. */
function readClock(bytes: Uint8Array, from: number): number | undefined {
  const hour = digits(bytes, from, from + 2);
  const minute = digits(bytes, from + 3, from + 5);
  const second = digits(bytes, from + 6, from + 8);
  return hour > 23 || minute > 59 || second > 59 ? undefined : hour * 3600 + minute * 60 + second;
}

/** Reads `.123456789` or nothing; digits behind the ninth do not count. Where the zone begins. */
function readParts(bytes: Uint8Array, from: number, to: number, into: Instant): number | undefined {
  into.nanos = 0;
  into.hasParts = bytes[from] === 0x2e && from < to;
  if (!into.hasParts) return from;
  let at = from + 1;
  let parts = 0;
  for (; at < to && isDigit(bytes[at] as number); at++) {
    if (at - from <= NANO_DIGITS) parts = parts * 10 + ((bytes[at] as number) - ZERO);
  }
  const count = at - from - 1;
  if (count < NANO_DIGITS) parts *= POWERS_OF_TEN[NANO_DIGITS - count] as number;
  into.nanos = parts;
  return count === 0 ? undefined : at;
}

/** Seconds east of Greenwich of `Z`, `+05:30`, `-04:00`. */
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

/** The number that the digits at `[from, to)` write; `NaN` where one is none. */
function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    value = isDigit(byte) ? value * 10 + byte - ZERO : Number.NaN;
  }
  return value;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}
