/**
 * Exact decimals. A fraction is a pair [top, bottom] of BigInts, bottom > 0, so that nothing is
 * rounded before the end.
 */

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,3}))?$/;

/** The fraction that "12.5", "-3" or "1e-7" stands for; undefined for a text that is no decimal. */
export function fractionOf(text) {
  const found = DECIMAL.exec(text);
  if (!found || found[2] + found[3] === "") return undefined;
  const [, sign, whole, part, exponent = "0"] = found;
  const places = BigInt(part.length) - BigInt(exponent);
  const digits = BigInt(sign + (whole + part || "0"));
  return places >= 0n ? [digits, 10n ** places] : [digits * 10n ** -places, 1n];
}

/** The nearest integer; halves go away from zero. */
export function roundHalfAway([top, bottom]) {
  const size = top < 0n ? -top : top;
  const rounded = (2n * size + bottom) / (2n * bottom);
  return top < 0n ? -rounded : rounded;
}

/** The largest integer that is not above the fraction. */
export function floor([top, bottom]) {
  const quotient = top / bottom;
  return quotient * bottom > top ? quotient - 1n : quotient;
}

/** At most six places, no trailing zeros, no exponent: "0.858901", "10", "0". */
export function decimalText([top, bottom]) {
  const millionths = roundHalfAway([top * 1_000_000n, bottom]);
  const digits = String(millionths).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, "");
}
