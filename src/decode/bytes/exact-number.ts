/** Parses decimal digits exactly, without binary fractions. */

import { POINT, ZERO } from "./ascii.ts";

/** Maximum digits of a written-out exponent. */
const PLACES_MAX = 40;

const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
const latin1 = new TextDecoder("latin1");

/**
 * The number at `[from, to)` times 10^`scale`, rounded half away from zero. Digits with at most one inner point;
 * `undefined` for anything else and above 2^53 - 1.
 */
export function readScaled(
  bytes: Uint8Array,
  from: number,
  to: number,
  scale: number,
): number | undefined {
  let value = 0;
  let point = from;
  for (; point < to && isDigit(bytes[point]); point++) {
    value = value * 10 + ((bytes[point] as number) - ZERO);
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
  }
  if (point === from) return undefined;
  if (point === to) return timesPowerOfTen(value, scale);
  if (bytes[point] !== POINT || point + 1 === to) return undefined;
  if (digitsEnd(bytes, point + 1, to) !== to) return undefined;
  return withFraction(value, bytes.subarray(point + 1, to), scale);
}

/** As `readScaled`, of a text. */
export function scaledOf(text: string, scale: number): number | undefined {
  const bytes = Buffer.from(text);
  return readScaled(bytes, 0, bytes.length, scale);
}

/** A whole number; `12.0` is allowed. */
export function readWhole(bytes: Uint8Array, from: number, to: number): number | undefined {
  const point = digitsEnd(bytes, from, to);
  for (let at = point + 1; at < to; at++) if (bytes[at] !== ZERO) return undefined;
  return readScaled(bytes, from, to, 0);
}

/** The double nearest to a decimal number, negative or not; NaN for anything else. */
export function writtenNumber(bytes: Uint8Array, from: number, to: number): number {
  const whole = readWhole(bytes, from, to);
  if (whole !== undefined) return whole;
  const text = latin1.decode(bytes.subarray(from, to));
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

export function digitsEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isDigit(bytes[at])) at++;
  return at;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function timesPowerOfTen(value: number, scale: number): number | undefined {
  const scaled = value * 10 ** scale;
  return scaled <= Number.MAX_SAFE_INTEGER ? scaled : undefined;
}

function withFraction(value: number, digits: Uint8Array, scale: number): number | undefined {
  let scaled = value;
  for (let place = 0; place < scale; place++) {
    scaled = scaled * 10 + ((digits[place] ?? ZERO) - ZERO);
    if (scaled > Number.MAX_SAFE_INTEGER) return undefined;
  }
  const isRoundedUp = (digits[scale] ?? ZERO) >= ZERO + 5;
  if (!isRoundedUp) return scaled;
  return scaled < Number.MAX_SAFE_INTEGER ? scaled + 1 : undefined;
}

/** A decimal number times `times` and 10^`scale`, rounded once, half up. `undefined` if invalid or above 2^53 - 1. */
export function exactProduct(decimal: string, times: number, scale: number): number | undefined {
  const parts = DECIMAL.exec(decimal);
  if (parts === null) return undefined;
  const [, whole = "", fraction = "", exponent = "0"] = parts;
  const places = fraction.length - Number(exponent) - scale;
  const digits = BigInt(whole + fraction) * BigInt(times);
  const product =
    places <= 0 ? digits * 10n ** BigInt(-places) : halfUp(digits, 10n ** BigInt(places));
  return product <= Number.MAX_SAFE_INTEGER ? Number(product) : undefined;
}

/** Non-negative operands, rounded half up. */
export function halfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

/** The share that a part of the requests has of a sum over all of them, rounded half up. */
export function shareOf(sum: number, part: number, all: number): number {
  return Number(halfUp(BigInt(sum) * BigInt(part), BigInt(all)));
}

/** `1.5e+06` as `1500000`; other text unchanged. */
export function plainDecimal(text: string): string {
  const match = /^(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(text);
  if (match === null) return text;
  const [, whole = "", fraction = "", exponent = ""] = match;
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  if (digits === "0" || /^0*$/.test(digits)) return "0";
  const point = digits.length - fraction.length + Number(exponent);
  if (point > PLACES_MAX) return text;
  if (point < -PLACES_MAX) return "0";
  if (point <= 0) return `0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return digits + "0".repeat(point - digits.length);
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}
