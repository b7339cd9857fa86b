const MOST = 15;

/** With as many significant digits, at least `fewest`, as tell on which side of the bound the value is. */
export function digitsAgainst(value: number, bound: number, fewest = 6): string {
  const side = Math.sign(value - bound);
  let rounded = value;
  for (let digits = fewest; digits <= MOST; digits++) {
    rounded = Number(value.toPrecision(digits));
    if (Math.sign(rounded - bound) === side) break;
  }
  return String(rounded);
}
