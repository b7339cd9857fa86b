import { readScaled } from "./exact-number.ts";
import { TimestampReader } from "./timestamp.ts";

/** What `AnyInstant` reads, for messages. */
export const ANY_INSTANT =
  "a UNIX time in s, ms, µs or ns (1973 to 2106) or ISO 8601 such as 2026-11-21T03:43:30Z";

/** Seconds that can be stored are below this. */
const SECOND_LIMIT = 2 ** 32;
const POINT = 0x2e;
const ZERO = 0x30;

/**
 * Digits before the point, from which number on they are of which unit: a second is one of 9 or 10
 * digits since 1973, a millisecond has three more, and so on.
 */
const DIGITS_OF_UNIT = [
  { digitsMin: 18, digitsOfFraction: 9 },
  { digitsMin: 15, digitsOfFraction: 6 },
  { digitsMin: 12, digitsOfFraction: 3 },
  { digitsMin: 9, digitsOfFraction: 0 },
] as const;
const DIGITS_MAX = 19;

/** Reads instants in any of the common forms; the unit of a number is told by its magnitude. */
export class AnyInstant {
  readonly #timestamps: TimestampReader;

  /** Dates and times without a zone are in `timeZone`, an IANA name. */
  constructor(timeZone: string) {
    this.#timestamps = new TimestampReader(timeZone);
  }

  /** Whether a date and time without a zone was read. */
  get sawLocalTime(): boolean {
    return this.#timestamps.sawLocalTime;
  }

  /** The UNIX second, or `undefined`. */
  secondOf(text: Uint8Array): number | undefined {
    const digits = digitsIn(text);
    const isNumber = digits === text.length || text[digits] === POINT;
    const second = isNumber ? unixSecond(text, digits) : this.#dated(text);
    return second !== undefined && second > 0 && second < SECOND_LIMIT ? second : undefined;
  }

  /** A time of day alone is no instant; the reader answers 0 for it. */
  #dated(text: Uint8Array): number | undefined {
    return this.#timestamps.read(text, 0, text.length);
  }
}

function digitsIn(text: Uint8Array): number {
  let at = 0;
  while (at < text.length && (text[at] as number) >= ZERO && (text[at] as number) <= ZERO + 9) at++;
  return at;
}

function unixSecond(text: Uint8Array, digits: number): number | undefined {
  const unit = DIGITS_OF_UNIT.find(({ digitsMin }) => digits >= digitsMin);
  if (unit === undefined || digits > DIGITS_MAX || !isFraction(text.subarray(digits))) {
    return undefined;
  }
  return readScaled(text, 0, digits - unit.digitsOfFraction, 0);
}

/** Whether it is nothing, or a point and digits. */
function isFraction(text: Uint8Array): boolean {
  if (text.length === 0) return true;
  return text.length > 1 && digitsIn(text.subarray(1)) === text.length - 1;
}
