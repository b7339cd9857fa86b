/**
 * The fractions of small denominators as text, made when one is first wanted: looking them up takes a
 * fraction of the time of two divisions (of a csv answer, a quarter).
 */

/** The largest denominator with a table: bytes in a KiB. All tables together take 5 MB at most. */
export const FRACTION_DENOMINATOR_MAX = 1024;

const MILLION = 1_000_000;

/** `rest / denominator` for every rest below the denominator. */
export interface Fractions {
  /** From the point on, without trailing zeros: ASCII as a word of 8 bytes, little-endian. */
  readonly text: Float64Array;
  /** How many of these bytes there are; 0 for the fraction 0. */
  readonly length: Uint8Array;
}

const MADE: (Fractions | undefined)[] = Array.from({ length: FRACTION_DENOMINATOR_MAX + 1 });

/** The fractions of a denominator from 1 to `FRACTION_DENOMINATOR_MAX`, rounded to 6 places. */
export function fractionsOf(denominator: number): Fractions {
  return MADE[denominator] ?? makeFractions(denominator);
}

function makeFractions(denominator: number): Fractions {
  const bytes = new Uint8Array(8 * denominator);
  const length = new Uint8Array(denominator);
  for (let rest = 1; rest < denominator; rest++) {
    // Never a whole one: the largest rest is a thousandth below it.
    const millionths = Math.floor((2 * rest * MILLION + denominator) / (2 * denominator));
    const text = `.${String(millionths).padStart(6, "0").replace(/0+$/, "")}`;
    for (let at = 0; at < text.length; at++) bytes[8 * rest + at] = text.charCodeAt(at);
    length[rest] = text.length;
  }
  const made = { text: new Float64Array(bytes.buffer), length };
  MADE[denominator] = made;
  return made;
}
