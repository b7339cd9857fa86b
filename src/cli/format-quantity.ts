/** Quantities as people read them. */

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes in powers of 1,000 with three digits at most, such as `4.87 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit + 1 < UNITS.length) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.max(1, value))));
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** Milliseconds as `0.8 s`, `42 s` or `3 min 5 s`. */
export function formatDuration(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

const COUNT = new Intl.NumberFormat("en-US");

/** A whole number with separators of thousands and its noun: `1 endpoint`, `2,000 endpoints`. */
export function formatCount(count: number, noun: string): string {
  return `${COUNT.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A UNIX second as `2026-11-21 10:19:03 UTC`. */
export function formatSecond(second: number): string {
  return `${new Date(second * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
