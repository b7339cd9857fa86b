import { badParameter } from "../../model/errors.ts";
import { SECOND_LIMIT } from "../../model/columns.ts";
import { COLON, POINT, ZERO } from "./ascii.ts";
import { readScaled } from "./exact-number.ts";

const MICROS_PER_SECOND = 1_000_000;

/** Digits of milliseconds since 2001. */
const MILLIS_DIGITS_MIN = 13;

/** `2026/11/21 03:43:30.052` or ISO 8601: date, time to the minute, rest, zone. */
const YEAR_FIRST =
  /^((\d{4})([-/.])(\d{1,2})\3(\d{1,2})[ T](\d{1,2}):(\d{2})):(\d{2})(?:[.,:](\d+))?(?: ?(Z|[+-](?:0\d|1[0-8])(?::?[0-5]\d)?))?$/;

/** `11/21/26 03:43:30` or `11/21/2026 03:43:30`: what `MM/dd/yy HH:mm:ss` of Java reads, JMeter's first default. */
const MONTH_FIRST =
  /^((\d{1,2})\/(\d{1,2})\/(\d{2}|\d{4}) (\d{1,2}):(\d{2})):(\d{2})(?:[.,:](\d+))?$/;

/** `1.64797E+12`: milliseconds as Excel saves them. */
const ROUNDED = /^\d[.,]?\d*E\+?12$/i;
const UNROUNDED =
  "all 13 digits: Excel has rounded the times to an hour or so, so give the file as it was before Excel";

const TIME_ALONE = /^(\d{1,2}):(\d{2}):(\d{2})(?:[.,:]\d+)?$/;

const utf8 = new TextDecoder();

const ANY_FORM =
  "milliseconds since 1970 or a date and time such as 2026/11/21 03:43:30.052, at most year 2105; --timestamp-format (timestampFormat) describes others";

const MINUTES_CACHED = 100_000;
const DAY_SECONDS = 86_400;

/** Parts of a date and time; full year. */
type WrittenTime = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
];

/** Parses JMeter's timestamps: milliseconds or a common `timestamp_format`. Without a zone, the import's applies. */
export class TimestampReader {
  /** Whether a time had no date; its timestamp is unknown. */
  sawTimeAlone = false;
  /** Whether a timestamp had no zone, and whether clocks show such a one twice. */
  #sawLocalTime = false;
  #sawRepeatedTime = false;
  /** Milliseconds within the second of the last timestamp. */
  millis = 0;
  /** The expected form after `read` failed. */
  wanted: string;
  readonly #wanted: string = ANY_FORM;
  readonly #format: TimestampFormat | undefined;
  readonly #timeZone: string;
  readonly #localTime: LocalTime;
  readonly #decoder = new TextDecoder("latin1");
  /** Text and UNIX second of the last minute: most rows fall into it. */
  #minuteText: Uint8Array = new Uint8Array(0);
  #minuteStart = 0;

  /** `format`: the only one that is read. @default JMeter's own */
  constructor(timeZone: string, format?: string) {
    this.#timeZone = timeZone;
    this.#localTime = new LocalTime(timeZone);
    this.#format = format === undefined ? undefined : new TimestampFormat(format);
    if (format !== undefined) this.#wanted = `a time of the form ${format}, at most year 2105`;
    this.wanted = this.#wanted;
  }

  /** Text of the last minute, `2026-11-21 03:43`, and its UNIX second; empty if there is none. */
  get minute(): { readonly text: Uint8Array; readonly start: number } {
    return { text: this.#minuteText, start: this.#minuteStart };
  }

  /** How times without a zone are read, if there are any; `field` names them. */
  zoneNotes(field: string): string[] {
    return [
      ...(this.#sawLocalTime ? [`${field} has no zone: read as ${this.#timeZone}`] : []),
      ...(this.#sawRepeatedTime
        ? ["clocks were set back: times that occur twice are read in the order of the rows"]
        : []),
    ];
  }

  /** UNIX second; `undefined` if invalid, 0 without a date. */
  read(bytes: Uint8Array, from: number, to: number): number | undefined {
    this.wanted = this.#wanted;
    if (this.#format !== undefined) return this.#readWritten(this.#format, bytes, from, to);
    if (this.#isInLastMinute(bytes, from, to)) {
      const tens = (bytes[from + this.#minuteText.length + 1] as number) - ZERO;
      const ones = (bytes[from + this.#minuteText.length + 2] as number) - ZERO;
      this.millis = millisAt(bytes, from + this.#minuteText.length + 4, to);
      return storable(this.#minuteStart + tens * 10 + ones);
    }
    const millis = to - from === MILLIS_DIGITS_MIN ? wholeNumber(bytes, from, to) : undefined;
    if (millis !== undefined) {
      const second = Math.floor(millis / 1000);
      this.millis = millis - second * 1000;
      return storable(second);
    }
    const micros = readScaled(bytes, from, to, 3);
    if (micros !== undefined && !isShort(bytes, from, to)) {
      this.millis = Math.floor((micros % MICROS_PER_SECOND) / 1000);
      return storable(Math.floor(micros / MICROS_PER_SECOND));
    }
    return this.#readText(this.#decoder.decode(bytes.subarray(from, to)));
  }

  #readWritten(
    format: TimestampFormat,
    bytes: Uint8Array,
    from: number,
    to: number,
  ): number | undefined {
    const written = format.read(utf8.decode(bytes.subarray(from, to)));
    if (written === undefined) return undefined;
    const { date, clock, fraction, zone } = written;
    return this.#instantOf(date, [...clock, fraction, zone], "");
  }

  /** Whether the text is the last minute plus `:SS` and an optional fraction. */
  #isInLastMinute(bytes: Uint8Array, from: number, to: number): boolean {
    const minute = this.#minuteText;
    if (minute.length === 0 || from + minute.length >= to) return false;
    for (let at = 0; at < minute.length; at++) {
      if (bytes[from + at] !== minute[at]) return false;
    }
    return isSeconds(bytes, from + minute.length, to);
  }

  #readText(text: string): number | undefined {
    const yearFirst = YEAR_FIRST.exec(text);
    if (yearFirst !== null) {
      const [, untilMinute = "", year, , month, day, ...clock] = yearFirst;
      return this.#instantOf([year, month, day], clock, untilMinute);
    }
    const monthFirst = MONTH_FIRST.exec(text);
    if (monthFirst !== null) {
      const [, untilMinute = "", month, day, year, ...clock] = monthFirst;
      const fullYear = year?.length === 2 ? `20${year}` : year;
      return this.#instantOf([fullYear, month, day], clock, untilMinute);
    }
    if (ROUNDED.test(text)) this.wanted = UNROUNDED;
    if (!TIME_ALONE.test(text)) return undefined;
    this.sawTimeAlone = true;
    return 0;
  }

  /** `clock`: hour, minute, second, fraction and zone. */
  #instantOf(
    date: readonly (string | undefined)[],
    [hours, minutes, seconds, fraction, zone]: readonly (string | undefined)[],
    untilMinute: string,
  ): number | undefined {
    this.millis = millisOf(fraction);
    const written = [...date, hours, minutes, seconds].map(Number) as unknown as WrittenTime;
    const complaint = impossiblePart(written);
    if (complaint !== undefined) {
      this.wanted = complaint;
      return undefined;
    }
    const [year, month, day, hour, minute, second] = written;
    const shown = Date.UTC(year, month - 1, day, hour, minute) / 1000;
    if (zone !== undefined) return storable(shown - offsetOf(zone) + second);
    const first = this.#localTime.minuteStart(shown);
    const repeat = this.#localTime.repeatOf(shown);
    // The one nearer to the row before.
    const start = this.#minuteStart - first > repeat / 2 ? first + repeat : first;
    this.#sawRepeatedTime ||= repeat > 0;
    if (storable(start + second) === undefined) return undefined;
    this.#sawLocalTime = true;
    this.#minuteText = new TextEncoder().encode(untilMinute);
    this.#minuteStart = start;
    return start + second;
  }
}

/** Digits only. */
function wholeNumber(bytes: Uint8Array, from: number, to: number): number | undefined {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit >>> 0 > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

/** Such as `1795232610`, `1795232610.052`, or the rest of a damaged row: read as milliseconds they would be before 2001. A zero is an unknown time. */
function isShort(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from === 1 && bytes[from] === ZERO) return false;
  if (to - from < MILLIS_DIGITS_MIN) return true;
  const whole = bytes.subarray(from, from + MILLIS_DIGITS_MIN);
  return whole.includes(POINT);
}

function storable(second: number): number | undefined {
  return second >= 0 && second < SECOND_LIMIT ? second : undefined;
}

/** Whether the rest is `:SS` with an optional fraction. */
function isSeconds(bytes: Uint8Array, from: number, to: number): boolean {
  if (bytes[from] !== COLON || from + 3 > to) return false;
  if (!isDigit(bytes[from + 1], 5) || !isDigit(bytes[from + 2], 9)) return false;
  if (from + 3 === to) return true;
  if (!isFractionMark(bytes[from + 3]) || from + 4 === to) return false;
  for (let at = from + 4; at < to; at++) if (!isDigit(bytes[at], 9)) return false;
  return true;
}

/** Milliseconds of an optional fraction. */
function millisAt(bytes: Uint8Array, from: number, to: number): number {
  let millis = 0;
  for (let place = 0; place < 3; place++) {
    const at = from + place;
    millis = millis * 10 + (at < to ? (bytes[at] as number) - ZERO : 0);
  }
  return millis;
}

function millisOf(fraction: string | undefined): number {
  return Number((fraction ?? "").slice(0, 3).padEnd(3, "0"));
}

function isDigit(byte: number | undefined, largest: number): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + largest;
}

function isFractionMark(byte: number | undefined): boolean {
  return byte === 0x2e || byte === 0x2c || byte === COLON;
}

/** Names the part that is out of range. */
function impossiblePart([year, month, day, hour, minute, second]: WrittenTime): string | undefined {
  if (month < 1 || month > 12) return "a month from 1 to 12";
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day < 1 || day > days) return `a day from 1 to ${days}`;
  if (hour > 23) return "an hour from 0 to 23";
  if (minute > 59) return "a minute from 0 to 59";
  if (second > 59) return "a second from 0 to 59";
  return undefined;
}

/** Seconds of `Z`, `+02`, `+0200` or `+02:00`. */
function offsetOf(zone: string): number {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  return (zone.startsWith("-") ? -1 : 1) * (hours * 3600 + minutes * 60);
}

/** Local times of one zone: a skipped one has the offset before the change. */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;
  /** Local minute to UNIX second: zone rules are too slow for each row. */
  readonly #cache = new Map<number, number>();
  readonly #repeats = new Map<number, number>();

  /** IANA name, such as `Europe/Berlin`. */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  }

  /** UNIX second at which a local minute first begins; `shown` is that minute in seconds as if the zone were UTC. */
  minuteStart(shown: number): number {
    const cached = this.#cache.get(shown);
    if (cached !== undefined) return cached;
    if (this.#cache.size >= MINUTES_CACHED) this.#cache.clear();
    const start = this.#instantOf(shown);
    this.#cache.set(shown, start);
    return start;
  }

  /** Seconds until clocks, which were set back meanwhile, show a minute of `minuteStart` again; 0: never. */
  repeatOf(shown: number): number {
    return this.#repeats.get(shown) ?? 0;
  }

  #instantOf(shown: number): number {
    const offsetBefore = this.#offsetAt(shown - DAY_SECONDS);
    const first = shown - offsetBefore;
    const isFirst = this.#offsetAt(first) === offsetBefore;
    const offsetAfter = this.#offsetAt(shown + DAY_SECONDS);
    if (offsetAfter === offsetBefore && isFirst) return first;
    const second = shown - offsetAfter;
    const isSecond = this.#offsetAt(second) === offsetAfter;
    if (isFirst && isSecond) this.#repeats.set(shown, second - first);
    return isSecond && !isFirst ? second : first;
  }

  /** Seconds ahead of UTC. */
  #offsetAt(second: number): number {
    const parts = this.#format.formatToParts(second * 1000);
    const shown = (type: Intl.DateTimeFormatPartTypes) =>
      Number(parts.find((part) => part.type === type)?.value);
    const clock = Date.UTC(
      shown("year"),
      shown("month") - 1,
      shown("day"),
      shown("hour"),
      shown("minute"),
      shown("second"),
    );
    return clock / 1000 - second;
  }
}

/** Parts of a written time; absent ones are `undefined`. */
interface WrittenParts {
  readonly date: readonly [year: string, month: string, day: string];
  readonly clock: readonly [hours: string, minutes: string, seconds: string];
  readonly fraction: string | undefined;
  /** `Z`, or an offset such as `+0100`. */
  readonly zone: string | undefined;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** Letters of Java's SimpleDateFormat, by their count; `undefined`: any count. */
const LETTERS: Readonly<Record<string, string>> = {
  yy: String.raw`(?<shortYear>\d{2})`,
  yyyy: String.raw`(?<year>\d{4})`,
  M: String.raw`(?<month>\d{1,2})`,
  MM: String.raw`(?<month>\d{1,2})`,
  MMM: String.raw`(?<monthName>${MONTHS.join("|")})`,
  d: String.raw`(?<day>\d{1,2})`,
  dd: String.raw`(?<day>\d{1,2})`,
  H: String.raw`(?<hours>\d{1,2})`,
  HH: String.raw`(?<hours>\d{1,2})`,
  h: String.raw`(?<half>\d{1,2})`,
  hh: String.raw`(?<half>\d{1,2})`,
  m: String.raw`(?<minutes>\d{1,2})`,
  mm: String.raw`(?<minutes>\d{1,2})`,
  s: String.raw`(?<seconds>\d{1,2})`,
  ss: String.raw`(?<seconds>\d{1,2})`,
  S: String.raw`(?<fraction>\d{1,9})`,
  SSS: String.raw`(?<fraction>\d{1,9})`,
  a: String.raw`(?<noon>[ap]\.?m\.?)`,
  Z: String.raw`(?<zone>[+-]\d{2}:?\d{2})`,
  X: String.raw`(?<zone>Z|[+-]\d{2}(?::?\d{2})?)`,
  XXX: String.raw`(?<zone>Z|[+-]\d{2}:?\d{2})`,
};
const TOKEN = /'(?<quoted>[^']*)'|(?<letters>([A-Za-z])\3*)|(?<other>[^A-Za-z'])/gy;
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/**
 * Reads times of a pattern of Java's SimpleDateFormat, such as `dd/MM/yyyy HH:mm:ss.SSS`: y M d H h m s S a Z X, and texts in
 * single quotes. Throws `bad-parameter` for other letters, and for a pattern without day, month, year and hour.
 */
export class TimestampFormat {
  readonly #expression: RegExp;

  constructor(pattern: string) {
    let source = "";
    let end = 0;
    for (const { 0: token, index, groups } of pattern.matchAll(TOKEN)) {
      const { quoted, letters, other = "" } = groups ?? {};
      const part = letters === undefined ? undefined : LETTERS[letters];
      if (letters !== undefined && part === undefined) throw refused(pattern, letters);
      source +=
        part ?? (quoted === "" ? "'" : (quoted ?? other)).replaceAll(SPECIAL, String.raw`\$&`);
      end = index + token.length;
    }
    if (end < pattern.length) throw refused(pattern, pattern.slice(end));
    const wanted = [/<(?:y|shortY)ear>/, /<month(?:Name)?>/, /<day>/, /<(?:hours|half)>/];
    if (!wanted.every((each) => each.test(source))) throw refused(pattern, "no full date and hour");
    this.#expression = expressionOf(pattern, source);
  }

  /** `undefined` for other texts. */
  read(text: string): WrittenParts | undefined {
    const groups = this.#expression.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { year, shortYear, month, monthName, day = "", hours, half, noon = "" } = groups;
    const named = MONTHS.indexOf((monthName ?? "").toLowerCase()) + 1;
    const hour = hours ?? String((Number(half) % 12) + (/^p/i.test(noon) ? 12 : 0));
    const { minutes = "0", seconds = "0", fraction, zone } = groups;
    return {
      date: [year ?? `20${shortYear}`, month ?? String(named), day],
      clock: [hour, minutes, seconds],
      fraction,
      zone,
    };
  }
}

function expressionOf(pattern: string, source: string): RegExp {
  try {
    return new RegExp(`^${source}$`, "i");
  } catch {
    throw refused(pattern, "a part twice");
  }
}

function refused(pattern: string, got: string): Error {
  return badParameter(
    `cannot use the timestamp format ${JSON.stringify(pattern)}: got ${JSON.stringify(got)}, want a pattern of Java's SimpleDateFormat with y M d H h m s S a Z X, such as dd/MM/yyyy HH:mm:ss`,
  );
}
