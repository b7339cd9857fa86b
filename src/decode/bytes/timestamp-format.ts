import { badParameter } from "../../model/errors.ts";

/** Parts of a written time; absent ones are `undefined`. */
export interface WrittenParts {
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
