/** Numbers along an axis: at most three digits, without redundant zeros. */

/** Times in seconds with one common unit: `0.5 s` beside `2 s`. */
export function timeTexts(seconds: readonly number[]): string[] {
  const isLong = seconds.some((each) => each >= 1);
  return seconds.map((each) => {
    if (each === 0) return "0";
    return isLong ? `${short(each)} s` : `${short(each * 1000)} ms`;
  });
}

/** Times with a unit each, for an axis over several decades: `500 ms` beside `1 s`. */
export function logTimeTexts(seconds: readonly number[]): string[] {
  return seconds.map((each) => (each >= 1 ? `${short(each)} s` : `${short(each * 1000)} ms`));
}

const CLOCK_TIME = /^(?:(\d+ \S+(?: \d{4})?) )?(\d\d:\d\d:\d\d)(?: (\S+))?$/;

/**
 * Shortens clock times: a date only at midnight, seconds only if one of the texts needs them, and a zone only on the
 * first text and where it changes.
 */
export function tickTexts(texts: readonly string[]): readonly string[] {
  const isWhole = texts.every((text) => !/\d\d:\d\d:(?!00(?: |$))/.test(text));
  let shownZone = "";
  return texts.map((text) => {
    const [, date = "", time = "", zone = ""] = CLOCK_TIME.exec(text) ?? [];
    if (time === "") return text;
    if (date !== "" && time === "00:00:00") return date;
    const shown = isWhole ? time.slice(0, 5) : time;
    if (zone === shownZone) return shown;
    shownZone = zone;
    return `${shown} ${zone}`;
  });
}

/** Two clock times as one span: date and zone once, if they are the same. */
export function spanText(first: string, last: string): string {
  const [begin, end] = [first, last].map((text) => CLOCK_TIME.exec(text) ?? []);
  if (begin?.[2] === undefined || end?.[2] === undefined) return `${first} to ${last}`;
  const from = begin[3] === end[3] ? first.replace(/ \D+$/, "") : first;
  return `${from} to ${begin[1] === end[1] ? last.replace(`${end[1]} `, "") : last}`;
}

const SCALES = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;

/** Numbers with one common scale, as an axis has no room for more: `5,000`, `50k`, `1.5M`. */
export function numberTexts(values: readonly number[]): string[] {
  return scaled(values, 10_000, (letter) => letter);
}

/** Shares as percentages: `5 %` beside `10 %`. */
export function shareTexts(shares: readonly number[]): string[] {
  return shares.map((each) => (each === 0 ? "0" : `${short(each * 100)} %`));
}

/** Bytes with one common unit, in powers of 1,000: `500 kB`, `1.5 MB`. */
export function byteTexts(values: readonly number[]): string[] {
  return scaled(values, 1000, (letter) => ` ${letter}B`);
}

/** 0 has no unit; below `least`, no scale is used. */
function scaled(
  values: readonly number[],
  least: number,
  unitOf: (letter: string) => string,
): string[] {
  const most = Math.max(...values.map(Math.abs));
  const [scale, letter] = SCALES.find(([each]) => most >= Math.max(each, least)) ?? [1, ""];
  return values.map((value) => (value === 0 ? "0" : `${short(value / scale)}${unitOf(letter)}`));
}

const SHORT = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });

function short(value: number): string {
  return SHORT.format(value);
}
