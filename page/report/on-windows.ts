import type { Scope } from "../src/api/figures.ts";
import type { Range } from "../src/load-test/scope/range.ts";

/**
 * The scope with a range that begins and ends where windows of so many seconds do, since what happened
 * within one is not told apart: so that figures are those of the range that is named.
 */
export function onWindows(scope: Scope, whole: Range, grainSeconds: number): Scope {
  const { from, until } = scope;
  const begin = from === undefined ? undefined : from - (from % grainSeconds);
  const end = until === undefined ? undefined : Math.ceil(until / grainSeconds) * grainSeconds;
  return {
    ...scope,
    from: begin === undefined ? undefined : Math.max(begin, whole.from),
    until: end === undefined ? undefined : Math.min(end, whole.until),
  };
}
