/** Positions on a logarithmic axis. */

export interface LogScale {
  readonly low: number;
  readonly high: number;
  /** Position of a value in pixels, clamped to the ends. */
  readonly at: (value: number) => number;
}

/** An axis from `low` at pixel `begin` to `high` at `end`; both values are above 0. */
export function logScale(low: number, high: number, begin: number, end: number): LogScale {
  const pixelsOfOne = (end - begin) / Math.log(high / low);
  return {
    low,
    high,
    at: (value) => begin + Math.log(Math.min(high, Math.max(low, value)) / low) * pixelsOfOne,
  };
}

/** The largest of 1, 2 or 5 times a power of ten that is at most `value`. */
export function roundDown(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const digit = [5, 2].find((each) => each * decade <= value * (1 + 1e-9)) ?? 1;
  return Number((digit * decade).toPrecision(3));
}

/** The smallest of those that is at least `value`. */
export function roundUp(value: number): number {
  const down = roundDown(value);
  if (down >= value * (1 - 1e-9)) return down;
  const decade = 10 ** Math.floor(Math.log10(down) + 1e-9);
  const next = [2, 5, 10].find((each) => each * decade > down * (1 + 1e-9)) ?? 10;
  return Number((next * decade).toPrecision(3));
}

/** Those of `requested` at least `gap` pixels from all accepted before, ascending. */
export function apart(requested: readonly number[], { at }: LogScale, gap: number): number[] {
  const kept: number[] = [];
  for (const value of requested) {
    if (kept.every((each) => Math.abs(at(each) - at(value)) >= gap)) kept.push(value);
  }
  return kept.toSorted((left, right) => left - right);
}
