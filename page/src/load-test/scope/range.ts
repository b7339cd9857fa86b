/** Ranges of a load test, and how keys move them. */

/** UNIX seconds, half-open. */
export interface Range {
  readonly from: number;
  readonly until: number;
}

/** URL parameters of a range, all removed. */
export const WHOLE_TEST = { from: undefined, until: undefined, last: undefined } as const;

const SECONDS_MIN = 5;

/** The full range of a load test from its first and last second; second 0 if no time is known. */
export function wholeRange(seconds: {
  readonly from: number | null;
  readonly until: number | null;
}): Range {
  return { from: seconds.from ?? 0, until: (seconds.until ?? 0) + 1 };
}

/** Moves the range by a share of its length, within the full range. */
export function panned({ from, until }: Range, share: number, whole: Range): Range {
  const requested = Math.round((until - from) * share);
  const shift = Math.min(Math.max(requested, whole.from - from), whole.until - until);
  return { from: from + shift, until: until + shift };
}

/** Scales the range about its middle, within the full range. */
export function zoomed({ from, until }: Range, factor: number, whole: Range): Range {
  const length = Math.max(SECONDS_MIN, Math.round((until - from) * factor));
  if (length >= whole.until - whole.from) return whole;
  const begin = Math.round((from + until - length) / 2);
  const from2 = Math.min(Math.max(begin, whole.from), whole.until - length);
  return { from: from2, until: from2 + length };
}

/**
 * Extends a range that reaches the end of the data over the time without answers, up to now, by at most half
 * its length.
 */
export function withSilence(range: Range, whole: Range, nowSecond: number): Range {
  const { from, until } = range;
  if (until < whole.until) return range;
  const latest = until + Math.ceil((until - from) / 2);
  return { from, until: Math.min(Math.max(until, Math.ceil(nowSecond)), latest) };
}

/** At least some seconds long. */
export function longEnough({ from, until }: Range): Range {
  return { from, until: Math.max(until, from + SECONDS_MIN) };
}

/** A range as a URL parameter: an incident, or a point of a chart. */
export function stretchText({ from, until }: Range): string {
  return `${from}-${until}`;
}

/** The range in a URL parameter; `undefined` if none. */
export function stretchOf(text: string | undefined): Range | undefined {
  const [, from, until] = /^(\d{1,10})-(\d{1,10})$/.exec(text ?? "") ?? [];
  const stretch = { from: Number(from), until: Number(until) };
  return stretch.from < stretch.until ? stretch : undefined;
}
