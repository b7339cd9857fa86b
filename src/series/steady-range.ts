import type { SecondRange } from "../model/second-range.ts";

/** Which part of a load test counts: within a range, and without its ramps. */
export interface SteadyPart {
  /** `undefined`: all of it. */
  readonly range: SecondRange | undefined;
  /** Seconds left out at the start of the load test, until it runs steadily. */
  readonly skipStartSeconds: number;
  /** The same at its end, from when on it does so no more. */
  readonly skipEndSeconds: number;
}

/** No range contains second 0, so that this one contains nothing. */
const NOTHING: SecondRange = { from: 0, until: 1 };

/** Whether the span of the load test has to be known. */
export function hasRamps({ skipStartSeconds, skipEndSeconds }: SteadyPart): boolean {
  return skipStartSeconds > 0 || skipEndSeconds > 0;
}

/** The seconds of a part, where `span` are those of the whole load test; `undefined`: none is known. */
export function steadyRange(
  { range, skipStartSeconds, skipEndSeconds }: SteadyPart,
  span: SecondRange | undefined,
): SecondRange {
  if (span === undefined) return NOTHING;
  const from = Math.max(range?.from ?? 0, span.from + skipStartSeconds);
  const until = Math.min(range?.until ?? Infinity, span.until - skipEndSeconds);
  return from < until ? { from, until } : NOTHING;
}
