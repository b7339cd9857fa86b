import { type SecondRange, UNKNOWN_SECOND } from "../model/second-range.ts";

/** The part of a load test to analyse: a range without ramps. */
export interface SteadyPart {
  /** `undefined`: all of it. */
  readonly range: SecondRange | undefined;
  /** Seconds skipped at the start of the load test, during ramp-up. */
  readonly skipStartSeconds: number;
  /** Seconds skipped at its end, during ramp-down. */
  readonly skipEndSeconds: number;
}

/** Whether the span of the load test is needed. */
export function hasRamps({ skipStartSeconds, skipEndSeconds }: SteadyPart): boolean {
  return skipStartSeconds > 0 || skipEndSeconds > 0;
}

/** Returns the seconds of a part; `span` is that of the load test, `undefined` if unknown. */
export function steadyRange(
  { range, skipStartSeconds, skipEndSeconds }: SteadyPart,
  span: SecondRange | undefined,
): SecondRange {
  // No part of a run contains second 0, so this one is empty.
  if (span === undefined) return UNKNOWN_SECOND;
  const from = Math.max(range?.from ?? 0, span.from + skipStartSeconds);
  const until = Math.min(range?.until ?? Infinity, span.until - skipEndSeconds);
  return from < until ? { from, until } : UNKNOWN_SECOND;
}
