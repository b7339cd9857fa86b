const POINT = 0x2e;
const MILLION = 1_000_000;
const BILLION = 1_000_000_000;
const SMALL_MAX = 2 ** 31 - 1;

/** The digits of 0 to 999 as little-endian words: padded to three, and without leading zeros. */
const PADDED = Int32Array.from({ length: 1000 }, (_, value) =>
  wordOf(String(value).padStart(3, "0")),
);

const UNPADDED = Int32Array.from({ length: 1000 }, (_, value) => wordOf(String(value)));

const UNPADDED_LENGTH = Uint8Array.from({ length: 1000 }, (_, value) => String(value).length);

/** How many of three digits are left when zeros at their end are cut off. */
const LENGTH_AS_FRACTION = Uint8Array.from(
  { length: 1000 },
  (_, value) => String(value).padStart(3, "0").replace(/0+$/, "").length,
);

/**
 * Fractions of small denominators as text, created on first use: a lookup takes a fraction of the time of two
 * divisions.
 */

/** Bytes in a KiB. All tables together take at most 5 MB. */
const FRACTION_DENOMINATOR_MAX = 1024;

/** Writes an integer from 0 to 2^53 - 1. */
export function writeInteger(view: DataView, at: number, value: number): number {
  return value < 1000 ? writeUnpadded(view, at, value) : writeLongInteger(view, at, value);
}

function writeLongInteger(view: DataView, at: number, value: number): number {
  if (value >= BILLION) {
    const billions = Math.floor(value / BILLION);
    return writeNineDigits(view, writeInteger(view, at, billions), value - billions * BILLION);
  }
  const small = value | 0;
  const thousands = (small / 1000) | 0;
  if (thousands < 1000) {
    return writeThreeDigits(view, writeUnpadded(view, at, thousands), small - thousands * 1000);
  }
  const millions = (thousands / 1000) | 0;
  const afterMillions = writeUnpadded(view, at, millions);
  const afterThousands = writeThreeDigits(view, afterMillions, thousands - millions * 1000);
  return writeThreeDigits(view, afterThousands, small - thousands * 1000);
}

/** Writes `numerator / denominator`, integers from 0 to 2^53 - 1; `0` for a denominator of 0. */
export function writeQuotient(
  view: DataView,
  at: number,
  numerator: number,
  denominator: number,
): number {
  if (numerator === 0) return writeUnpadded(view, at, 0);
  if (numerator <= SMALL_MAX && denominator <= FRACTION_DENOMINATOR_MAX) {
    return writeSmallQuotient(view, at, numerator | 0, denominator | 0);
  }
  if (denominator === 0) return writeUnpadded(view, at, 0);
  // Below 2^53 the floor of the rounded quotient is the floor of the true one, so all is exact.
  const whole = Math.floor(numerator / denominator);
  const rest = numerator - whole * denominator;
  if (rest === 0) return writeInteger(view, at, whole);
  if (rest * MILLION > Number.MAX_SAFE_INTEGER) {
    return writeAscii(view, at, quotientText(BigInt(numerator), BigInt(denominator)));
  }
  const millionths = roundedQuotient(rest * MILLION, denominator);
  if (millionths === MILLION) return writeInteger(view, at, whole + 1);
  return writeFraction(view, writeInteger(view, at, whole), millionths);
}

/** For 32-bit integers, whose division takes a third of the time. */
function writeSmallQuotient(
  view: DataView,
  at: number,
  numerator: number,
  denominator: number,
): number {
  if (denominator === 0) return writeUnpadded(view, at, 0);
  const whole = (numerator / denominator) | 0;
  const rest = numerator - Math.imul(whole, denominator);
  const end = writeInteger(view, at, whole);
  if (rest === 0) return end;
  const { text, length } = fractionsOf(denominator);
  view.setFloat64(end, text[rest] as number, true);
  return end + (length[rest] as number);
}

/** Writes the average of `count` durations in seconds, from their sum in microseconds. */
export function writeAverageSeconds(
  view: DataView,
  at: number,
  sumMicros: number,
  count: number,
): number {
  if (sumMicros === 0 || count === 0) return writeUnpadded(view, at, 0);
  const micros =
    sumMicros <= SMALL_MAX && count <= SMALL_MAX
      ? roundedSmallQuotient(sumMicros | 0, count | 0)
      : roundedQuotient(sumMicros, count);
  if (micros < MILLION) return writeFraction(view, writeUnpadded(view, at, 0), micros);
  const seconds = Math.floor(micros / MILLION);
  return writeFraction(view, writeInteger(view, at, seconds), micros - seconds * MILLION);
}

/** Writes an integer below 1,000 as three digits. */
export function writeThreeDigits(view: DataView, at: number, value: number): number {
  view.setInt32(at, PADDED[value] as number, true);
  return at + 3;
}

/** The text of `writeQuotient` for non-negative integers of any size. */
export function quotientText(numerator: bigint, denominator: bigint): string {
  if (denominator === 0n) return "0";
  const millionths = (numerator * 2_000_000n + denominator) / (denominator * 2n);
  const fraction = (millionths % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  const whole = (millionths / 1_000_000n).toString();
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

export function writeAscii(view: DataView, at: number, text: string): number {
  for (let index = 0; index < text.length; index++) {
    view.setUint8(at + index, text.charCodeAt(index));
  }
  return at + text.length;
}

/** Up to four ASCII characters as a little-endian word. */
function wordOf(text: string): number {
  let word = 0;
  for (let index = 0; index < text.length; index++) word |= text.charCodeAt(index) << (8 * index);
  return word;
}

/** For integers below 2^53; rounds half up. */
function roundedQuotient(numerator: number, denominator: number): number {
  const floor = Math.floor(numerator / denominator);
  return 2 * (numerator - floor * denominator) >= denominator ? floor + 1 : floor;
}

function roundedSmallQuotient(numerator: number, denominator: number): number {
  const floor = (numerator / denominator) | 0;
  const rest = numerator - Math.imul(floor, denominator);
  return rest >= denominator - rest ? floor + 1 : floor;
}

function writeFraction(view: DataView, at: number, millionths: number): number {
  if (millionths === 0) return at;
  const small = millionths | 0;
  const first = (small / 1000) | 0;
  const second = small - first * 1000;
  view.setInt32(at, ((PADDED[first] as number) << 8) | POINT, true);
  if (second === 0) return at + 1 + (LENGTH_AS_FRACTION[first] as number);
  view.setInt32(at + 4, PADDED[second] as number, true);
  return at + 4 + (LENGTH_AS_FRACTION[second] as number);
}

function writeNineDigits(view: DataView, at: number, value: number): number {
  const small = value | 0;
  const thousands = (small / 1000) | 0;
  const millions = (thousands / 1000) | 0;
  writeThreeDigits(view, at, millions);
  writeThreeDigits(view, at + 3, thousands - millions * 1000);
  return writeThreeDigits(view, at + 6, small - thousands * 1000);
}

function writeUnpadded(view: DataView, at: number, value: number): number {
  view.setInt32(at, UNPADDED[value] as number, true);
  return at + (UNPADDED_LENGTH[value] as number);
}

interface Fractions {
  /** With the decimal point, without trailing zeros: ASCII as a little-endian word of 8 bytes. */
  readonly text: Float64Array;
  /** Bytes of the text; 0 for the fraction 0. */
  readonly length: Uint8Array;
}

const MADE: (Fractions | undefined)[] = Array.from({ length: FRACTION_DENOMINATOR_MAX + 1 });

/** Rounded to 6 places; `denominator` is at most `FRACTION_DENOMINATOR_MAX`. */
function fractionsOf(denominator: number): Fractions {
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
