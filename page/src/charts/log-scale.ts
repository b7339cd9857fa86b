/** Places on a logarithmic axis. */

export interface LogScale {
  readonly low: number;
  readonly high: number;
  /** The place of a value in pixels; beyond the ends: the end. */
  readonly at: (value: number) => number;
}

/** The axis that has `low` at pixel `begin` and `high` at `end`; both values are above 0. */
export function logScale(low: number, high: number, begin: number, end: number): LogScale {
  const pixelsOfOne = (end - begin) / Math.log(high / low);
  return {
    low,
    high,
    at: (value) => begin + Math.log(Math.min(high, Math.max(low, value)) / low) * pixelsOfOne,
  };
}

/** 1, 2 or 5 times a power of ten: the largest that `value` is not below. */
export function roundDown(value: number): number {
  const decade = 10 ** Math.floor(Math.log10(value) + 1e-9);
  const digit = [5, 2].find((each) => each * decade <= value * (1 + 1e-9)) ?? 1;
  return Number((digit * decade).toPrecision(3));
}

/** The smallest of them that `value` is not above. */
export function roundUp(value: number): number {
  const down = roundDown(value);
  if (down >= value * (1 - 1e-9)) return down;
  const decade = 10 ** Math.floor(Math.log10(down) + 1e-9);
  const next = [2, 5, 10].find((each) => each * decade > down * (1 + 1e-9)) ?? 10;
  return Number((next * decade).toPrecision(3));
}

/** Those of `requested` that stand at least `gap` pixels from all before them, ascending. */
export function apart(requested: readonly number[], { at }: LogScale, gap: number): number[] {
  const kept: number[] = [];
  for (const value of requested) {
    if (kept.every((each) => Math.abs(at(each) - at(value)) >= gap)) kept.push(value);
  }
  return kept.toSorted((left, right) => left - right);
}
