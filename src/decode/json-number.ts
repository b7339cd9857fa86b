import { readScaled } from "./exact-number.ts";
import { plainDecimal } from "./plain-decimal.ts";

/**
 * A number of JSON times 10 to the power of `scale`, as an integer, half away from zero: exactly what
 * its digits say. `undefined` for a negative one, and where the result passes 2^53 - 1.
 */
export function readJsonNumber(text: string, scale: number): number | undefined {
  const digits = Buffer.from(plainDecimal(text));
  return readScaled(digits, 0, digits.length, scale);
}
