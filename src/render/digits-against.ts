const DIGITS_MAX = 15;

/** Formats a value with enough significant digits, at least `fewest`, to show which side of the bound it is on. */
export function digitsAgainst(value: number, bound: number, fewest = 6): string {
  const side = Math.sign(value - bound);
  let rounded = value;
  for (let digits = fewest; digits <= DIGITS_MAX; digits++) {
    rounded = Number(value.toPrecision(digits));
    if (Math.sign(rounded - bound) === side) break;
  }
  return String(rounded);
}
