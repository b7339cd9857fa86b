const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Shown for unknown figures. */
export const UNKNOWN = "–";

/** Powers of 1,000, at most three digits: `4.87 GB`. */
export function formatBytes(bytes: number | null): string {
  if (bytes === null) return UNKNOWN;
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit + 1 < UNITS.length) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, value))));
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** `0.8 s`, `42 s` or `3 min 5 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Thousands separators and noun: `1 endpoint`, `2,000 endpoints`. */
export function formatCount(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** `2026-11-21 10:19:03 UTC`. */
export function formatSecond(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** Seconds as milliseconds, three significant digits: `63.2 ms`, `1418 ms`. */
export function formatMilliseconds(seconds: number | null | undefined): string {
  if (seconds === undefined || seconds === null) return UNKNOWN;
  const value = seconds * 1000;
  return `${value < 100 ? Number(value.toPrecision(3)) : Math.round(value)} ms`;
}

/** Per cent; never 0 % or 100 % unless exact. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return "0 %";
  if (percent < 0.01) return "< 0.01 %";
  if (percent > 99.9 && percent < 100) return "> 99.9 %";
  return `${Number(percent.toPrecision(3))} %`;
}

/** Signed, such as `+12.5 %`; `=` if it rounds to nothing. */
export function formatChange(change: number): string {
  const percent = change * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = percent.toFixed(digits);
  if (Number(text) === 0) return "=";
  return `${percent > 0 ? "+" : ""}${text} %`;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

/** Whatever could be markup, a mention of people or a control character: senders choose the units of their measures. */
const UNSAFE_IN_UNIT = /[^\p{L}\p{N} %°·/(){}^_-]/gu;

/** A value of a measure: of a rate the share, of a counter per second. */
export function formatMeasured(
  value: number | undefined,
  { unit, kind }: { readonly unit: string; readonly kind: string },
): string {
  if (value === undefined) return UNKNOWN;
  if (kind === "rate") return formatShare(value);
  const seconds = SECONDS[unit];
  const isPerSecond = kind === "counter";
  if (seconds !== undefined && !isPerSecond) return formatMilliseconds(value * seconds);
  const isBytes = unit === "By" && value >= 0;
  const own = unit === "" || unit === "1" ? "" : ` ${unit.replaceAll(UNSAFE_IN_UNIT, "?")}`;
  const text = isBytes ? formatBytes(value) : `${Number(value.toPrecision(4))}${own}`;
  return isPerSecond ? `${text}/s` : text;
}
