const DECIMAL = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * A decimal number as text, times a whole number and 10 to the power of `scale`, as an integer:
 * exact up to one rounding, half up. `undefined` where `decimal` is no such number, or where the
 * result passes 2^53 - 1.
 */
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

/** The quotient of two numbers of which none is negative, rounded half up. */
export function halfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
