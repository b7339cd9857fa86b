/** Numbers as the page shows them: at most three significant digits, units separate. */

export interface Quantity {
  readonly digits: string;
  readonly unit: string;
}

const UNKNOWN: Quantity = { digits: "–", unit: "" };

const WHOLE = new Intl.NumberFormat("en-US");

/** A count in full, with thousands separators. */
export function count(value: number): string {
  return WHOLE.format(value);
}

export function runsText(runs: number): string {
  return `${count(runs)} ${runs === 1 ? "run" : "runs"}`;
}

/** A count in full up to 999,999, then `8.10 M`: for lists. */
export function shortCount(value: number): string {
  return value < 1_000_000 ? count(value) : `${threeDigits(value / 1_000_000)} M`;
}

/** A time: whole `ms` from 10 ms, one decimal below, `s` from 1,000 ms, `min` from 10 min. */
export function duration(seconds: number | null | undefined): Quantity {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  const ms = seconds * 1000;
  if (ms === 0) return { digits: "0", unit: "ms" };
  if (ms < 9.95) return { digits: ms < 0.05 ? "< 0.1" : ms.toFixed(1), unit: "ms" };
  if (ms < 999.5) return { digits: ms.toFixed(0), unit: "ms" };
  if (seconds < 600) return { digits: threeDigits(seconds), unit: "s" };
  return { digits: threeDigits(seconds / 60), unit: "min" };
}

/** Writes times of one column in one unit with equally many decimals, so that the larger number looks larger. */
export function durationsWith(largestSeconds: number): (seconds: number) => Quantity {
  if (largestSeconds < 9.9995) {
    const decimals = largestSeconds < 0.00995 ? 1 : 0;
    return (seconds) => scaledTo(seconds * 1000, decimals, "ms");
  }
  const decimals = largestSeconds < 100 ? 2 : largestSeconds < 1000 ? 1 : 0;
  return (seconds) => scaledTo(seconds, decimals, "s");
}

/** The same for bytes. */
export function bytesWith(largest: number): (value: number) => Quantity {
  const { unit } = bytes(Math.round(largest));
  const factor = 1000 ** Math.max(0, UNITS.indexOf(unit));
  const decimals = unit === "B" || largest >= 100 * factor ? 0 : largest >= 10 * factor ? 1 : 2;
  return (value) => scaledTo(value / factor, decimals, unit);
}

/** With so many decimals; a smaller number is below the last of them. */
function scaledTo(value: number, decimals: number, unit: string): Quantity {
  const least = 10 ** -decimals;
  if (value > 0 && value < least / 2) return { digits: `< ${least}`, unit };
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return { digits: value === 0 ? "0" : value.toLocaleString("en-US", options), unit };
}

/** A share of 0 to 1 in percent: never 0 for some, never 100 for less than all. */
export function share(value: number): Quantity {
  const percent = value * 100;
  if (percent === 0) return { digits: "0", unit: "" };
  if (percent < 0.01) return { digits: "< 0.01", unit: "%" };
  if (percent > 99.9 && percent < 100) return { digits: "> 99.9", unit: "%" };
  // Rounded down: 99.96 % of the rows are not all of them.
  if (percent > 99 && percent < 100) {
    return { digits: (Math.floor(percent * 10) / 10).toFixed(1), unit: "%" };
  }
  return { digits: percent >= 9.95 ? String(Math.round(percent)) : twoDigits(percent), unit: "%" };
}

/** Anything per second. */
export function rate(value: number | null): string {
  if (value === null) return UNKNOWN.digits;
  if (value === 0) return "0";
  if (value < 0.01) return "< 0.01";
  return value < 9.95 ? String(Number(twoDigits(value))) : count(Math.round(value));
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes in powers of 1,000. */
export function bytes(value: number | null): Quantity {
  if (value === null) return UNKNOWN;
  let scaled = value;
  let unit = 0;
  while (scaled >= 999.5 && unit + 1 < UNITS.length) {
    scaled /= 1000;
    unit += 1;
  }
  return { digits: unit === 0 ? String(value) : threeDigits(scaled), unit: UNITS[unit] ?? "" };
}

export function bytesPerSecond(value: number): Quantity {
  const { digits, unit } = bytes(Math.round(value));
  return { digits, unit: `${unit}/s` };
}

/** A duration: `31 s`, `29 min 59 s`, `2 h 3 min`. */
export function lasted(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function threeDigits(value: number): string {
  if (value >= 99.95) return count(Math.round(value));
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** Below 10: `2.0`, `0.38`, `0.02`. */
function twoDigits(value: number): string {
  return value.toFixed(value >= 0.995 ? 1 : 2);
}
